import type { ClickHouse, Whole } from '../read/clickhouse.ts';
import type { Differences } from './differences.ts';
import type { Erasures } from '../read/erasures.ts';
import { money } from '../read/cells.ts';
import type { PlayerTotals, SnapshotTotals } from './player-totals.ts';

type PlayerRow = [
  id: string,
  sessions: number,
  purchases: number,
  revenue: string,
  playtime: Whole,
  isPayer: number,
  stage: string,
  lastSequence: Whole,
  /** Creation and record of the snapshot. */
  createdMs: Whole,
  sequence: Whole,
];

const PLAYERS = `
SELECT toString(player_id), session_count, purchase_count, toString(total_revenue), total_playtime_seconds,
  toUInt8(is_payer), lifecycle_stage, last_seq, toUInt64(bitShiftRight(version, 64)),
  toUInt64(bitAnd(version, 18446744073709551615))
FROM player_snapshots FINAL
WHERE kind = 'player'`;

/**
 * Compares the players of ClickHouse with the newest snapshots in the log up to `last`. Players that the log has no
 * snapshot of are older; `table-checks.ts` compares those with their rows.
 * @returns the number of players that were compared
 */
export async function comparePlayers(
  clickhouse: ClickHouse,
  totals: PlayerTotals,
  { createdMs, last }: { createdMs: number; last: number },
  erasures: Erasures,
  differences: Differences,
): Promise<number> {
  const unseen = new Set<string>();
  for (const player of totals.players()) if (totals.snapshotOf(player) !== undefined) unseen.add(player);
  const expected = unseen.size;
  await erasures.refresh();
  await clickhouse.each<PlayerRow>(PLAYERS, {}, (row) => {
    const [player, , , , , , , , created, sequence] = row;
    const isNewer = Number(created) === createdMs && Number(sequence) > last;
    if (totals.isErased(player) && !isNewer && erasures.fateOf(player, Number(sequence), 0) === 'gone') {
      differences.add('erased', `players: ${player}, erased, is there with the snapshot of the record ${sequence}`);
    }
    const snapshot = totals.snapshotOf(player);
    if (snapshot === undefined) return;
    unseen.delete(player);
    if (isNewer) return;
    const fault = faultOf(row, snapshot, createdMs);
    if (fault !== undefined) {
      differences.add('totals', `players: ${player} at the record ${snapshot.sequence} of the log: ${fault}`);
    }
  });
  const missing = [...unseen].filter(
    (player) => !erasures.isErasedAfter(player, totals.snapshotOf(player)?.sequence ?? 0),
  );
  for (const player of missing) {
    const sequence = totals.snapshotOf(player)?.sequence;
    differences.add('missing', `players: ${player}, whose snapshot is in the record ${sequence}`);
  }
  return expected - unseen.size;
}

function faultOf(row: PlayerRow, snapshot: SnapshotTotals, createdMs: number): string | undefined {
  const [, sessions, purchases, revenue, playtime, isPayer, stage, lastSequence, created, sequence] = row;
  if (Number(created) !== createdMs || Number(sequence) < snapshot.sequence)
    return `it has an older snapshot, ${sequence}`;
  const pairs: [string, unknown, unknown][] = [
    ['last_seq', Number(lastSequence), snapshot.lastSequence],
    ['session_count', sessions, snapshot.sessions],
    ['purchase_count', purchases, snapshot.purchases],
    ['total_revenue', revenue, money(snapshot.revenue)],
    ['total_playtime_seconds', Number(playtime), Math.round(snapshot.playtimeSeconds)],
    ['is_payer', isPayer === 1, snapshot.purchases > 0],
    ['lifecycle_stage', stage, snapshot.stage],
  ];
  const faults = pairs.filter(([, found, wanted]) => found !== wanted);
  if (faults.length === 0) return undefined;
  return faults.map(([column, found, wanted]) => `${column} is ${String(found)}, not ${String(wanted)}`).join(', ');
}
