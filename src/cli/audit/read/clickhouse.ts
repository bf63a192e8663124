import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { Addresses } from './addresses.ts';
import { AuditError } from '../audit-error.ts';

/** A number of 64 bits: some servers write it as text. */
export type Whole = number | string;

/** Values of `{name: Type}` in a statement. */
export type Parameters = Readonly<Record<string, string | number | readonly string[]>>;

/** Reads from ClickHouse. Rejects with an `AuditError` that holds its message. */
export interface ClickHouse {
  rows<R extends readonly unknown[]>(sql: string, parameters?: Parameters): Promise<R[]>;
  /** The same one by one: no answer is held as a whole. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it names the columns of the statement
  each<R extends readonly unknown[]>(sql: string, parameters: Parameters, take: (row: R) => void): Promise<void>;
}

/** A statement that answers nothing for this long has failed. */
const SILENCE_MS = 600_000;

export function openClickHouse({ url, user, password, database }: Addresses['clickhouse']): ClickHouse {
  async function send(sql: string, parameters: Parameters): Promise<Response> {
    const target = new URL(url);
    target.searchParams.set('database', database);
    target.searchParams.set('readonly', '1');
    for (const [name, value] of Object.entries(parameters)) target.searchParams.set(`param_${name}`, literal(value));
    const headers = { 'X-ClickHouse-User': user, 'X-ClickHouse-Key': password };
    const request = { method: 'POST', body: `${sql} FORMAT JSONCompactEachRow`, headers };
    const answer = await fetch(target, { ...request, signal: AbortSignal.timeout(SILENCE_MS) }).catch(
      (error: unknown) => {
        throw new AuditError(`ClickHouse at ${url} does not answer: ${String(error)}`);
      },
    );
    if (!answer.ok) throw new AuditError(`ClickHouse refused a statement: ${(await answer.text()).slice(0, 500)}`);
    return answer;
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it names the columns of the statement
  async function each<R extends readonly unknown[]>(
    sql: string,
    parameters: Parameters,
    take: (row: R) => void,
  ): Promise<void> {
    const { body } = await send(sql, parameters);
    if (body === null) return;
    const lines = createInterface({ input: Readable.fromWeb(body), crlfDelay: Infinity });
    for await (const line of lines) if (line !== '') take(parse<R>(line));
  }

  return {
    each,
    async rows<R extends readonly unknown[]>(sql: string, parameters: Parameters = {}) {
      const found: R[] = [];
      await each<R>(sql, parameters, (row) => void found.push(row));
      return found;
    },
  };
}

/** An error in the middle of an answer is plain text behind the rows. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it names the columns of the statement
function parse<R>(line: string): R {
  try {
    const row: R = JSON.parse(line);
    return row;
  } catch {
    throw new AuditError(`ClickHouse broke off an answer: ${line.slice(0, 500)}`);
  }
}

function literal(value: string | number | readonly string[]): string {
  if (typeof value === 'object') return `[${value.map((text) => `'${escaped(text)}'`).join(',')}]`;
  return String(value);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\']/g, String.raw`\$&`);
}
