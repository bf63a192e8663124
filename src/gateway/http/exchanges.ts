import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { Clock } from '../../../core/kernel/clock.ts';
import { failure } from '../../../core/kernel/errors.ts';
import type { Ids } from '../../../core/kernel/ids.ts';
import { HTTP_LIMITS } from './limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { HttpMetrics } from './metrics.ts';
import type { ProcessMetrics } from '../../../core/kernel/metrics/process-metrics.ts';
import type { Cors } from './cors.ts';
import { refuse, type ClosedStatus, type Exchange } from './exchange.ts';
import { readHeaders } from './read/request-headers.ts';
import type { UnreadAnswers } from './unread-answers.ts';
import { createWriteTurns } from './write-turns.ts';

/** Starts exchanges and counts the open ones, with metrics and the access log. */
export interface Exchanges {
  /**
   * Starts an exchange. Must be called before the handler returns.
   * @param route the label in metrics and log
   * @param browsers whether browsers of other origins may read the response
   * @returns undefined if the request was refused because its end is ambiguous
   */
  begin(route: string, res: HttpResponse, req: HttpRequest, browsers: boolean): Exchange | undefined;
  /** From now on every response is the last on its connection. */
  drain(): void;
  readonly open: number;
}

interface Deps {
  clock: Clock;
  ids: Ids;
  metrics: HttpMetrics & Pick<ProcessMetrics, 'requestArrives'>;
  logger: Logger;
  cors: Cors;
  unread: UnreadAnswers;
}

export function createExchanges({ clock, ids, metrics, logger, cors, unread }: Deps): Exchanges {
  // Request ids are unique and cheap: a random prefix per process and a counter.
  const prefix = `req_${Buffer.from(ids.bytes(9)).toString('base64url')}_`;
  const writes = createWriteTurns();
  const recorders = new Map<string, ReturnType<typeof createRecorder>>();
  let count = 0;
  let open = 0;
  let draining = false;
  const isDraining = (): boolean => draining;

  let bodilessLeft = HTTP_LIMITS.bodilessAnswers;
  function endsBodiless(): boolean {
    if (bodilessLeft-- > 0) return false;
    bodilessLeft = HTTP_LIMITS.bodilessAnswers + (ids.bytes(1)[0] ?? 0);
    return true;
  }

  function recorderOf(route: string): ReturnType<typeof createRecorder> {
    let recorder = recorders.get(route);
    if (recorder === undefined) {
      recorder = createRecorder(metrics, route);
      recorders.set(route, recorder);
    }
    return recorder;
  }

  // In an outage every request fails, so a few lines per second are enough.
  const errorLog = { second: 0, lines: 0 };
  function mayLog(): boolean {
    const second = Math.floor(clock.monotonicMs() / 1000);
    if (second !== errorLog.second) Object.assign(errorLog, { second, lines: 0 });
    errorLog.lines += 1;
    return errorLog.lines <= HTTP_LIMITS.errorLinesPerSecond;
  }

  function onClosed({ requestId, route, startedAtMs, release }: Exchange, status: ClosedStatus): void {
    open -= 1;
    const durationMs = clock.monotonicMs() - startedAtMs;
    recorderOf(route)(status, durationMs);
    if (typeof status === 'number' && status >= 500 && !QUIET_ROUTES.has(route) && mayLog()) {
      logger.warn({ request_id: requestId, route, status, duration_ms: durationMs }, 'a request failed');
    }
    logger.debug({ request_id: requestId, route, status, duration_ms: durationMs }, 'request');
    release?.();
  }

  return {
    begin(route, res, req, browsers) {
      open += 1;
      count += 1;
      metrics.requestArrives();
      const headers = readHeaders(req);
      const { framing } = headers;
      const origin = browsers ? headers.origin : '';
      const exchange: Exchange = {
        res,
        requestId: prefix + count.toString(36),
        headOnly: req.getMethod() === 'head',
        startedAtMs: clock.monotonicMs(),
        allowOrigin: origin === '' ? undefined : cors.allowOrigin(origin),
        varyOrigin: browsers && cors.varies,
        rate: undefined,
        caller: undefined,
        ignored: [],
        open: true,
        gone: false,
        ending: false,
        headers,
        // Draining a large body after an early response would take long. And the library parses chunks differently from
        // proxies (extensions, bare LF, trailers), so bytes after them must not count as a request.
        lastOnConnection: framing.closes || framing.chunked || framing.contentLength > HTTP_LIMITS.bodyDrainBytes,
        draining: isDraining,
        writes,
        unread,
        endsBodiless,
        failureShape: undefined,
        invalidStatus: undefined,
        retryAfterSeconds: undefined,
        release: undefined,
        onGone: undefined,
        route,
        onClosed,
      };
      res.onAborted(() => {
        exchange.gone = true;
        unread.forget(exchange);
        if (!exchange.open) return;
        exchange.open = false;
        exchange.onGone?.();
        onClosed(exchange, 'aborted');
      });
      if (framing.fault !== undefined) {
        refuse(exchange, failure('VALIDATION_ERROR', framing.fault));
        return undefined;
      }
      return exchange;
    },
    drain() {
      draining = true;
    },
    get open() {
      return open;
    },
  };
}

/** Routes whose 503 is a normal response. */
const QUIET_ROUTES: ReadonlySet<string> = new Set(['/readyz']);

/** Counts one route's responses. */
function createRecorder(metrics: HttpMetrics, route: string) {
  const observe = metrics.httpDuration.child(route);
  const counters = new Map<ClosedStatus, () => void>();
  return (status: ClosedStatus, durationMs: number): void => {
    let count = counters.get(status);
    if (count === undefined) {
      count = metrics.httpRequests.child(route, String(status));
      counters.set(status, count);
    }
    count();
    // The duration of a stream depends on its reader only, so it is not recorded.
    if (status !== 'streamed') observe(durationMs / 1000);
  };
}
