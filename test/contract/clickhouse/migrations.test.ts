import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate } from '../../../clickhouse-schema/migrations/migrate.ts';
import { statementsOf } from '../../../clickhouse-schema/schema-record.ts';
import { execSql, rowsOf, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* One database, which each test changes further. */

let clickhouse: TestClickhouse;
beforeAll(async () => {
  clickhouse = await startWithTables();
});
afterAll(() => clickhouse.close());

const again = () => migrate(clickhouse.address);
const exec = (sql: string) => execSql(clickhouse, sql);
const SYNC = 'SETTINGS mutations_sync = 2';
const tables = (database: string) =>
  rowsOf<{ name: string }>(clickhouse, `SELECT name FROM system.tables WHERE database = '${database}' ORDER BY name`);
const namesIn = async (database: string) => (await tables(database)).map(({ name }) => name);

it('apply each file and view once', async () => {
  expect(await again()).toEqual([]);
});

it('make a database that is missing', async () => {
  const names = await migrate({ ...clickhouse.address, database: 'made by migrate' });
  expect(names).toEqual(expect.arrayContaining(['0001_events', '0012_audit_entries', 'live_players']));
  expect(await namesIn('made by migrate')).toEqual(await namesIn('default'));
});

it('accept a file of a newer version', async () => {
  await exec("INSERT INTO schema_migrations (name, checksum) VALUES ('9999_of_a_newer_version', 'x')");
  expect(await again()).toEqual([]);
});

it('create a view again when its text changed, and drop one that no file has any more', async () => {
  await exec('CREATE OR REPLACE VIEW players AS SELECT 1 AS one');
  await exec(`ALTER TABLE schema_views UPDATE checksum = 'x' WHERE name = 'players' ${SYNC}`);
  await exec('CREATE VIEW retired AS SELECT 1 AS one');
  await exec("INSERT INTO schema_views (name, checksum) VALUES ('retired', 'x')");
  expect(await again()).toEqual(['players', 'retired']);
  expect(await namesIn('default')).not.toContain('retired');
  expect(await rowsOf(clickhouse, 'SELECT * FROM players')).toEqual([]);
  expect(await again()).toEqual([]);
});

it('create all views again after a new file of tables, so that they have its columns', async () => {
  await exec('ALTER TABLE events ADD COLUMN mood String');
  const columns = () =>
    rowsOf(clickhouse, "SELECT table FROM system.columns WHERE database = 'default' AND name = 'mood' ORDER BY table");
  expect(await columns()).toEqual([{ table: 'events' }]);
  await exec(`ALTER TABLE schema_migrations DELETE WHERE name = '0012_audit_entries' ${SYNC}`);
  expect(await again()).toEqual(expect.arrayContaining(['0012_audit_entries', 'identified_events']));
  const having = ['events', 'identified_events', 'live_events', 'live_identified_events'];
  expect(await columns()).toEqual(having.map((table) => ({ table })));
});

it('create all views again if the call after a new file of tables was interrupted', async () => {
  await exec('ALTER TABLE events ADD COLUMN tone String');
  await exec(`ALTER TABLE schema_migrations DELETE WHERE name = '0012_audit_entries' ${SYNC}`);
  await exec('RENAME TABLE player_days TO away');
  await expect(again()).rejects.toThrow('player_days');
  await exec('RENAME TABLE away TO player_days');
  await again();
  const having = await rowsOf(
    clickhouse,
    "SELECT table FROM system.columns WHERE database = 'default' AND name = 'tone' ORDER BY table",
  );
  expect(having.length).toBe(4);
  expect(await again()).toEqual([]);
});

it('refuse a file that has changed since it was applied, and change nothing', async () => {
  await exec(`ALTER TABLE schema_migrations UPDATE checksum = 'x' WHERE name = '0004_sessions_purchases' ${SYNC}`);
  await exec(`ALTER TABLE schema_migrations DELETE WHERE name = '0001_events' ${SYNC}`);
  await exec('DROP TABLE events');
  await expect(again()).rejects.toThrow(
    '0004_sessions_purchases.sql was changed after database "default" applied it. ' +
      'A table file never changes after a release: put the change in a new one.',
  );
  expect(await namesIn('default')).not.toContain('events');
});

it('refuse the tables of a version before 1.0.0, whose record had another engine', async () => {
  await exec('CREATE DATABASE before');
  await exec(
    `CREATE TABLE before.schema_migrations (name String, checksum String, applied_at DateTime64(3, 'UTC') DEFAULT now64(3))
      ENGINE = MergeTree ORDER BY name`,
  );
  await exec(
    "INSERT INTO before.schema_migrations (name, checksum) VALUES ('0002_players', 'x'), ('0009_campaigns', 'y')",
  );
  await expect(migrate({ ...clickhouse.address, database: 'before' })).rejects.toThrow(
    'Database "before" has the table file 0009_campaigns, which this version lacks. Data of versions before 1.0.0 ' +
      'cannot be kept: drop the database, or name another one with CLICKHOUSE_DATABASE; ' +
      'for `npm start`, set DATA_DIR to an empty folder.',
  );
  expect(await namesIn('before')).toEqual(['schema_migrations']);
});

it('split a file at semicolons that end a line, outside of comments', () => {
  const sql = "-- One; and two;\nSELECT 1;\n\n  -- three;\nSELECT ';',\n  -- four;\n  2;\n";
  expect(statementsOf(sql)).toEqual(['SELECT 1', "SELECT ';',\n  2"]);
});
