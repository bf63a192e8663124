import type { ClickHouse, Whole } from './clickhouse.ts';

/** A player's erasure in the audited log. */
interface Erasure {
  sequence: number;
  index: number;
  /** From this step on its rows are gone; see `erasures` in docs/analytics.md. */
  isDone: boolean;
}

/** The erasures that ClickHouse knows, which take rows away that the log still demands. */
export interface Erasures {
  /** `gone`: the row must not be there; `either`: its erasure goes on; `stays`: no erasure concerns it. */
  fateOf(owner: string, sequence: number, index: number): 'gone' | 'either' | 'stays';
  /** Whether the player was erased behind a record. */
  isErasedAfter(player: string, sequence: number): boolean;
  /** Players whose erasure goes on: between tables nothing of theirs is compared. */
  pending(): string[];
  /** Reads them again: players may be erased while the audit runs. */
  refresh(): Promise<void>;
}

const DONE_FROM_STEP = 2;

/** @param createdMs the creation of the audited FACTS; erasures of an earlier one concern earlier rows */
export async function readErasures(clickhouse: ClickHouse, createdMs: number): Promise<Erasures> {
  let known = new Map<string, Erasure[]>();

  async function refresh(): Promise<void> {
    const next = new Map<string, Erasure[]>();
    await clickhouse.each<[player: string, sequence: Whole, index: number, step: number]>(
      `SELECT toString(player_id), facts_sequence, facts_index, step FROM erasures FINAL
        WHERE facts_created = {created: UInt64}`,
      { created: createdMs },
      ([player, sequence, index, step]) => {
        const erasure = { sequence: Number(sequence), index, isDone: step >= DONE_FROM_STEP };
        next.set(player, [...(next.get(player) ?? []), erasure]);
      },
    );
    known = next;
  }

  await refresh();
  return {
    fateOf(owner, sequence, index) {
      const later = known.get(owner)?.filter((one) => isBefore(sequence, index, one)) ?? [];
      if (later.length === 0) return 'stays';
      return later.some(({ isDone }) => isDone) ? 'gone' : 'either';
    },
    isErasedAfter: (player, sequence) => known.get(player)?.some((one) => one.sequence > sequence) ?? false,
    pending: () => [...known].filter(([, all]) => all.some(({ isDone }) => !isDone)).map(([player]) => player),
    refresh,
  };
}

function isBefore(sequence: number, index: number, erasure: Erasure): boolean {
  return sequence < erasure.sequence || (sequence === erasure.sequence && index % 65_536 < erasure.index);
}
