import { afterAll, beforeAll, expect, it } from 'vitest';
import { openClient } from '../../../clickhouse-schema/open-client.ts';
import { findEvents } from '../../../clickhouse-schema/queries/events/event-query.ts';
import { createBindings, type Statement } from '../../../clickhouse-schema/queries/questions/bindings.ts';
import { pathsStatement } from '../../../clickhouse-schema/queries/questions/behaviour/paths.ts';
import { execSql, rowsOf, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* Statements that read all rows of a projection: the engine prefers the table if that has no more granules. */

const FROM_MS = Date.UTC(2026, 0, 10);
const GAME_LIVE = { game: 'made', environment: 'live' };

let clickhouse: TestClickhouse;
beforeAll(async () => {
  clickhouse = await startWithTables();
  await execSql(
    clickhouse,
    `INSERT INTO events (game_id, environment, player_id, event_name, timestamp, received_at, facts_sequence)
      SELECT 'made', 'live', toUUID(UUIDNumToString(sipHash128(number % 500))), 'event_' || toString(number % 7),
        at, at, number
      FROM (SELECT number, fromUnixTimestamp64Milli(toInt64(${FROM_MS} + number)) AS at FROM numbers(16384))`,
  );
  // A merge adds the projections.
  await execSql(clickhouse, 'OPTIMIZE TABLE events FINAL');
});
afterAll(() => clickhouse.close());

/** What the engine reads for a statement. */
async function readFor({ sql, parameters }: Statement): Promise<string> {
  const client = openClient(clickhouse.address, 'test', 10_000);
  try {
    const result = await client.query({ query: `EXPLAIN ${sql}`, query_params: parameters, format: 'JSONEachRow' });
    return (await result.json<{ explain: string }>()).map(({ explain }) => explain).join('\n');
  } finally {
    await client.close();
  }
}

it('paths of all players read the events in the order of players', async () => {
  const range = { zone: 'UTC', fromMs: FROM_MS, toMs: FROM_MS + 86_400_000 };
  const steps = { eventName: 'event_1', where: [], withinSeconds: 60, direction: 'forward', limit: 10 } as const;
  const statement = pathsStatement({ kind: 'paths', ...GAME_LIVE, ...range, ...steps }, createBindings(), 0);
  expect(await readFor(statement)).toContain('ReadFromMergeTree (of_player)');
});

it('the newest events of all names are found in the order of time', async () => {
  let statement: Statement | undefined;
  await findEvents(
    async (sql, parameters) => {
      statement = { sql, parameters };
      return { kind: 'answered', value: [] };
    },
    { ...GAME_LIVE, limit: 50 },
  );
  if (statement === undefined) throw new Error('no statement was run');
  // EXPLAIN shows no subquery of an IN, so the statement of the keys is explained by itself.
  const keys = /SELECT event_name, received_at, facts_sequence, facts_index\s+FROM events\s+PREWHERE[^)]+/.exec(
    statement.sql,
  )?.[0];
  expect(await readFor({ sql: keys ?? '', parameters: statement.parameters })).toContain('ReadFromMergeTree (of_time)');
});

it('projections are packed by ZSTD', async () => {
  const sql = `SELECT DISTINCT default_compression_codec AS codec FROM system.parts
    WHERE active AND database = currentDatabase() AND table = 'events'`;
  expect(await rowsOf(clickhouse, sql)).toEqual([{ codec: 'ZSTD(3)' }]);
});
