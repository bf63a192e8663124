import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import type { Clock } from '../../../../core/kernel/clock.ts';
import type { Adjustable } from '../../../../core/kernel/adjustable.ts';
import { EVENT_QUERY_LIMITS } from '../../../../clickhouse-schema/queries/events/limits.ts';
import { SQL_LIMITS } from './limits.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import type { ClickhouseAddress } from '../../../../clickhouse-schema/clickhouse-address.ts';
import { approveStatement } from '../../../sql-gate/approve-statement.ts';
import { RefusedRequest } from '../../../../clickhouse-schema/queries/statements/exceptions.ts';
import {
  createStatementSlots,
  type StatementSlots,
} from '../../../../clickhouse-schema/queries/statements/statement-slots.ts';
import { openClient } from '../../../../clickhouse-schema/open-client.ts';
import { TRANSIENT_CODES } from '../../../../clickhouse-schema/transient-codes.ts';
import { exceededBound } from '../../../../clickhouse-schema/queries/questions/statement-of.ts';

/*
 * Statements that people write in the console.
 *
 * Invariants
 * 1. A statement runs as the reader's account, never as the service's. Without such an account none runs.
 * 2. It passes the allow-list of the embedded engine first, whatever ClickHouse it is for: one statement that reads,
 *    whose functions and table functions touch no file and no network.
 * 3. One statement of a user runs at a time, so that others get a place.
 * 4. Its time, memory, threads, rows and bytes are bounded, and it ends when its caller is gone.
 */

export interface SqlReader {
  /** Rejects only for a bug. @param caller whose statement it is, and when the caller is gone */
  run(statement: string, caller: { user: string; signal: AbortSignal }): Promise<SqlResult>;
  close(): Promise<void>;
}

export type SqlResult =
  | SqlRows
  /** It is wrong or not allowed; `message` says why, in ClickHouse's words. */
  | { kind: 'refused'; message: string }
  | { kind: 'too_large'; bound: 'time' | 'rows' | 'memory' | 'result' }
  /** Too many statements are running. */
  | { kind: 'busy' }
  /** This user has as many statements as a user may have. */
  | { kind: 'share' }
  | { kind: 'unavailable' }
  /** No account for readers is configured. */
  | { kind: 'off' };

export interface SqlRows {
  kind: 'rows';
  columns: readonly { name: string; type: string }[];
  /** Rows as JSON arrays in text form; integers of 64 bits are texts in them. */
  rows: readonly string[];
  /** Whether there were more rows than are given. */
  truncated: boolean;
}

export interface SqlReaderOptions {
  /** With the account of readers; undefined: there is none. */
  address: ClickhouseAddress | undefined;
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
  limits?: Adjustable<
    typeof SQL_LIMITS,
    'sqlRows' | 'sqlResultBytes' | 'sqlSeconds' | 'sqlStatements' | 'sqlWaiting' | 'sqlWaitMs' | 'sqlOfUser'
  >;
}

/** Connects at the first statement. */
export function createSqlReader({ address, clock, logger, limits = SQL_LIMITS }: SqlReaderOptions): SqlReader {
  const client = address === undefined ? undefined : openClient(address, 'console', SQL_LIMITS.sqlRequestMs);
  const ofUser = new Map<string, { statements: number; slots: StatementSlots }>();
  const slots = createStatementSlots({
    places: limits.sqlStatements,
    waiting: limits.sqlWaiting,
    waitMs: limits.sqlWaitMs,
    clock,
  });

  /** The statements of a user, which wait for each other. */
  function enter(user: string): { slots: StatementSlots; leave: () => void } | undefined {
    const own = ofUser.get(user) ?? {
      statements: 0,
      slots: createStatementSlots({
        places: 1,
        waiting: limits.sqlOfUser,
        waitMs: limits.sqlWaitMs,
        clock,
      }),
    };
    if (own.statements >= limits.sqlOfUser) return undefined;
    own.statements += 1;
    ofUser.set(user, own);
    const leave = (): void => {
      own.statements -= 1;
      if (own.statements === 0) ofUser.delete(user);
    };
    return { slots: own.slots, leave };
  }

  async function runApproved(ofClient: ClickHouseClient, sql: string, signal: AbortSignal): Promise<SqlResult> {
    // Ends the statement when enough was read.
    const enough = new AbortController();
    try {
      const result = await ofClient.query({
        query: sql,
        format: 'JSONCompactEachRowWithNamesAndTypes',
        clickhouse_settings: {
          max_execution_time: limits.sqlSeconds,
          max_memory_usage: String(SQL_LIMITS.sqlMemoryBytes),
          max_result_bytes: String(SQL_LIMITS.sqlSentBytes),
          max_threads: EVENT_QUERY_LIMITS.clickhouseReaderThreads,
          output_format_json_quote_64bit_integers: 1,
          output_format_json_quote_denormals: 1,
          output_format_json_quote_decimals: 1,
        },
        abort_signal: AbortSignal.any([signal, enough.signal]),
      });
      return await readRows(result.stream(), limits);
    } finally {
      enough.abort();
    }
  }

  return {
    async run(statement, { user, signal }) {
      if (client === undefined || address === undefined) return { kind: 'off' };
      const approved = approve(statement, address.database);
      if (approved.kind === 'refused') return approved;
      const own = enter(user);
      if (own === undefined) return { kind: 'share' };
      let releaseOwn = () => {};
      let release = () => {};
      try {
        const turn = await own.slots.take().catch(() => undefined);
        if (turn === undefined) return { kind: 'share' };
        releaseOwn = turn;
        if (signal.aborted) return { kind: 'unavailable' };
        release = await slots.take();
        if (signal.aborted) return { kind: 'unavailable' };
        return await runApproved(client, approved.sql, signal);
      } catch (error) {
        return failureOf(error, signal, logger);
      } finally {
        release();
        releaseOwn();
        own.leave();
      }
    },
    close: async () => client?.close(),
  };
}

function approve(
  statement: string,
  database: string,
): { kind: 'approved'; sql: string } | { kind: 'refused'; message: string } {
  try {
    const approved = approveStatement({
      caller: 'analyst',
      sql: statement,
      parameters: new Map(),
      database,
      currentDatabase: database,
    });
    if (approved.format !== undefined) return { kind: 'refused', message: 'Leave out FORMAT; the answer is rows.' };
    return { kind: 'approved', sql: approved.sql };
  } catch (error) {
    if (error instanceof RefusedRequest) return { kind: 'refused', message: error.message };
    throw error;
  }
}

/** @param batches rows of JSONCompactEachRowWithNamesAndTypes: first the names, then the types */
async function readRows(
  batches: AsyncIterable<readonly { text: string }[]>,
  limits: Adjustable<typeof SQL_LIMITS, 'sqlRows' | 'sqlResultBytes'>,
): Promise<SqlResult> {
  const lines: string[] = [];
  let bytes = 0;
  let truncated = false;
  reading: for await (const batch of batches) {
    for (const { text } of batch) {
      if (lines.length === limits.sqlRows + HEAD_LINES) {
        truncated = true;
        break reading;
      }
      bytes += Buffer.byteLength(text);
      // One row of an array can be as long as the memory of a statement.
      if (bytes > limits.sqlResultBytes) return { kind: 'too_large', bound: 'result' };
      lines.push(text);
    }
  }
  const [names = '[]', types = '[]', ...rows] = lines;
  const typeOf = textsOf(types);
  return {
    kind: 'rows',
    columns: textsOf(names).map((name, place) => ({ name, type: typeOf[place] ?? '' })),
    rows,
    truncated,
  };
}

const HEAD_LINES = 2;

function textsOf(line: string): string[] {
  const parsed: unknown = JSON.parse(line);
  return Array.isArray(parsed) ? parsed.map(String) : [];
}

function failureOf(error: unknown, signal: AbortSignal, logger: Pick<Logger, 'warn'>): SqlResult {
  if (signal.aborted) return { kind: 'unavailable' };
  if (error instanceof RefusedRequest) return { kind: 'busy' };
  if (error instanceof ClickHouseError) {
    const code = Number(error.code);
    const bound = code === TOO_LARGE_RESULT ? 'result' : exceededBound(code, error.message);
    if (bound !== undefined) return { kind: 'too_large', bound };
    if (code === TOO_MANY_STATEMENTS) return { kind: 'busy' };
    if (!TRANSIENT_CODES.has(code))
      return { kind: 'refused', message: error.message.slice(0, SQL_LIMITS.sqlFaultLength) };
  }
  logger.warn({ err: error }, 'ClickHouse did not answer a statement of the console');
  return { kind: 'unavailable' };
}

const TOO_MANY_STATEMENTS = 202;
const TOO_LARGE_RESULT = 396;
