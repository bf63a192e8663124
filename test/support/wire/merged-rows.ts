import { openClient } from '../../../clickhouse-schema/open-client.ts';
import { tablesOnMerge } from '../../../clickhouse-schema/rows/moved-rows.ts';
import type { PlayerTable } from '../../../clickhouse-schema/rows/tables/tables.ts';
import { createMergeTarget, type MergeTarget } from '../../../streams/sinks/clickhouse/merges/merge-target.ts';
import { execSql, rowsOf, type TestClickhouse } from '../servers/clickhouse.ts';

/* Rows of players in every table, merges of them, and the mover's target with a kill at any statement. */

export const FACTS = { stream: '2026-01-01T00:00:00.000Z', createdMs: Date.UTC(2026, 0, 1) };
const AT = Date.UTC(2026, 1, 1);
const HOUR_MS = 3_600_000;

/** Players are known by letters. */
export const idOf = (player: string): string =>
  `00000000-0000-5000-8000-${Buffer.from(player).toString('hex').padStart(12, '0')}`;
const letterOf = (id: string): string => Buffer.from(id.slice(-12).replace(/^(00)+/, ''), 'hex').toString();

/** The tables whose rows move, and those whose rows of a guest go. */
const MOVED: readonly PlayerTable[] = tablesOnMerge('update', 'copy');
export const DROPPED: readonly PlayerTable[] = tablesOnMerge('drop');

async function insert(clickhouse: TestClickhouse, table: string, rows: readonly object[]): Promise<void> {
  const body = rows.map((row) => JSON.stringify({ game_id: 'demo', environment: 'live', ...row })).join('\n');
  const search = { input_format_skip_unknown_fields: '1' };
  await execSql(clickhouse, `INSERT INTO ${table} FORMAT JSONEachRow`, { body, search });
}

const commonOf = (player: string, sequence: number) => ({
  player_id: idOf(player),
  external_id: `name of ${player}`,
  received_at: AT + sequence * HOUR_MS,
  timestamp: AT + sequence * HOUR_MS,
  facts_sequence: sequence,
  quarantine_number: sequence,
  quarantined_as: idOf(player),
  version: String((BigInt(FACTS.createdMs) << 80n) | (BigInt(sequence) << 32n)),
});

/** Empties the tables. */
export async function startOver(clickhouse: TestClickhouse): Promise<void> {
  const tables = [...MOVED, ...DROPPED, 'player_merges', 'erasures'];
  await Promise.all(tables.map((table) => execSql(clickhouse, `TRUNCATE TABLE ${table}`)));
}

/** A row of the player in each table, of the record `sequence`. */
export async function play(clickhouse: TestClickhouse, player: string, ...sequences: number[]): Promise<void> {
  const rows = sequences.map((sequence) => commonOf(player, sequence));
  await Promise.all([...MOVED, ...DROPPED].map((table) => insert(clickhouse, table, rows)));
}

interface Merge {
  guest: string;
  into: string;
  sequence: number;
}

const mergeRow = ({ guest, into, sequence }: Merge) => ({
  player_id: idOf(guest),
  external_id: `name of ${guest}`,
  into_player_id: idOf(into),
  into_external_id: `name of ${into}`,
  merge_id: `m-${guest}-${sequence}`,
  merged_at: AT + sequence * HOUR_MS,
  received_at: AT + sequence * HOUR_MS,
  facts_created: FACTS.createdMs,
  facts_sequence: sequence,
});

export const merge = (clickhouse: TestClickhouse, ...merges: Merge[]): Promise<void> =>
  insert(clickhouse, 'player_merges', merges.map(mergeRow));
export const takeBack = (clickhouse: TestClickhouse, ...merges: Merge[]): Promise<void> =>
  insert(
    clickhouse,
    'player_merges',
    merges.map((one) => ({ ...mergeRow(one), undone: 1 })),
  );
export const erase = (clickhouse: TestClickhouse, player: string, sequence: number): Promise<void> =>
  insert(clickhouse, 'erasures', [
    { ...commonOf(player, sequence), erased_at: AT, step: 0, facts_created: FACTS.createdMs },
  ]);

/** The players of a table's rows, in the order of the log: `g:7` is a row of the record 7 that came from `g`. */
export async function ownersIn(clickhouse: TestClickhouse, table: string): Promise<Record<string, string[]>> {
  const isMoved = MOVED.some((one) => one === table);
  const sequence = isMoved ? 'facts_sequence' : 'bitAnd(bitShiftRight(version, 32), 281474976710655)';
  const found = await rowsOf<{ player: string; sequence: number; merged: string[] }>(
    clickhouse,
    `SELECT toString(player_id) AS player, toUInt32(${sequence}) AS sequence,
      ${isMoved ? 'merged_from' : '[]::Array(UUID)'} AS merged
    FROM ${table} ${isMoved ? '' : 'FINAL'} ORDER BY sequence, player`,
  );
  const owners: Record<string, string[]> = {};
  for (const { player, sequence: at, merged } of found) {
    (owners[letterOf(player)] ??= []).push([...merged.map(letterOf), String(at)].join(':'));
  }
  return owners;
}

/** The owners of the rows of all tables that move; throws if tables differ. */
export async function owners(clickhouse: TestClickhouse): Promise<Record<string, string[]>> {
  const all = await Promise.all(MOVED.map(async (table) => [table, await ownersIn(clickhouse, table)] as const));
  const [first] = all;
  for (const [table, found] of all) {
    if (JSON.stringify(found) !== JSON.stringify(first?.[1]))
      throw new Error(`${table} has ${JSON.stringify(found)}, ${first?.[0]} has ${JSON.stringify(first?.[1])}`);
  }
  return first?.[1] ?? {};
}

/** A target whose process is killed at its n-th statement: before it, or when it was done and the answer is lost. */
export function killedAt(clickhouse: TestClickhouse, n: number, isDone: boolean): MergeTarget {
  let left = n;
  return createMergeTarget(clickhouse.address, (...opened) => {
    const client = openClient(...opened);
    const dying =
      <A extends unknown[], R>(run: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        left -= 1;
        if (left < 0 || (left === 0 && !isDone)) throw new Error('killed');
        const result = await run(...args);
        if (left === 0) throw new Error('killed');
        return result;
      };
    return Object.assign(Object.create(client), {
      command: dying((...args: Parameters<typeof client.command>) => client.command(...args)),
      insert: dying((...args: Parameters<typeof client.insert>) => client.insert(...args)),
    });
  });
}

/** Moves all that may be moved. */
export async function moveAll(target: MergeTarget, sequence = 1_000): Promise<void> {
  for (;;) {
    const merges = await target.pending({ stream: FACTS.stream, sequence });
    if (merges.length === 0) return;
    if ((await target.move(merges, { createdMs: FACTS.createdMs, sequence: 1_000 })) === 'moved')
      await target.note('moved', merges);
  }
}
