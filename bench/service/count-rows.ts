import type { Endpoints } from '../../src/local/run-files.ts';

/** How long one count may take before it counts as failed. */
const TIMEOUT_MS = 30_000;

/** Tables whose rows are counted against what was acknowledged. */
export type CountedTable = 'events' | 'scores';

/** Rows of a table in ClickHouse, from its own bookkeeping: the count costs the engine next to nothing. */
export async function countRows(
  { url, user, password, database }: Endpoints['clickhouse'],
  table: CountedTable,
): Promise<number> {
  const target = new URL(url);
  target.searchParams.set('database', database);
  const response = await fetch(target, {
    method: 'POST',
    body: `SELECT count() FROM ${table}`,
    headers: { 'X-ClickHouse-User': user, 'X-ClickHouse-Key': password },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`ClickHouse did not count: ${text}`);
  return Number(text);
}
