import type { TemplatedApp } from 'uWebSockets.js';
import type { Route } from '../api/route/route.ts';
import { operationRoutes } from '../api/routes.ts';
import type { Config } from '../settings/config.ts';
import { sleep } from '../../core/kernel/clock.ts';
import { GATEWAY_LIMITS } from './limits.ts';
import type { ApiMetrics } from '../api/metrics.ts';
import type { HttpMetrics } from './http/metrics.ts';
import type { ProcessMetrics } from '../../core/kernel/metrics/process-metrics.ts';
import { createApp } from './app.ts';
import { createCors } from './http/cors.ts';
import { createExchanges, type Exchanges } from './http/exchanges.ts';
import type { ConsoleFiles } from './console-files.ts';
import { startRateExchange } from './access/limits/rate-exchange.ts';
import { createListeners } from './listeners.ts';
import { createPipeline, type PipelineOptions } from './pipeline.ts';
import type { PipelineDeps } from './steps/call.ts';
import { createUnreadAnswers } from './http/unread-answers.ts';

export interface ServerDeps extends PipelineOptions {
  routes: readonly Route[];
  config: PipelineOptions['config'] & Pick<Config, 'corsOrigins' | 'metricsPort' | 'metricsPublic'>;
  metrics: PipelineOptions['metrics'] & HttpMetrics & ApiMetrics & ProcessMetrics;
  /** Whether other processes listen on the same ports: the kernel gives each connection to one of them. */
  sharesPorts?: boolean;
  /** The files of the console; default: none. */
  consoleFiles?: ConsoleFiles;
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

const METRICS_PATH = '/metrics';
const SCHEDULE_PATH = '/v1/flags/flags/{key}/schedule';
/** How often a closing server checks for open requests. */
const CLOSE_POLL_MS = 10;

export function createServer(deps: ServerDeps): Server {
  const { clock, ids, metrics, config, routes, maxConnections = GATEWAY_LIMITS.connections } = deps;
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
  const pipeline = createPipeline(deps);
  const { main, side } = createApps(deps, pipeline.steps, exchanges, maxConnections);
  const listeners = createListeners();
  let metricsPort: number | undefined;
  let own: TemplatedApp | undefined;
  let stopExchange: () => void = () => {};
  let closing: Promise<void> | undefined;

  async function shutDown(): Promise<void> {
    listeners.close();
    exchanges.drain();
    pipeline.endStreams();
    const deadlineMs = clock.monotonicMs() + GATEWAY_LIMITS.serverCloseMs;
    while (exchanges.open > 0 && clock.monotonicMs() < deadlineMs) await sleep(clock, CLOSE_POLL_MS);
    main.close();
    side?.close();
    own?.close();
    stopExchange();
    await pipeline.close();
  }

  return {
    async listen(host, port) {
      const bound = await listeners.open(main, host, port, deps.sharesPorts);
      if (side !== undefined) metricsPort = await listeners.open(side, host, config.metricsPort ?? 0, deps.sharesPorts);
      // A process with the routes of operators alone leaves them to gateways.
      if (routes.some(({ path }) => path === SCHEDULE_PATH)) pipeline.startKeepers();
      stopExchange = startRateExchange({ log: deps.log, limiter: pipeline.steps.limiter, clock, ids });
      return bound;
    },
    listenApart() {
      const services = { ...pipeline.steps.services, metrics: { ...metrics, text: metrics.ownText } };
      own = createApp(operationRoutes(), { ...pipeline.steps, services }, exchanges, maxConnections);
      return listeners.open(own, '127.0.0.1', 0);
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

/** The app of the main port, and the one of the separate port of the metrics, if there is one. */
function createApps(
  { routes, config, consoleFiles }: ServerDeps,
  steps: PipelineDeps,
  exchanges: Exchanges,
  maxConnections: number,
): { main: TemplatedApp; side: TemplatedApp | undefined } {
  const onMetricsPort = (route: Route): boolean => config.metricsPort !== undefined && route.path === METRICS_PATH;
  // A separate port serves every caller that can reach it.
  const forAll = (route: Route): Route => (route.kind === 'open' ? { ...route, localOnly: false } : route);
  const onMain = routes.filter((route) => !onMetricsPort(route));
  const apart = routes.filter(onMetricsPort).map(forAll);
  const mainRoutes = config.metricsPublic ? onMain.map(forAll) : onMain;
  return {
    main: createApp(mainRoutes, steps, exchanges, maxConnections, consoleFiles),
    side: apart.length > 0 ? createApp(apart, steps, exchanges, maxConnections) : undefined,
  };
}
