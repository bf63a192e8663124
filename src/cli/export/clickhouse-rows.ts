import type { ClickhouseAddress } from '../../../clickhouse-schema/clickhouse-address.ts';
import { CliError } from '../cli-error.ts';
import { fetchClickhouse } from '../fetch-clickhouse.ts';

/** The bytes of a query's result as they arrive. Fails if the result is cut off. */
export type QueryRows = (query: string, format: string) => AsyncIterable<Uint8Array>;

/** Queries the deployment's ClickHouse, which may change nothing. */
export function queryRows(address: ClickhouseAddress): QueryRows {
  const { url, database } = address;
  return async function* rows(query, format) {
    const target = new URL(url);
    target.searchParams.set('database', database);
    target.searchParams.set('default_format', format);
    target.searchParams.set('readonly', '1');
    let response: Awaited<ReturnType<typeof fetchClickhouse>>;
    try {
      response = await fetchClickhouse(address, target, query);
    } catch (error) {
      throw new CliError(`Could not connect to ClickHouse at ${url}: ${reasonOf(error)}`);
    }
    if (!response.ok) throw new CliError((await response.text()).trim());
    try {
      for await (const chunk of response.body ?? []) yield chunk;
    } catch (error) {
      throw new CliError(`ClickHouse ended the result early: ${reasonOf(error)}`);
    }
  };
}

/** All rows of a small result. */
export async function smallResult(query: QueryRows, statement: string): Promise<string[][]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of query(statement, 'TabSeparated')) chunks.push(chunk);
  const lines = Buffer.concat(chunks).toString('utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => line.split('\t'));
}

/** A text as a literal of SQL. */
export function literal(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
