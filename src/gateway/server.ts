import { us_listen_socket_close, us_socket_local_port, type TemplatedApp, type us_listen_socket } from 'uWebSockets.js';
import type { Tier } from '../../core/vocabulary/documents/documents.ts';
import { createAuditTrail } from '../../streams/audit/audit-trail.ts';
import type { LiveFeed } from '../../streams/live-feed.ts';
import type { Route } from '../api/route/route.ts';
import { operationRoutes } from '../api/routes.ts';
import type { Config } from '../settings/config.ts';
import { createEventSchemas } from '../event-schemas/event-schemas.ts';
import { sleep, within } from '../../core/kernel/clock.ts';
import { FLAG_API_LIMITS } from '../api/flags/limits.ts';
import { GATEWAY_LIMITS } from './limits.ts';
import { SHARED_LIMITS } from '../../core/kernel/limits.ts';
import { STREAM_API_LIMITS } from '../api/stream/limits.ts';
import type { ApiMetrics } from '../api/metrics.ts';
import type { ChangesMetrics } from './sse/metrics.ts';
import type { HttpMetrics } from './http/metrics.ts';
import type { ProcessMetrics } from '../../core/kernel/metrics/process-metrics.ts';
import { createApp } from './app.ts';
import { createAuditedRequests } from './access/audited-request.ts';
import { createCallerAddresses } from '../../core/kernel/caller-address.ts';
import { createCors } from './http/cors.ts';
import { createExchanges } from './http/exchanges.ts';
import type { ConsoleFiles } from './console-files.ts';
import { createConsoleSessions } from './access/console/console-session.ts';
import { endLostSessions } from './access/console/end-lost-sessions.ts';
import { createKeyRing } from './access/keys/key-ring.ts';
import { createPlayerTokens } from './access/keys/player-tokens.ts';
import { startRateExchange } from './access/limits/rate-exchange.ts';
import { createRateLimiter } from './access/limits/rate-limiter.ts';
import { createBodyReader } from './http/read/request-body.ts';
import type { PipelineDeps } from './steps/call.ts';
import { createFlagUse } from '../api/flags/flag-use.ts';
import { createFlagChanges } from './sse/flag-changes.ts';
import { createStreamRegistry } from './sse/stream-registry.ts';
import { createServices, type ServiceDeps } from './services.ts';
import { createUnreadAnswers } from './http/unread-answers.ts';

export interface ServerDeps extends ServiceDeps {
  routes: readonly Route[];
  config: Pick<Config, 'corsOrigins' | 'metricsPort' | 'metricsPublic' | 'trustedProxies'> &
    Partial<Pick<Config, 'openId'>>;
  feed: LiveFeed;
  metrics: HttpMetrics & ChangesMetrics & ApiMetrics & ProcessMetrics;
  /** Whether other processes listen on the same ports: the kernel gives each connection to one of them. */
  sharesPorts?: boolean;
  /** The files of the console; default: none. */
  consoleFiles?: ConsoleFiles;
  /** Interval of heartbeats on streams of changed flags. */
  heartbeatMs?: number;
  /** Maximum of open streams of changed flags of one key, by its tier. */
  changesReadersOfKey?: Readonly<Record<Tier, number>>;
  /** Maximum of open connections; one over it is closed at once. */
  maxConnections?: number;
  /** Maximum bytes of responses that clients have not read; beyond it connections of the largest callers are closed. */
  unreadAnswerBytes?: number;
}

/** The HTTP front end of one process. */
export interface Server {
  /**
   * Starts to accept connections. Resolves to the port, which differs from `port` if that is 0.
   * Rejects if the port, or the port of the metrics, is in use.
   */
  listen(host: string, port: number): Promise<number>;
  /** Serves this process's own probes and metrics on any port of 127.0.0.1. Resolves to the port. */
  listenApart(): Promise<number>;
  /** The separate port of `/metrics`; undefined without one, and before `listen`. */
  readonly metricsPort: number | undefined;
  /** Stops accepting, ends streams, waits for requests (bounded), then closes every connection. Idempotent. */
  close(): Promise<void>;
}

declare module 'uWebSockets.js' {
  interface TemplatedApp {
    /**
     * The published types lack this overload. `options` 1 refuses a port that another process listens on; 0 shares it
     * with processes that share it too (SO_REUSEPORT).
     */
    listen(
      host: string,
      port: number,
      options: number,
      onListening: (socket: us_listen_socket | false) => void,
    ): TemplatedApp;
  }
}
const SHARED_PORT = 0;
const EXCLUSIVE_PORT = 1;

const METRICS_PATH = '/metrics';
/** How often a closing server checks for open requests. */
const CLOSE_POLL_MS = 10;

export function createServer(deps: ServerDeps): Server {
  const { clock, ids, metrics, config, configStore, maxConnections = GATEWAY_LIMITS.connections } = deps;
  const eventSchemas = createEventSchemas(configStore, deps.logger, clock);
  const flagUse = createFlagUse({
    log: deps.log,
    isFlag: (scope, key) => configStore.get({ ...scope, kind: 'flag', key }) !== undefined,
    clock,
    logger: deps.logger,
  });
  const services = createServices(deps, eventSchemas, flagUse);
  const keyRing = createKeyRing(configStore);
  const consoleSessions = createConsoleSessions(configStore, clock);
  const playerTokens = createPlayerTokens(configStore, clock);
  const limiter = createRateLimiter(clock);
  const changes = createFlagChanges({
    config: configStore,
    clock,
    metrics,
    heartbeatMs: deps.heartbeatMs ?? GATEWAY_LIMITS.changesHeartbeatMs,
  });
  const registries = [createStreamRegistry(), createStreamRegistry()] as const;
  const uploads = createStreamRegistry();
  /** What ends with the access of its caller. */
  const endable = [...registries, uploads];
  const unread = createUnreadAnswers({
    clock,
    metrics,
    budgetBytes: deps.unreadAnswerBytes ?? GATEWAY_LIMITS.unreadAnswerBytes,
  });
  const exchanges = createExchanges({
    clock,
    ids,
    metrics,
    logger: deps.logger,
    cors: createCors(config.corsOrigins),
    unread,
  });
  const trail = createAuditTrail({ log: deps.log, clock, ids, logger: deps.logger, node: 'gateway' });
  const pipeline: PipelineDeps = {
    services,
    audited: createAuditedRequests(configStore, trail, clock),
    trail,
    keyRing,
    consoleSessions,
    playerTokens,
    limiter,
    callers: createCallerAddresses(config.trustedProxies),
    bodies: createBodyReader(clock),
    uploads,
    eventStreams: {
      source: deps.feed,
      streams: registries[0],
      mostReaders: SHARED_LIMITS.streamReaders,
      mostOfKey: STREAM_API_LIMITS.streamReadersOfKey,
    },
    changeStreams: {
      source: changes,
      streams: registries[1],
      mostReaders: GATEWAY_LIMITS.changesReaders,
      mostOfKey: deps.changesReadersOfKey ?? FLAG_API_LIMITS.changesReadersOfKey,
      mostOfCaller: GATEWAY_LIMITS.changesReadersOfCaller,
    },
    logger: deps.logger,
  };
  keyRing.onChange(() => {
    const good = keyRing.ids();
    for (const streams of endable) streams.endWhere((key) => key.user === undefined && !good.has(key.id));
  });
  const stopWatchingSessions = endLostSessions({
    config: configStore,
    sessions: consoleSessions,
    registries: endable,
    clock,
  });

  const onMetricsPort = (route: Route): boolean => config.metricsPort !== undefined && route.path === METRICS_PATH;
  // A separate port serves every caller that can reach it.
  const forAll = (route: Route): Route => (route.kind === 'open' ? { ...route, localOnly: false } : route);
  const mainRoutes = deps.routes.filter((route) => !onMetricsPort(route));
  const main = createApp(
    config.metricsPublic ? mainRoutes.map(forAll) : mainRoutes,
    pipeline,
    exchanges,
    maxConnections,
    deps.consoleFiles,
  );
  const apart = deps.routes.filter(onMetricsPort).map(forAll);
  const side = apart.length > 0 ? createApp(apart, pipeline, exchanges, maxConnections) : undefined;

  const sockets: us_listen_socket[] = [];
  let metricsPort: number | undefined;
  let own: TemplatedApp | undefined;
  let stopExchange: () => void = () => {};
  let closing: Promise<void> | undefined;

  async function open(app: TemplatedApp, host: string, port: number, options = EXCLUSIVE_PORT): Promise<number> {
    const socket = await new Promise<us_listen_socket | false>((resolve) => {
      app.listen(host, port, options, resolve);
    });
    if (socket === false) throw new Error(`cannot listen on ${host}:${port}: the port is in use or not permitted`);
    sockets.push(socket);
    return us_socket_local_port(socket);
  }

  async function shutDown(): Promise<void> {
    for (const socket of sockets.splice(0)) us_listen_socket_close(socket);
    exchanges.drain();
    for (const streams of registries) streams.close();
    changes.stop();
    const deadlineMs = clock.monotonicMs() + GATEWAY_LIMITS.serverCloseMs;
    while (exchanges.open > 0 && clock.monotonicMs() < deadlineMs) await sleep(clock, CLOSE_POLL_MS);
    main.close();
    side?.close();
    own?.close();
    stopExchange();
    await within(clock, GATEWAY_LIMITS.auditCloseMs, trail.close());
    await within(clock, GATEWAY_LIMITS.serverCloseMs, flagUse.stop());
    keyRing.stop();
    stopWatchingSessions();
    playerTokens.stop();
    eventSchemas.stop();
  }

  return {
    async listen(host, port) {
      const options = deps.sharesPorts === true ? SHARED_PORT : EXCLUSIVE_PORT;
      const bound = await open(main, host, port, options);
      if (side !== undefined) metricsPort = await open(side, host, config.metricsPort ?? 0, options);
      stopExchange = startRateExchange({ log: deps.log, limiter, clock, ids });
      return bound;
    },
    listenApart() {
      const ownServices = { ...services, metrics: { ...metrics, text: metrics.ownText } };
      own = createApp(operationRoutes(), { ...pipeline, services: ownServices }, exchanges, maxConnections);
      return open(own, '127.0.0.1', 0);
    },
    get metricsPort() {
      return metricsPort;
    },
    close() {
      closing ??= shutDown();
      return closing;
    },
  };
}
