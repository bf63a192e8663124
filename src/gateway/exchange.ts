import type { HttpResponse } from 'uWebSockets.js';
import type { Answer, TextAnswer } from '../api/answer.ts';
import { ignoredFieldsHeader } from '../api/ignored-fields.ts';
import { ERRORS, type ErrorEntry, type Failure } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { EXPOSED_HEADERS } from './cors.ts';
import type { RateVerdict } from './rate-limiter.ts';
import type { Framing } from './request-framing.ts';

/**
 * One request and its answer.
 *
 * Invariants
 * 1. `res` is touched only while `open`; an abort or the answer closes the exchange for good.
 * 2. Exactly one of `answer`, an abort or an opened stream ends it, and `onClosed` is called once.
 */
export interface Exchange {
  readonly res: HttpResponse;
  readonly requestId: string;
  /** A HEAD request: the same answer without its body. */
  readonly headOnly: boolean;
  readonly startedAtMs: number;
  /** Access-Control-Allow-Origin for this request. */
  allowOrigin: string | undefined;
  varyOrigin: boolean;
  rate: RateVerdict | undefined;
  /** Who sent it, where a key's limit is shared out between callers. */
  caller: string | undefined;
  /** Names for X-Ignored-Fields. */
  readonly ignored: string[];
  open: boolean;
  /** The answer is decided, and written in the next turn of the event loop. */
  ending: boolean;
  readonly framing: Framing;
  /** Ends the connection with the answer. */
  lastOnConnection: boolean;
  /** Whether the server is closing: then every answer ends its connection. */
  readonly draining: () => boolean;
  /** How failures look where it is not our envelope: set by routes of protocols that others defined. */
  failureShape: ((failure: Failure) => TextAnswer) | undefined;
  /** Status of VALIDATION_ERROR, where the route's contract has another than the catalogue. */
  invalidStatus: number | undefined;
  /** For a 503, or a 429 that is not about the rate. */
  retryAfterSeconds: number | undefined;
  onClosed: (status: number | 'aborted' | 'streamed') => void;
}

/** Status lines, made once. */
const STATUS_LINES: Readonly<Record<number, string>> = {
  200: '200 OK',
  201: '201 Created',
  204: '204 No Content',
  304: '304 Not Modified',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  403: '403 Forbidden',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  409: '409 Conflict',
  412: '412 Precondition Failed',
  413: '413 Payload Too Large',
  415: '415 Unsupported Media Type',
  422: '422 Unprocessable Entity',
  429: '429 Too Many Requests',
  500: '500 Internal Server Error',
  503: '503 Service Unavailable',
};

/** Seconds a caller should wait when nothing else says so: about as long as a partition takes to change owners. */
const RETRY_AFTER_SECONDS = 2;

type Headers = Readonly<Record<string, string>>;
const NO_HEADERS: Headers = {};

/** Answers, unless the caller has gone away. */
export function respond(exchange: Exchange, answer: Answer, extra: Headers = NO_HEADERS): void {
  switch (answer.kind) {
    case 'json': {
      const body = `{"success":true,"data":${answer.data}}`;
      const headers = answer.etag === undefined ? extra : { ...extra, ETag: `"${answer.etag}"` };
      end(exchange, answer.status, 'application/json', body, answer.replayed, headers);
      break;
    }
    case 'text':
      respondText(exchange, answer, extra);
      break;
    case 'failure':
      exchange.retryAfterSeconds = retryAfterOf(answer);
      if (exchange.failureShape !== undefined) respondText(exchange, exchange.failureShape(answer), extra);
      else end(exchange, statusOf(exchange, answer), 'application/json', failureBody(exchange, answer), false, extra);
      break;
  }
}

function retryAfterOf({ code }: Failure): number | undefined {
  const entry: ErrorEntry = ERRORS[code];
  return entry.retryAfterSeconds;
}

function statusOf({ invalidStatus }: Exchange, { code }: Failure): number {
  return code === 'VALIDATION_ERROR' && invalidStatus !== undefined ? invalidStatus : ERRORS[code].status;
}

function respondText(exchange: Exchange, answer: TextAnswer, extra: Headers): void {
  const { status = 200, contentType, body, headers } = answer;
  end(exchange, status, contentType, body, false, headers === undefined ? extra : { ...extra, ...headers });
}

/** Answers 204 without a body. */
export function respondEmpty(exchange: Exchange, extra: Headers): void {
  end(exchange, 204, undefined, '', false, extra);
}

/**
 * Answers a request whose end is uncertain, and closes the connection before the library parses the bytes after it as
 * further requests. It would do so before it sends a small answer; one that exceeds its buffer is sent, and the
 * connection closed, at once. HEAD, whose answer has no body, is closed without one.
 */
export function refuse(exchange: Exchange, why: Failure): void {
  const { status } = ERRORS[why.code];
  const { res } = exchange;
  exchange.open = false;
  if (exchange.headOnly) {
    res.close();
  } else {
    const body = failureBody(exchange, why).padEnd(LIMITS.corkBufferBytes);
    res.cork(() => {
      writeHead(exchange, status, 'application/json', false, NO_HEADERS);
      if (exchange.framing.closesUnsaid) res.writeHeader('Connection', 'close');
      res.end(body, true);
    });
  }
  exchange.onClosed(status);
}

/**
 * Starts an answer that stays open: status and headers only. Its connection ends with it, and says so now: the library
 * would write that header among the chunks of the body.
 */
export function startStream(exchange: Exchange, contentType: string, extra: Headers): void {
  exchange.res.cork(() => {
    writeHead(exchange, 200, contentType, false, extra);
    exchange.res.writeHeader('Connection', 'close');
  });
}

/** Ends an answer that `startStream` began. */
export function endStream({ res }: Exchange): void {
  res.cork(() => void res.end());
}

function end(
  exchange: Exchange,
  status: number,
  contentType: string | undefined,
  body: string,
  replayed: boolean,
  extra: Headers,
): void {
  if (!exchange.open || exchange.ending) return;
  if (!exchange.framing.chunked) {
    write(exchange, status, contentType, body, replayed, extra);
    return;
  }
  // While a request has no answer the library closes the connection at the next; so what came with these chunks is never one.
  exchange.ending = true;
  setImmediate(() => {
    if (exchange.open) write(exchange, status, contentType, body, replayed, extra);
  });
}

function write(
  exchange: Exchange,
  status: number,
  contentType: string | undefined,
  body: string,
  replayed: boolean,
  extra: Headers,
): void {
  exchange.open = false;
  const { res } = exchange;
  const last = exchange.lastOnConnection || exchange.draining();
  const bodiless = contentType === undefined || exchange.headOnly;
  res.cork(() => {
    writeHead(exchange, status, contentType, replayed, extra);
    writeConnection(exchange, last, bodiless);
    if (!bodiless) res.end(body, last);
    else endWithoutBody(res, contentType === undefined ? undefined : Buffer.byteLength(body));
  });
  exchange.onClosed(status);
}

/** Says how long the connection is kept, or that it ends; with a body the library says the latter, if the client has not. */
function writeConnection({ res, framing }: Exchange, last: boolean, bodiless: boolean): void {
  if (!last) {
    res.writeHeader('Connection', 'keep-alive');
    res.writeHeader('Keep-Alive', KEEP_ALIVE);
  } else if (bodiless || framing.closesUnsaid) {
    res.writeHeader('Connection', 'close');
  }
}
const KEEP_ALIVE = `timeout=${LIMITS.keepAliveSeconds}`;

/**
 * Ends an answer that has no body: 204, 304, or any to HEAD. The library must get no arguments here: it sends an undefined
 * length as 2^63, and after any other than 0 it closes the connection at the next request. Without them it cannot close
 * the connection itself: the client does, as the headers ask it to, or else the idle time-out.
 */
function endWithoutBody(res: HttpResponse, lengthBytes: number | undefined): void {
  if (lengthBytes !== undefined) res.writeHeader('Content-Length', String(lengthBytes));
  res.endWithoutBody();
}

function writeHead(
  exchange: Exchange,
  status: number,
  contentType: string | undefined,
  replayed: boolean,
  extra: Headers,
): void {
  const { res, rate, ignored } = exchange;
  res.writeStatus(STATUS_LINES[status] ?? String(status));
  if (contentType !== undefined) res.writeHeader('Content-Type', contentType);
  res.writeHeader('X-Request-Id', exchange.requestId);
  if (rate !== undefined) {
    res.writeHeader('RateLimit-Limit', String(rate.limit));
    res.writeHeader('RateLimit-Remaining', String(rate.remaining));
    res.writeHeader('RateLimit-Reset', String(rate.resetSeconds));
  }
  if (status === 429 && rate?.allowed === false) res.writeHeader('Retry-After', String(rate.resetSeconds));
  else if (status === 429 || status === 503)
    res.writeHeader('Retry-After', String(exchange.retryAfterSeconds ?? RETRY_AFTER_SECONDS));
  if (replayed) res.writeHeader('Idempotent-Replayed', 'true');
  if (ignored.length > 0) res.writeHeader('X-Ignored-Fields', ignoredFieldsHeader(ignored));
  if (exchange.allowOrigin !== undefined) {
    res.writeHeader('Access-Control-Allow-Origin', exchange.allowOrigin);
    res.writeHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
  }
  if (exchange.varyOrigin) res.writeHeader('Vary', 'Origin');
  for (const name in extra) res.writeHeader(name, extra[name] ?? '');
}

/** The error envelope. Server errors name the request, so that a caller can quote it. */
function failureBody(exchange: Exchange, { code, message, details }: Failure): string {
  const entry = ERRORS[code];
  const context = entry.status === 500 ? { request_id: exchange.requestId } : (details ?? {});
  return JSON.stringify({ success: false, error: { code, message: message ?? entry.message, details: context } });
}
