import type { HttpResponse } from 'uWebSockets.js';
import type { Answer, TextAnswer } from '../api/answer.ts';
import { ERRORS, type ErrorEntry, type Failure } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { createHeadText, writeHead, type Headers } from './answer-head.ts';
import type { RateVerdict } from './rate-limiter.ts';
import type { Framing } from './request-framing.ts';
import type { UnreadAnswers } from './unread-answers.ts';

/**
 * One request and its answer.
 *
 * Invariants
 * 1. `res` is touched only while `open`, or while `unread` holds the rest of the answer; never once `gone`.
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
  /** The connection is closed: `res` must not be touched. */
  gone: boolean;
  /** The answer is decided, and written in the next turn of the event loop. */
  ending: boolean;
  readonly framing: Framing;
  /** Ends the connection with the answer. */
  lastOnConnection: boolean;
  /** Whether the server is closing: then every answer ends its connection. */
  readonly draining: () => boolean;
  /** Holds what the client does not read at once. */
  readonly unread: UnreadAnswers;
  /** Whether this answer without a body must end its connection, as nobody can see whether it is read. */
  readonly endsBodiless: () => boolean;
  /** How failures look where it is not our envelope: set by routes of protocols that others defined. */
  failureShape: ((failure: Failure) => TextAnswer) | undefined;
  /** Status of VALIDATION_ERROR, where the route's contract has another than the catalogue. */
  invalidStatus: number | undefined;
  /** For a 503, or a 429 that is not about the rate. */
  retryAfterSeconds: number | undefined;
  onClosed: (status: number | 'aborted' | 'streamed') => void;
}

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
      writeHead(exchange, res, status, 'application/json', false, NO_HEADERS);
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
    writeHead(exchange, exchange.res, 200, contentType, false, extra);
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
  const { res, unread } = exchange;
  const last = exchange.lastOnConnection || exchange.draining();
  if (contentType === undefined || exchange.headOnly) {
    const lengthBytes = contentType === undefined ? undefined : Buffer.byteLength(body);
    writeBodiless(exchange, status, contentType, lengthBytes, replayed, last, extra);
    exchange.onClosed(status);
    return;
  }
  // Small answers cost no timer. Of a large one the library would buffer what the client does not read.
  const isLarge = body.length > LIMITS.corkBufferBytes;
  let whole = true;
  res.cork(() => {
    writeHead(exchange, res, status, contentType, replayed, extra);
    writeConnection(exchange, last, isLarge);
    if (!last) [, whole] = res.tryEnd(body, 0);
    else if (isLarge) unread.holdLast(exchange, res, body, exchange.caller);
    else res.end(body, true);
  });
  if (!whole && !exchange.gone) unread.hold(exchange, res, body, exchange.caller);
  exchange.onClosed(status);
}

/** Says how long the connection is kept, or that it ends; `end` with its flag says the latter, if the client has not. */
function writeConnection({ res, framing }: Exchange, last: boolean, unsaid: boolean): void {
  if (!last) {
    res.writeHeader('Connection', 'keep-alive');
    res.writeHeader('Keep-Alive', KEEP_ALIVE);
  } else if (unsaid || framing.closesUnsaid) {
    res.writeHeader('Connection', 'close');
  }
}
const KEEP_ALIVE = `timeout=${LIMITS.keepAliveSeconds}`;

/**
 * Writes an answer that has no body: 204, 304, or any to HEAD. The library must get no length here: it sends an undefined
 * length as 2^63, and after any other than 0 it closes the connection at the next request. Without one it cannot close
 * the connection itself: the client does, as the headers ask it to, or else the idle time-out.
 *
 * The library buffers such an answer without a bound when the client does not read, and does not say so. Therefore some
 * of them end their connection, chosen so that no client can foresee which.
 */
function writeBodiless(
  exchange: Exchange,
  status: number,
  contentType: string | undefined,
  lengthBytes: number | undefined,
  replayed: boolean,
  last: boolean,
  extra: Headers,
): void {
  const { res } = exchange;
  if (!last && exchange.endsBodiless()) {
    const head = createHeadText();
    writeHead(exchange, head, status, contentType, replayed, extra);
    if (lengthBytes !== undefined) head.writeHeader('Content-Length', String(lengthBytes));
    head.writeHeader('Date', new Date().toUTCString());
    head.writeHeader('Connection', 'close');
    // Given as the status line, the library sends the whole head but does not end the answer; so `close` stays possible.
    res.cork(() => void res.writeStatus(head.text));
    setImmediate(() => {
      if (!exchange.gone) res.close();
    });
    return;
  }
  res.cork(() => {
    writeHead(exchange, res, status, contentType, replayed, extra);
    writeConnection(exchange, last, true);
    if (lengthBytes !== undefined) res.writeHeader('Content-Length', String(lengthBytes));
    res.endWithoutBody();
  });
}

/** The error envelope. Server errors name the request, so that a caller can quote it. */
function failureBody(exchange: Exchange, { code, message, details }: Failure): string {
  const entry = ERRORS[code];
  const context = entry.status === 500 ? { request_id: exchange.requestId } : (details ?? {});
  return JSON.stringify({ success: false, error: { code, message: message ?? entry.message, details: context } });
}
