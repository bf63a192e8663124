import { array, assert as assertProperty, asyncProperty, tuple } from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { typeName, type Value } from '../../../../clickhouse-schema/rows/column-types.ts';
import { createRowBatch } from '../../../../clickhouse-schema/rows/row-batch.ts';
import { TABLE_NAMES, TABLES, type TableName } from '../../../../clickhouse-schema/rows/tables/tables.ts';
import { createClickhouseTarget, type BlockTarget } from '../../../../streams/sinks/clickhouse/block-target.ts';
import { rowsOf, runSql, type TestClickhouse } from '../../../support/servers/clickhouse.ts';
import { startWithTables } from '../../../support/wire/made-tables.ts';
import { anyValue } from '../../../support/wire/row-values.ts';
import { lineOf } from '../../../support/wire/tab-separated.ts';

/* The sink's blocks, beside the same rows as text, in every table of the real engine. */

let clickhouse: TestClickhouse;
let target: BlockTarget;
beforeAll(async () => {
  clickhouse = await startWithTables();
  target = createClickhouseTarget(clickhouse.address);
  // Rows with any time must stay: the engine removes those that are past a table's TTL by its own clock.
  for (const { name } of await tablesWithTtl())
    await statement(`ALTER TABLE ${name} MODIFY TTL received_at + INTERVAL 50 YEAR`);
  for (const table of TABLE_NAMES) await statement(`CREATE TABLE ${table}_as_text AS ${table}`);
});
afterAll(async () => {
  await target.close();
  await clickhouse.close();
});

async function statement(sql: string, body?: Buffer): Promise<string> {
  const { status, text } = await runSql(clickhouse, sql, body === undefined ? {} : { body });
  if (status !== 200) throw new Error(text);
  return text;
}

function tablesWithTtl() {
  return rowsOf<{ name: string }>(
    clickhouse,
    `SELECT name FROM system.tables WHERE database = currentDatabase() AND position(engine_full, ' TTL ') > 0`,
  );
}

const RECEIVED_MS = Date.UTC(2026, 0, 15, 12);
/** Columns whose default is not the zero of their type. Every row has a value for them. */
const WITH_DEFAULT = ['source', 'counts', 'computed'];
/** Columns for which not every value of their type is valid. */
const FIXED: Readonly<Record<string, Value>> = { received_at: RECEIVED_MS, exited: 1 };

/** Rows of a table with any values, all of one month. */
function anyRows(table: TableName) {
  const { columns, types } = TABLES[table];
  const row = tuple(
    ...types.map((type, at) => anyValue(type, { missing: !WITH_DEFAULT.includes(columns[at] ?? '') })),
  ).map((values): Value[] => values.map((value, at) => FIXED[columns[at] ?? ''] ?? value));
  return array(row, { minLength: 1, maxLength: 20 });
}

let inserts = 0;

it.each(TABLE_NAMES)('`%s` holds what the same rows as text make, whatever the values', async (table) => {
  const { columns, types } = TABLES[table];
  // Without columns that the engine fills, such as the time of the insert.
  const content = (name: string) =>
    statement(`SELECT ${columns.join(', ')} FROM ${name} ORDER BY ALL FORMAT TabSeparated`);
  await assertProperty(
    asyncProperty(anyRows(table), async (rows) => {
      inserts += 1;
      await statement(`TRUNCATE TABLE ${table}`);
      await statement(`TRUNCATE TABLE ${table}_as_text`);
      const batch = createRowBatch();
      batch.addRows(rows.map((values) => [table, values, RECEIVED_MS]));
      const [block] = batch.blocks();
      const outcome = await target.insert(table, block?.bytes ?? new Uint8Array(), `${table}/${inserts}`);
      expect(outcome).toEqual({ kind: 'inserted' });
      const lines = Buffer.from(rows.map((values) => `${lineOf(types, values)}\n`).join(''));
      await statement(`INSERT INTO ${table}_as_text (${columns.join(', ')}) FORMAT TabSeparated`, lines);
      const found = await content(table);
      expect(found).not.toBe('');
      expect(found).toBe(await content(`${table}_as_text`));
    }),
    { numRuns: 5, endOnFailure: true },
  );
});

it('the columns of every table have the types that the engine has, apart from LowCardinality', async () => {
  for (const table of TABLE_NAMES) {
    const { columns, types } = TABLES[table];
    const found = await rowsOf<{ name: string; type: string }>(
      clickhouse,
      `SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = '${table}'`,
    );
    const typeOf = new Map(found.map(({ name, type }) => [name, type.replace(/^LowCardinality\((.*)\)$/, '$1')]));
    expect(types.map(typeName), table).toEqual(columns.map((name) => typeOf.get(name)));
  }
});
