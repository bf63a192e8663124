import type { ClickHouse, Whole } from '../read/clickhouse.ts';
import type { Fact } from '../read/fact-rows.ts';
import type { Differences } from './differences.ts';
import type { PlayerTotals } from './player-totals.ts';
import type { TableScope } from './table-checks.ts';

/**
 * The overrides of flags, by the newest change or snapshot of a player in the log. Rows of `flag_override_states`
 * replace each other, so they are compared as a whole. Overrides without a change or snapshot in the log are not.
 */
export interface Overrides {
  take(fact: Fact): void;
  check(clickhouse: ClickHouse, totals: PlayerTotals, scope: TableScope, differences: Differences): Promise<void>;
}

const ROWS = `
SELECT toString(player_id), game_id, environment, flag_key, value,
  toUInt64(bitAnd(bitShiftRight(version, 32), 281474976710655)), toUInt64(bitShiftRight(version, 80))
FROM flag_override_states FINAL
WHERE player_id NOT IN (SELECT arrayJoin({pending: Array(UUID)}))`;

type Row = [player: string, game: string, environment: string, flag: string, value: string, Whole, Whole];

/** By game, environment and flag; null: removed. */
type OfPlayer = Map<string, string | null>;

export function createOverrides(): Overrides {
  /** Of the players whose overrides changed in the log, or whose snapshots have some. */
  const players = new Map<string, OfPlayer>();

  function ofPlayer(id: string): OfPlayer {
    const known = players.get(id) ?? new Map<string, string | null>();
    players.set(id, known);
    return known;
  }

  return {
    take(fact) {
      if (fact.kind === 'SnapshotMark') return;
      const id = fact.entityId.toLowerCase();
      if (fact.kind === 'PlayerErased') return removeAll(players.get(id));
      // The account's own facts say which it has of the guest's.
      if (fact.kind === 'PlayerAbsorbed') return removeAll(players.get(fact.guestId.toLowerCase()));
      if (fact.kind === 'FlagOverridden') {
        ofPlayer(id).set(placeOf(fact.game, fact.environment, fact.flagKey), fact.value);
        return;
      }
      if (fact.kind !== 'EntitySnapshot' || fact.state.kind !== 'player') return;
      const { game, environment, overrides } = fact.state;
      removeAll(players.get(id));
      for (const { flagKey, value } of overrides) ofPlayer(id).set(placeOf(game, environment, flagKey), value);
    },
    async check(clickhouse, totals, { createdMs, last, pending }, differences) {
      const expected = new Map<string, string>();
      const leaving = new Set(pending.map((id) => id.toLowerCase()));
      for (const [player, flags] of players) {
        if (leaving.has(player)) continue;
        for (const [place, value] of flags) if (value !== null) expected.set(`${player} ${place}`, value);
      }
      await clickhouse.each<Row>(ROWS, { pending }, ([player, game, environment, flag, value, sequence, created]) => {
        const place = placeOf(game, environment, flag);
        const name = `${player} ${place}`;
        const wanted = expected.get(name);
        expected.delete(name);
        const isKnown = totals.snapshotOf(player) !== undefined || players.get(player)?.has(place) === true;
        if (!isKnown || value === wanted || (Number(created) === createdMs && Number(sequence) > last)) return;
        if (wanted === undefined) {
          differences.add('unexplained', `${TABLE}: ${name} has ${value}, set in no record (${sequence})`);
        } else differences.add('differs', `${TABLE}: ${name} has ${value}, the log says ${wanted}`);
      });
      for (const [name, value] of expected) {
        differences.add('missing', `${TABLE}: ${name}, which the log sets to ${value}`);
      }
    },
  };
}

const TABLE = 'flag_override_states';

const placeOf = (game: string, environment: string, flag: string): string => `${game}/${environment}/${flag}`;

function removeAll(flags: OfPlayer | undefined): void {
  for (const place of flags?.keys() ?? []) flags?.set(place, null);
}
