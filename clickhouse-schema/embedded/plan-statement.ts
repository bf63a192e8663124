import { LIMITS } from '../../src/kernel/limits.ts';
import type { Caller, Engine } from './engine.ts';
import { RefusedRequest } from './exceptions.ts';
import { STATEMENT_CLASS } from './native-engine.ts';
import { refusedName } from './read-only-gate.ts';
import { resultFormat, type ResultFormat } from './result-format.ts';

/** What to do for one request: insert the body as data, or run a text and answer its result. */
export type StatementPlan =
  | { kind: 'insert'; sql: string; data: Buffer }
  | { kind: 'query'; sql: string; format: ResultFormat; select: boolean };

export interface PlanInput {
  caller: Caller;
  /** The `query` parameter of the URL. */
  query: string;
  body: Buffer;
  defaultFormat: string;
  parameters: ReadonlyMap<string, string>;
}

/**
 * Decides what a request runs, and whether its caller may. A reader's statement must be exactly one that ClickHouse's own
 * parser calls read-only: SET, USE, KILL, INTO OUTFILE and several statements in one text never reach its connection.
 */
export async function planStatement(engine: Engine, input: PlanInput): Promise<StatementPlan> {
  if (input.query !== '' && input.body.length > 0 && /^\s*INSERT\s/i.test(input.query)) {
    await check(engine, input, input.query);
    if (/\binput\s*\(/i.test(input.query)) {
      throw new RefusedRequest('UNSUPPORTED_METHOD', 'INSERT … SELECT FROM input() is not supported here');
    }
    return { kind: 'insert', sql: input.query, data: input.body };
  }
  const text = decode(input.body);
  const sql = input.query !== '' && text !== '' ? `${input.query}\n${text}` : input.query + text;
  await check(engine, input, sql);
  const select = /^[\s(]*(SELECT|WITH|FROM)\b/i.test(sql);
  return { kind: 'query', sql, format: resultFormat(sql, input.defaultFormat), select };
}

async function check(engine: Engine, input: PlanInput, sql: string): Promise<void> {
  if (sql.trim() === '') throw new RefusedRequest('SYNTAX_ERROR', 'Empty query');
  if (sql.includes('\0')) throw new RefusedRequest('SYNTAX_ERROR', 'A statement cannot hold a NUL character');
  const analyst = input.caller === 'analyst';
  if (analyst && Buffer.byteLength(sql) > LIMITS.clickhouseQueryBytes) {
    throw new RefusedRequest('QUERY_IS_TOO_LARGE', `A statement is at most ${LIMITS.clickhouseQueryBytes} bytes`);
  }
  const why = analyst ? refusedName(sql, input.parameters) : undefined;
  if (why !== undefined) throw new RefusedRequest('READONLY', why);
  const { statementCount, queryClass } = await engine.classify(sql);
  if (statementCount > 1) throw new RefusedRequest('SYNTAX_ERROR', 'Multi-statements are not allowed');
  if (!analyst) return;
  if (queryClass === STATEMENT_CLASS.unknown) {
    throw new RefusedRequest('SYNTAX_ERROR', 'ClickHouse cannot parse this statement');
  }
  if (statementCount !== 1 || queryClass !== STATEMENT_CLASS.readOnly) {
    throw new RefusedRequest('READONLY', 'default: Cannot execute query in readonly mode');
  }
}

function decode(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new RefusedRequest(
      'BAD_ARGUMENTS',
      'The statement is not valid UTF-8; binary data needs its INSERT in the URL',
    );
  }
}
