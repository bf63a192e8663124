import { afterAll, beforeAll, expect, it } from 'vitest';
import { execSql, runSql, startClickhouse, type TestClickhouse } from '../../support/servers/clickhouse.ts';

let clickhouse: TestClickhouse;
beforeAll(async () => {
  clickhouse = await startClickhouse();
  for (let n = 0; n <= 1; n++) await replace(n);
});
afterAll(() => clickhouse.close());

/** A view, one that reads it, and one with a parameter, which has the name of one that readers may call. */
async function replace(n: number): Promise<void> {
  await execSql(clickhouse, `CREATE OR REPLACE VIEW own AS SELECT ${n} AS a`);
  await execSql(clickhouse, 'CREATE OR REPLACE VIEW above AS SELECT a FROM own');
  await execSql(clickhouse, `CREATE OR REPLACE VIEW funnel AS SELECT ${n} AS a WHERE {b: UInt8} = 1`);
}

it('readers find every view while views are replaced', { timeout: 60_000 }, async () => {
  const done = new AbortController();
  const failures: string[] = [];
  let reads = 0;
  const read = async (sql: string, as: 'reader' | 'service'): Promise<void> => {
    while (!done.signal.aborted) {
      const { status, text } = await runSql(clickhouse, sql, { as });
      reads += 1;
      if (status !== 200 || text.trim() !== '1') failures.push(`${sql}: ${text}`);
    }
  };
  const readers = (['reader', 'service'] as const).flatMap((as) =>
    ['own', 'above', 'funnel(b = 1)'].map((view) => read(`SELECT count() FROM ${view} FORMAT TSV`, as)),
  );
  for (let n = 0; n < 15; n++) await replace(n);
  done.abort();
  await Promise.all(readers);
  expect(failures).toEqual([]);
  expect(reads).toBeGreaterThan(15);
});

it('a view that is no more is unknown', async () => {
  await execSql(clickhouse, 'DROP VIEW own');
  const { status, text } = await runSql(clickhouse, 'SELECT count() FROM own', { as: 'reader' });
  expect([status, text]).toEqual([404, expect.stringContaining('UNKNOWN_TABLE')]);
});
