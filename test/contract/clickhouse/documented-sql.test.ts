import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf, codeIn, rowsOf, rowsUnder, userPages } from '../../support/documentation.ts';
import { rowsOf as rowsOfSql, runSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* What the pages say of tables and views, on an engine without rows; test/long runs their examples over data. */

let clickhouse: TestClickhouse;
beforeAll(async () => {
  clickhouse = await startWithTables();
});
afterAll(() => clickhouse.close());

const statements = userPages()
  .flatMap(blocksOf)
  .filter(({ info }) => info === 'sql');

test.each(statements)('the statement of $page:$line runs as a reader', async ({ text }) => {
  const answer = await runSql(clickhouse, text, { as: 'reader', search: { default_format: 'TSVWithNames' } });
  expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
});

test('docs/analytics.md lists every table and view with every column and its type', async () => {
  const columns = await rowsOfSql<{ table: string; name: string; type: string }>(
    clickhouse,
    "SELECT table, name, type FROM system.columns WHERE database = 'default' ORDER BY table, position",
  );
  const plain = (type: string) =>
    type.replaceAll(/LowCardinality\(((?:[^()]|\([^()]*\))*)\)/g, '$1').replaceAll("(3, 'UTC')", '');
  const tables = rowsOf('docs/analytics.md').flatMap(({ heading, cells }) => {
    const table = /^`(\w+)`$/.exec(heading)?.[1];
    const [name, type] = cells.map((cell) => cell.replaceAll('`', ''));
    return table === undefined ? [] : [{ table, name: name ?? '', type }];
  });
  // A live view has the columns of its table but for those that it leaves out.
  const live = rowsUnder('docs/analytics.md', 'Live views').flatMap(([view, of, leavesOut]) =>
    tables
      .filter(({ table, name }) => table === codeIn(of)[0] && !codeIn(leavesOut).includes(name))
      .map((column) => ({ ...column, table: codeIn(view)[0] })),
  );
  const documented = [...tables, ...live].map(({ table, name, type }) => `${table}.${name}: ${type}`);
  const actual = columns.map(({ table, name, type }) => `${table}.${name}: ${plain(type)}`);
  expect(documented.toSorted()).toEqual(actual.toSorted());
});
