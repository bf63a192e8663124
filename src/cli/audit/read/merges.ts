import type { ClickHouse, Whole } from './clickhouse.ts';

/** A merge of a guest, or its take-back, in the audited log. */
interface Merge extends Place {
  guest: string;
  guestExternalId: string;
  into: string;
  intoExternalId: string;
  isUndone: boolean;
  isMoved: boolean;
}

interface Place {
  sequence: number;
  index: number;
}

/** A player that has a row, and the place from which on it has it. */
export interface RowOwner extends Place {
  player: string;
  externalId: string | undefined;
}

/** The merges that ClickHouse knows, which give rows of the log to other players. */
export interface Merges {
  /** The players that have had a row, the first of them the one in the log; the last one has it now. */
  ownersOf(player: string, place: Place): RowOwner[];
  /** Whether each of a row's merges has moved it; else any of its owners may have it. */
  isMoved(player: string, place: Place): boolean;
  /** Players of merges that are not moved: between tables nothing of theirs is compared. */
  pending(): string[];
  /** Reads them again: players may be merged while the audit runs. */
  refresh(): Promise<void>;
}

/** @param createdMs the creation of the audited FACTS */
export async function readMerges(clickhouse: ClickHouse, createdMs: number): Promise<Merges> {
  let ofGuests = new Map<string, Merge[]>();

  async function refresh(): Promise<void> {
    const next = new Map<string, Merge[]>();
    await clickhouse.each<[string, string, string, string, number, number, Whole, number]>(
      `SELECT toString(player_id), external_id, toString(into_player_id), into_external_id, undone, step,
        facts_sequence, facts_index
        FROM player_merges FINAL WHERE facts_created = {created: UInt64} ORDER BY facts_sequence, facts_index`,
      { created: createdMs },
      ([guest, guestExternalId, into, intoExternalId, undone, step, sequence, index]) => {
        const place = { sequence: Number(sequence), index };
        const merge = {
          guest,
          guestExternalId,
          into,
          intoExternalId,
          isUndone: undone === 1,
          isMoved: step > 0,
          ...place,
        };
        next.set(guest, [...(next.get(guest) ?? []), merge]);
      },
    );
    ofGuests = next;
  }

  /** The merges and take-backs that gave a row to other players, in their order. */
  function movesOf(player: string, place: Place): Merge[] {
    const [merge, ...later] = (ofGuests.get(player) ?? []).filter((one) => isBefore(place, one) && !one.isUndone);
    if (merge === undefined) return [];
    const takenBack = (ofGuests.get(player) ?? []).find((one) => one.isUndone && isBefore(merge, one));
    if (takenBack === undefined) return [merge, ...movesOf(merge.into, merge)];
    return [merge, takenBack, ...(later.length === 0 ? [] : movesOf(player, takenBack))];
  }

  await refresh();
  return {
    ownersOf(player, { sequence, index }) {
      const owners: RowOwner[] = [{ player, externalId: undefined, sequence, index }];
      for (const move of movesOf(player, { sequence, index })) {
        const [to, externalId] = move.isUndone ? [move.guest, move.guestExternalId] : [move.into, move.intoExternalId];
        owners.push({ player: to, externalId, sequence: move.sequence, index: move.index });
      }
      return owners;
    },
    isMoved: (player, place) => movesOf(player, place).every((move) => move.isMoved),
    pending: () => [
      ...new Set([...ofGuests.values()].flat().flatMap(({ isMoved, guest, into }) => (isMoved ? [] : [guest, into]))),
    ],
    refresh,
  };
}

function isBefore(one: Place, other: Place): boolean {
  return one.sequence < other.sequence || (one.sequence === other.sequence && one.index % 65_536 < other.index);
}
