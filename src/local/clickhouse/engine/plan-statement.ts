import { ENGINE_LIMITS } from '../limits.ts';
import { approveStatement, type ApprovedStatement } from '../../../sql-gate/approve-statement.ts';
import { checkFormat } from '../../../sql-gate/check-clauses.ts';
import type { Caller } from '../../../sql-gate/caller.ts';
import type { Engine, InsertStatement } from './engine.ts';
import { RefusedRequest } from '../../../../clickhouse-schema/queries/statements/exceptions.ts';
import { STATEMENT_CLASS } from './native-engine.ts';
import { BINARY_FORMATS } from '../../../sql-gate/reviewed-names.ts';
import { resultFormat, type ResultFormat } from '../result-format.ts';

/** The work for one request: insert the body as data, or run a statement and return its result. */
export type StatementPlan =
  | ({ kind: 'insert'; settings: ReadonlyMap<string, string> } & InsertStatement)
  | {
      kind: 'query';
      sql: string;
      format: ResultFormat;
      select: boolean;
      showsSettings: boolean;
      settings: ReadonlyMap<string, string>;
    };

export interface PlanInput {
  caller: Caller;
  game: string | undefined;
  /** The `query` parameter of the URL. */
  query: string;
  body: Buffer;
  defaultFormat: string;
  parameters: ReadonlyMap<string, string>;
  /** The service's database, and the database of this request. */
  ownDatabase: string;
  currentDatabase: string;
}

/**
 * Decides what a request runs and whether its caller may run it. `approveStatement` decides first, without the engine.
 * Then the engine's parser must confirm that it is one statement and that a reader's statement only reads.
 */
export async function planStatement(engine: Engine, input: PlanInput): Promise<StatementPlan> {
  checkFormat(input.defaultFormat);
  if (input.query !== '' && input.body.length > 0 && input.query.trimStart().slice(0, 6).toLowerCase() === 'insert') {
    const { insert, settings, format, hasData } = await approve(engine, input, input.query);
    if (insert === undefined || format === undefined || hasData) {
      throw new RefusedRequest(
        'SYNTAX_ERROR',
        'An INSERT whose data is the body has a table, columns, SETTINGS, and FORMAT with the name of a format',
      );
    }
    return { kind: 'insert', ...insert, data: input.body, binary: BINARY_FORMATS.has(format.toLowerCase()), settings };
  }
  const text = decode(input.body);
  const approved = await approve(
    engine,
    input,
    input.query !== '' && text !== '' ? `${input.query}\n${text}` : input.query + text,
  );
  const { sql, settings } = approved;
  return {
    kind: 'query',
    sql,
    format: resultFormat(approved, input.defaultFormat),
    select: approved.kind === 'select',
    showsSettings: approved.showsSettings,
    settings,
  };
}

async function approve(engine: Engine, input: PlanInput, sql: string): Promise<ApprovedStatement> {
  const analyst = input.caller === 'analyst';
  if (analyst && Buffer.byteLength(sql) > ENGINE_LIMITS.clickhouseQueryBytes) {
    throw new RefusedRequest(
      'QUERY_IS_TOO_LARGE',
      `A statement is at most ${ENGINE_LIMITS.clickhouseQueryBytes} bytes`,
    );
  }
  const approved = approveStatement({
    caller: input.caller,
    isOfGame: input.game !== undefined,
    sql,
    parameters: input.parameters,
    database: input.ownDatabase,
    currentDatabase: input.currentDatabase,
  });
  const { statementCount, queryClass } = await engine.classify(approved.sql);
  if (statementCount > 1) throw new RefusedRequest('SYNTAX_ERROR', 'Multi-statements are not allowed');
  if (!analyst) return approved;
  if (queryClass === STATEMENT_CLASS.unknown) {
    throw new RefusedRequest('SYNTAX_ERROR', 'ClickHouse cannot parse this statement');
  }
  if (statementCount !== 1 || queryClass !== STATEMENT_CLASS.readOnly) {
    throw new RefusedRequest('READONLY', 'default: Cannot execute query in readonly mode');
  }
  return approved;
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
