import type { ServerResponse } from 'node:http';
import type { Ids } from '../../../core/kernel/ids.ts';
import { answer } from './answer.ts';
import type { Engine } from './engine/engine.ts';
import { planStatement, type StatementPlan } from './engine/plan-statement.ts';
import { ENGINE_LIMITS } from './limits.ts';
import type { StatementRequest } from './parse-request.ts';
import { isReplace, type ViewReplaces } from './view-replaces.ts';

export const COMMON_HEADERS = {
  'X-ClickHouse-Server-Display-Name': 'embedded',
  'X-ClickHouse-Timezone': 'UTC',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** ClickHouse's default of `max_insert_block_size`. */
const DEFAULT_INSERT_BLOCK_ROWS = '1048449';

export interface RunOptions {
  engine: Engine;
  ids: Ids;
  /** The service's database; the default one of statements. */
  database: string;
  views: ViewReplaces;
}

/** Runs a statement and answers with its result. */
export async function runStatement(
  options: RunOptions,
  statement: StatementRequest,
  body: Buffer,
  response: ServerResponse,
): Promise<void> {
  const { engine, database, views } = options;
  const currentDatabase = statement.database ?? database;
  const plan = await planStatement(engine, { ...statement, body, ownDatabase: database, currentDatabase });
  const run = async () => {
    if (!response.destroyed) await runPlan(options, statement, plan, currentDatabase, response);
  };
  if (plan.kind === 'insert') await run();
  else if (isReplace(plan.sql)) await views.replace(run);
  else await views.read(run);
}

/** Runs a plan on a connection of its own. */
async function runPlan(
  { engine, ids }: RunOptions,
  statement: StatementRequest,
  plan: StatementPlan,
  currentDatabase: string,
  response: ServerResponse,
): Promise<void> {
  const settings = new Map([...statement.settings, ...plan.settings]);
  // The engine reads a file in blocks of this many rows. As inline data, each makes a part of its own.
  if (plan.kind === 'insert' && plan.binary) {
    settings.set('max_block_size', settings.get('max_insert_block_size') ?? DEFAULT_INSERT_BLOCK_ROWS);
  }
  const whole = plan.kind === 'query' && plan.format.headerLines === undefined;
  const connect = () =>
    engine.connect({
      caller: statement.caller,
      game: statement.game,
      database: currentDatabase,
      settings: statement.caller === 'analyst' && whole ? bounded(settings) : settings,
      parameters: statement.parameters,
      showsSettings: plan.kind === 'query' && plan.showsSettings,
    });
  const connection = await connect();
  // An insert whose client disconnected may finish: it is one block, which is inserted completely or not at all.
  const onClose = () => {
    if (plan.kind === 'query' && !response.writableFinished) connection.cancel();
  };
  response.once('close', onClose);
  try {
    const queryId = (statement.queryId ?? ids.uuidv4()).slice(0, 200);
    const headers = { 'X-ClickHouse-Query-Id': queryId.replaceAll(/[^\x20-\x7e]/g, '?'), ...COMMON_HEADERS };
    await answer(plan, connection, { response, version: engine.version, ...statement, headers, connect });
  } finally {
    response.off('close', onClose);
    connection.close();
  }
}

/** Limits a reader's result that is buffered as a whole, before it fills this process's memory. */
function bounded(settings: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const requested = Number(settings.get('max_result_bytes') ?? 0);
  const bound =
    requested > 0
      ? Math.min(requested, ENGINE_LIMITS.clickhouseBufferedResultBytes)
      : ENGINE_LIMITS.clickhouseBufferedResultBytes;
  return new Map([...settings, ['max_result_bytes', String(bound)]]);
}
