import type { ClickHouse, Whole } from '../read/clickhouse.ts';
import type { Fact } from '../read/fact-rows.ts';
import type { Differences } from './differences.ts';
import type { PlayerTotals } from './player-totals.ts';
import type { TableScope } from './table-checks.ts';

/**
 * The test players of the log, by their newest mark or snapshot. Rows of `test_players` replace each other, so they are
 * compared as a whole. Players without a mark or snapshot in the log are not compared.
 */
export interface TestPlayers {
  take(fact: Fact): void;
  check(clickhouse: ClickHouse, totals: PlayerTotals, scope: TableScope, differences: Differences): Promise<void>;
}

const ROWS = `
SELECT toString(player_id), toUInt64(bitAnd(bitShiftRight(version, 32), 281474976710655)),
  toUInt64(bitShiftRight(version, 80))
FROM test_players FINAL
WHERE player_id NOT IN (SELECT arrayJoin({pending: Array(UUID)}))`;

export function createTestPlayers(): TestPlayers {
  const marks = new Map<string, boolean>();
  return {
    take(fact) {
      if (fact.kind === 'SnapshotMark') return;
      if (fact.kind === 'PlayerAbsorbed') marks.set(fact.guestId.toLowerCase(), false);
      const mark = markOf(fact);
      if (mark !== undefined) marks.set(fact.entityId.toLowerCase(), mark);
    },
    async check(clickhouse, totals, { createdMs, last, pending }, differences) {
      const missing = new Set([...marks].flatMap(([player, isMarked]) => (isMarked ? [player] : [])));
      for (const player of pending) missing.delete(player.toLowerCase());
      await clickhouse.each<[string, Whole, Whole]>(ROWS, { pending }, ([player, sequence, created]) => {
        const isMarked = marks.get(player) ?? (totals.snapshotOf(player) === undefined ? undefined : false);
        missing.delete(player);
        if (isMarked !== false || (Number(created) === createdMs && Number(sequence) > last)) return;
        differences.add('unexplained', `test_players: ${player}, marked in no record (${sequence})`);
      });
      for (const player of missing) differences.add('missing', `test_players: ${player}, whom the log marks`);
    },
  };
}

/** What a fact says of the mark; `undefined`: nothing. Of snapshots only marks are noted: they are of all players. */
function markOf(fact: Fact): boolean | undefined {
  if (fact.kind === 'PlayerErased') return false;
  if (fact.kind === 'EntitySnapshot') {
    return fact.state.kind === 'player' && fact.state.isTestPlayer ? true : undefined;
  }
  const isMark = fact.kind === 'PlayerUpdated' && fact.changed.includes('is_test_player');
  return isMark ? fact.player.isTestPlayer : undefined;
}
