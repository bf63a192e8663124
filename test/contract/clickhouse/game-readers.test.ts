import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gameTables } from '../../../clickhouse-schema/game-tables.ts';
import { digestOf, writeGameReaders } from '../../../src/local/clickhouse/game-readers.ts';
import { readerPassword } from '../../../src/local/clickhouse/service-password.ts';
import { rowsOf, runSql, startClickhouse, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { migrate } from '../../../clickhouse-schema/migrations/migrate.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/* A reader of one game reads no row of another, whatever it sends. */

const TOKEN = 'rdr_of-this-test';
const SECRET = 'secret-of-the-other-game';
let clickhouse: TestClickhouse;
let dataDir: string;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'game-readers-'));
  clickhouse = await startClickhouse({ DATA_DIR: dataDir });
  await migrate(clickhouse.address);
  writeGameReaders(dataDir, [{ name: 'reader_mine', game: 'mine', digest: digestOf(TOKEN) }]);
  const rows = ['mine', 'mine', 'other', 'other', 'other'].map((game, n) =>
    JSON.stringify({
      event_id: `e-${n}`,
      game_id: game,
      environment: 'live',
      player_id: `00000000-0000-5000-8000-00000000000${n}`,
      event_name: game === 'mine' ? '1' : SECRET,
      properties: game === 'mine' ? '{}' : `{"a":"${SECRET}"}`,
      timestamp: 1_768_473_000_000,
      received_at: 1_768_473_000_000,
    }),
  );
  expect(await runSql(clickhouse, 'INSERT INTO events FORMAT JSONEachRow', { body: rows.join('\n') })).toMatchObject({
    status: 200,
  });
});
afterAll(async () => {
  await clickhouse.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function ofMine(
  sql: string,
  search: Record<string, string> = {},
  token = TOKEN,
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${clickhouse.url}/?${new URLSearchParams(search).toString()}`, {
    method: 'POST',
    body: sql,
    headers: { 'X-ClickHouse-User': 'reader_mine', 'X-ClickHouse-Key': token },
  });
  return { status: response.status, text: await response.text() };
}

describe('a reader of one game', () => {
  it('sees up to when the days of its game are built, and of no other', async () => {
    // The row without a game says how far the builder looked.
    const looked = { game_id: '', environment: '', built_to: '2026-01-15 10:00:00.000', noted: 1 };
    const games = ['mine', 'other'].map((game_id) => ({ game_id, environment: 'live', zone: 'UTC', noted: 1 }));
    const body = [looked, ...games].map((row) => JSON.stringify(row)).join('\n');
    const insert = 'INSERT INTO player_days_builds FORMAT JSONEachRow';
    expect(await runSql(clickhouse, insert, { body })).toMatchObject({ status: 200 });
    expect(await ofMine('SELECT game_id, built_to, waits FROM freshness')).toEqual({
      status: 200,
      text: 'mine\t2026-01-15 10:00:00.000\t0\n',
    });
  });

  it.each([
    ['SELECT count() FROM events', '2'],
    ['SELECT count() FROM default.events', '2'],
    ['SELECT count() FROM live_events', '2'],
    ["SELECT count() FROM events WHERE game_id = 'other'", '0'],
    ['SELECT DISTINCT game_id FROM events', 'mine'],
    ['SELECT (SELECT count() FROM events)', '2'],
    ['WITH e AS (SELECT * FROM events) SELECT count() FROM e', '2'],
    ['SELECT count() FROM view(SELECT * FROM events)', '2'],
    ['SELECT count() FROM events AS a JOIN events AS b ON a.environment = b.environment', '4'],
    ['SELECT uniqExact(event_id) FROM events PREWHERE 1', '2'],
    ["SELECT countIf(event_name = '1') FROM event_counts_daily", '1'],
    // The conditions are of the reader's own rows: they would fail, and show the value, on another game's.
    ['SELECT count() FROM events WHERE toUInt64(event_name) > 0', '2'],
    ['SELECT count() FROM events PREWHERE toUInt64(event_name) > 0', '2'],
    ["SELECT count() FROM events WHERE throwIf(game_id = 'other') = 0", '2'],
    ["SELECT count() FROM live_events WHERE toUInt64(event_name) > 0 AND game_id != ''", '2'],
    ['SELECT max(toUInt64(event_name)) FROM events', '1'],
    ["SELECT getSetting('query_cache_tag')", 'mine'],
    ['SELECT currentRoles()', "['game_analyst']"],
  ])('%s is answered %s', async (sql, answer) => {
    expect(await ofMine(sql)).toEqual({ status: 200, text: `${answer}\n` });
  });

  it.each([
    "SELECT count() FROM events SETTINGS query_cache_tag = ''",
    "SELECT * FROM (SELECT event_name FROM events SETTINGS query_cache_tag = 'other')",
    "SELECT event_name FROM events SETTINGS additional_table_filters = ''",
    "SELECT event_name FROM system.settings, events SETTINGS query_cache_tag = ''",
    "SET query_cache_tag = ''",
    'SET ROLE service',
    "SELECT * FROM merge('default', 'events')",
    "SELECT * FROM remote('127.0.0.1', default.events)",
    "SELECT * FROM cluster('default', default.events)",
    "SELECT * FROM mergeTreeProjection('default', 'events', 'x')",
    "SELECT dictGet('d', 'a', 1)",
    "SELECT joinGet('events', 'event_name', 1)",
    'SELECT query FROM system.query_log',
    'SELECT query FROM system.processes',
    'SELECT * FROM system.parts',
    'SELECT * FROM system.parts_columns',
    'SELECT * FROM system.projections',
    "EXPLAIN indexes = 1 SELECT * FROM events WHERE game_id = 'other'",
    'EXPLAIN ESTIMATE SELECT * FROM events',
    'SELECT * FROM sink_positions',
    'SELECT * FROM schema_migrations',
    'SELECT email FROM players',
  ])('cannot run %s', async (sql) => {
    const { status, text } = await ofMine(sql);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).not.toContain(SECRET);
  });

  it.each(['query_cache_tag', 'additional_table_filters', 'role', 'readonly', 'database'])(
    'gets no more rows by %s in the URL',
    async (name) => {
      const { text } = await ofMine('SELECT count() FROM default.events', { [name]: '' });
      expect(text).toMatch(/^(2\n|Code: )/);
    },
  );

  it('reads every table and view that it may, and no row of another game in any', async () => {
    const { tables, views } = gameTables();
    const plain = views.filter(
      (name) => !['funnel', 'campaign_readout', 'experiment_readout', 'event_properties'].includes(name),
    );
    const body = ['mine', 'other'].map((game_id) => JSON.stringify({ game_id, environment: 'live' })).join('\n');
    for (const name of tables.filter((table) => table !== 'events')) {
      expect(await runSql(clickhouse, `INSERT INTO ${name} FORMAT JSONEachRow`, { body })).toMatchObject({
        status: 200,
      });
    }
    const faults: string[] = [];
    for (const name of [...tables, ...plain]) {
      const hidden = {
        players: 'email',
        player_snapshots: 'email, state',
        audit_entries: 'actor, network, before, after',
        definition_changes: 'actor',
      };
      const except = Object.entries(hidden).find(([table]) => table === name)?.[1];
      const { status, text } = await ofMine(
        `SELECT * ${except === undefined ? '' : `EXCEPT (${except})`} FROM ${name}`,
      );
      if (status !== 200 || text.includes(SECRET) || text.includes('other'))
        faults.push(`${name}: ${text.slice(0, 200)}`);
      // A row of 1970 is over in the audit.
      else if (tables.includes(name) && name !== 'audit_entries' && !text.includes('mine'))
        faults.push(`${name} has no row of the game`);
    }
    expect(faults).toEqual([]);
  });

  it('needs its token, and is out when it is removed', async () => {
    expect(await ofMine('SELECT 1', {}, 'wrong')).toMatchObject({ status: 403 });
    writeGameReaders(dataDir, []);
    expect(await ofMine('SELECT 1')).toMatchObject({ status: 403 });
  });

  it('is the only one who reads, besides the service, where tokens are required', async () => {
    const closed = await startClickhouse({ EMBEDDED_CLICKHOUSE_READERS: 'tokens' });
    const as = async (headers: Record<string, string>) =>
      (await fetch(`${closed.url}/?query=SELECT+1`, { headers })).status;
    expect(await as({})).toBe(403);
    expect(await as({ 'X-ClickHouse-User': 'default' })).toBe(403);
    const own = { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': readerPassword(closed.address.password) };
    expect(await as(own)).toBe(200);
    await closed.close();
  });

  it('changes nothing for the service and for readers of all games', async () => {
    expect(await rowsOf(clickhouse, 'SELECT count() AS n FROM events')).toEqual([{ n: 5 }]);
    expect((await runSql(clickhouse, 'SELECT count() FROM events', { as: 'reader' })).text).toBe('5\n');
  });
});
