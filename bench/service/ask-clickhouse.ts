import type { Endpoints } from '../../src/local/run-files.ts';

/** How long one question may take before it counts as failed. */
const TIMEOUT_MS = 30_000;

/** Asks ClickHouse over HTTP, as the account that may write. @returns its answer as text; throws when it refuses */
export async function askClickhouse(
  { url, user, password, database }: Endpoints['clickhouse'],
  sql: string,
): Promise<string> {
  const target = new URL(url);
  target.searchParams.set('database', database);
  const response = await fetch(target, {
    method: 'POST',
    body: sql,
    headers: { 'X-ClickHouse-User': user, 'X-ClickHouse-Key': password },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`ClickHouse did not answer: ${text}`);
  return text;
}
