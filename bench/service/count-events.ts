import type { Endpoints } from '../../src/local/run-files.ts';

/** How long one count may take before it counts as failed. */
const TIMEOUT_MS = 30_000;

/** Rows in ClickHouse's `events`, from its own bookkeeping: the count costs the engine next to nothing. */
export async function countEvents({ url, user, password, database }: Endpoints['clickhouse']): Promise<number> {
  const target = new URL(url);
  target.searchParams.set('database', database);
  const response = await fetch(target, {
    method: 'POST',
    body: 'SELECT count() FROM events',
    headers: { 'X-ClickHouse-User': user, 'X-ClickHouse-Key': password },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`ClickHouse did not count: ${text}`);
  return Number(text);
}
