import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from '../../../core/kernel/clock.ts';
import type { Ids } from '../../../core/kernel/ids.ts';
import { ENGINE_LIMITS } from './limits.ts';
import { QUESTION_LIMITS } from '../../../clickhouse-schema/queries/questions/limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import { createConnectionSlots } from './connection-slots.ts';
import type { Engine } from './engine/engine.ts';
import { failureOf, RefusedRequest } from '../../../clickhouse-schema/queries/statements/exceptions.ts';
import {
  parseRequest,
  refuseForeignRequest,
  takeForm,
  type Readers,
  type ServiceAccount,
  type StatementRequest,
} from './parse-request.ts';
import { readBody } from './read-body.ts';
import { COMMON_HEADERS, runStatement } from './run-statement.ts';
import { parseTarget, type RequestTarget } from './request-target.ts';
import { createViewReplaces } from './view-replaces.ts';
import { decompressBlocks } from './wire/compressed-blocks.ts';
import { createStatementSlots } from '../../../clickhouse-schema/queries/statements/statement-slots.ts';

export interface HttpServerOptions {
  /** Undefined while the engine opens; statements are then answered 503. */
  engine: () => Engine | undefined;
  /** The default database. */
  database: string;
  /** Processes of the service. */
  processes: number;
  account: ServiceAccount;
  readers: Readers;
  /** Names that `Host` may have besides those of this machine, in lower case. */
  hosts: ReadonlySet<string>;
  clock: Clock;
  ids: Ids;
  logger: Logger;
}

/** Concurrent statements of all processes of the service: every process may have a statement of a route. */
export function serviceStatements(processes: number): number {
  const ofRoutes = processes * (ENGINE_LIMITS.analyticsStatementsOfMany + QUESTION_LIMITS.questionStatements);
  return Math.max(ENGINE_LIMITS.clickhouseServiceStatements, ENGINE_LIMITS.clickhouseOwnStatements + ofRoutes);
}

/** ClickHouse's HTTP interface over the embedded engine. The caller calls `listen`. */
export function createHttpServer(options: HttpServerOptions): Server {
  const slots = {
    analyst: createStatementSlots({
      places: ENGINE_LIMITS.clickhouseReaderStatements,
      waiting: ENGINE_LIMITS.clickhouseWaitingStatements,
      waitMs: ENGINE_LIMITS.clickhouseWaitMs,
      clock: options.clock,
    }),
    service: createStatementSlots({
      places: serviceStatements(options.processes),
      waiting: ENGINE_LIMITS.clickhouseWaitingStatements,
      waitMs: ENGINE_LIMITS.clickhouseWaitMs,
      clock: options.clock,
    }),
  };

  const connections = createConnectionSlots({
    most: ENGINE_LIMITS.clickhouseConnections,
    reserved:
      ENGINE_LIMITS.clickhouseServiceConnections + (options.processes - 1) * ENGINE_LIMITS.clickhouseProcessConnections,
  });

  const views = createViewReplaces();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = parseTarget(request.url ?? '/');
    const engine = options.engine();
    try {
      refuseForeignRequest(request, target.search, options.hosts);
    } catch (error) {
      refuse(options, request, response, error);
      return;
    }
    if (target.path === '/ping' || target.path === '/replicas_status' || isBareGet(request, target)) {
      await ping(engine, response);
      return;
    }
    try {
      if (engine === undefined) throw new RefusedRequest('ABORTED', 'The engine is starting', 503);
      if (target.path !== '/') throw new RefusedRequest('BAD_ARGUMENTS', 'The only path for statements is /', 404);
      if (request.method !== 'GET' && request.method !== 'POST' && request.method !== 'HEAD') {
        throw new RefusedRequest('BAD_ARGUMENTS', 'Only GET and POST are supported', 405);
      }
      await take(engine, request, response, parseRequest(request, target.search, options.account, options.readers));
    } catch (error) {
      refuse(options, request, response, error);
    }
  }

  async function take(
    engine: Engine,
    request: IncomingMessage,
    response: ServerResponse,
    statement: StatementRequest,
  ): Promise<void> {
    const service = statement.caller === 'service';
    if (service) connections.reserve(request.socket);
    const maxBytes = service ? ENGINE_LIMITS.clickhouseBodyBytes : ENGINE_LIMITS.clickhouseQueryBytes;
    const sent = request.method === 'POST' ? await readBody(request, maxBytes) : Buffer.alloc(0);
    const body = takeForm(request, statement, statement.decompress ? decompressBlocks(sent, maxBytes) : sent);
    response.once('close', connections.hold(request.socket));
    // A statement of the service may send nothing for a long time: a migration rewrites tables.
    if (service) request.socket.setTimeout(0);
    const release = await slots[statement.caller].take();
    try {
      await runStatement({ ...options, engine, views }, statement, body, response);
    } finally {
      release();
      if (service) request.socket.setTimeout(ENGINE_LIMITS.clickhouseIdleMs);
    }
  }

  const settings = { maxHeaderSize: MAX_HEADER_BYTES, noDelay: true, connectionsCheckingInterval: 1_000 };
  const server = createServer(settings, (request, response) => {
    // An exception while handling a request must not end the process.
    handle(request, response).catch((error: unknown) => {
      options.logger.error({ err: error }, 'handling a request failed');
      response.destroy();
    });
  });
  server.on('connection', (socket) => connections.add(socket));
  server.setTimeout(ENGINE_LIMITS.clickhouseIdleMs);
  server.headersTimeout = ENGINE_LIMITS.clickhouseHeadersMs;
  server.requestTimeout = ENGINE_LIMITS.clickhouseRequestMs;
  server.keepAliveTimeout = ENGINE_LIMITS.clickhouseKeepAliveMs;
  return server;
}

/** Statements may be in the request line. */
const MAX_HEADER_BYTES = 1024 * 1024;
/** Says whether statements are answered: an engine that hangs does not answer this either. */
async function ping(engine: Engine | undefined, response: ServerResponse): Promise<void> {
  const text = engine === undefined ? 'Starting.\n' : await engine.answer().then(() => 'Ok.\n', String);
  response.writeHead(text === 'Ok.\n' ? 200 : 503, {
    ...COMMON_HEADERS,
    'Content-Type': 'text/plain; charset=UTF-8',
  });
  response.end(text);
}

function refuse(
  options: Pick<HttpServerOptions, 'engine' | 'logger'>,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  const failure = failureOf(error, options.engine()?.version ?? '');
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  if (failure.status >= 500 && failure.code === 1001)
    options.logger.warn({ err: error }, 'a statement failed unexpectedly');
  response.writeHead(failure.status, {
    ...COMMON_HEADERS,
    'Content-Type': 'text/plain; charset=UTF-8',
    'X-ClickHouse-Exception-Code': String(failure.code),
    // Does not wait for the rest of a refused body.
    ...(request.complete ? {} : { Connection: 'close' }),
  });
  response.end(failure.text);
}

function isBareGet(request: IncomingMessage, target: RequestTarget): boolean {
  return request.method === 'GET' && target.path === '/' && !target.search.has('query');
}
