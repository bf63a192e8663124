import type { HttpResponse } from 'uWebSockets.js';
import type { Answer, Headers, JsonAnswer, TextAnswer } from '../../api/route/answer.ts';
import { ERRORS, type ErrorEntry, type Failure } from '../../../core/kernel/errors.ts';
import { HTTP_LIMITS } from './limits.ts';
import { ROUTE_LIMITS } from '../../api/route/limits.ts';
import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { headText } from './answer-head.ts';
import type { RateVerdict } from '../access/limits/rate-limiter.ts';
import type { RequestHeaders } from './read/request-headers.ts';
import type { UnreadAnswers } from './unread-answers.ts';
import type { WriteTurns } from './write-turns.ts';

/**
 * One request and its response.
 *
 * Invariants
 * 1. `res` is used only while `open`, or while `unread` holds the rest of the response; never after `gone`.
 * 2. Exactly one of a response, an abort or a stream ends it, and `onClosed` is called once.
 */
export interface Exchange {
  readonly res: HttpResponse;
  readonly requestId: string;
  /** A HEAD request: the same response without its body. */
  readonly headOnly: boolean;
  readonly startedAtMs: number;
  /** Access-Control-Allow-Origin for this request. */
  allowOrigin: string | undefined;
  varyOrigin: boolean;
  rate: RateVerdict | undefined;
  /** The caller, if a key's limit is shared between callers. */
  caller: string | undefined;
  /** Names for X-Ignored-Fields. */
  readonly ignored: string[];
  open: boolean;
  /** The connection is closed: `res` must not be used. */
  gone: boolean;
  /** The response is determined and will be written in the next turn of the event loop. */
  ending: boolean;
  readonly headers: RequestHeaders;
  /** Whether the response ends the connection. */
  lastOnConnection: boolean;
  /** Whether the server is closing: then every response ends its connection. */
  readonly draining: () => boolean;
  /** Spreads large bodies over turns of the event loop. */
  readonly writes: WriteTurns;
  /** Holds the bytes that the client does not read at once. */
  readonly unread: UnreadAnswers;
  /**
   * Whether this response without a body must end its connection, because the service cannot see whether it is read.
   */
  readonly endsBodiless: () => boolean;
  /** The form of failures on routes of external protocols, which do not use the error envelope. */
  failureShape: ((failure: Failure) => TextAnswer) | undefined;
  /** Status of VALIDATION_ERROR, if the route uses another one than the catalogue. */
  invalidStatus: number | undefined;
  /** Retry-After of a 503, or of a 429 without a rate limit. */
  retryAfterSeconds: number | undefined;
  /** Releases what the request holds; called once, when it has ended. */
  release: (() => void) | undefined;
  /** Called if the caller disconnects before the response. */
  onGone: (() => void) | undefined;
  readonly route: string;
  readonly onClosed: (exchange: Exchange, status: ClosedStatus) => void;
}

export type ClosedStatus = number | 'aborted' | 'streamed';

const NO_HEADERS: Headers = {};

/** Writes a response unless the caller disconnected. */
export function respond(exchange: Exchange, answer: Answer, extra: Headers = NO_HEADERS): void {
  switch (answer.kind) {
    case 'json': {
      const body = `{"success":true,"data":${answer.data}}`;
      end(exchange, answer.status, 'application/json', body, answer.replayed, headersOf(answer, extra));
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

function headersOf({ etag, freshAsOf, headers }: JsonAnswer, extra: Headers): Headers {
  if (etag === undefined && freshAsOf === undefined && headers === undefined) return extra;
  return {
    ...extra,
    ...headers,
    ...(etag === undefined ? {} : { ETag: `"${etag}"` }),
    ...(freshAsOf === undefined ? {} : { 'X-Fresh-As-Of': formatTimestamp(freshAsOf) }),
  };
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

/** Writes a 204 response. */
export function respondEmpty(exchange: Exchange, extra: Headers): void {
  end(exchange, 204, undefined, '', false, extra);
}

/**
 * Responds to a request whose end is ambiguous, and closes the connection before the library parses the following bytes
 * as further requests. The library would parse them before it sends a small response, so the body is padded beyond the
 * library's buffer: such a response is sent, and the connection closed, at once. A HEAD request gets no response.
 */
export function refuse(exchange: Exchange, why: Failure): void {
  const { status } = ERRORS[why.code];
  const { res } = exchange;
  exchange.open = false;
  if (exchange.headOnly) {
    res.close();
  } else {
    const body = failureBody(exchange, why).padEnd(HTTP_LIMITS.corkBufferBytes);
    const head = headText(exchange, status, 'application/json', false, NO_HEADERS);
    res.cork(() => {
      res.writeStatus(exchange.headers.framing.closesUnsaid ? head + CLOSE : head);
      res.end(body, true);
    });
  }
  exchange.onClosed(exchange, status);
}

/**
 * Starts a response that stays open: writes status and headers. Its connection ends with it; the header for that is
 * written now, because the library would write it between the chunks of the body.
 */
export function startStream(exchange: Exchange, contentType: string, extra: Headers): void {
  const head = headText(exchange, 200, contentType, false, extra) + CLOSE;
  exchange.res.cork(() => {
    exchange.res.writeStatus(head);
  });
}

/** Ends a response that `startStream` started. */
export function endStream({ res }: Exchange): void {
  res.cork(() => void res.end());
}

function end(
  exchange: Exchange,
  status: number,
  contentType: string | undefined,
  body: string | Uint8Array,
  replayed: boolean,
  extra: Headers,
): void {
  if (!exchange.open || exchange.ending) return;
  const writeIfOpen = (): void => {
    if (exchange.open) write(exchange, status, contentType, body, replayed, extra);
  };
  if (!exchange.headers.framing.chunked) {
    if (exchange.writes.takes(body.length)) return writeIfOpen();
    exchange.ending = true;
    exchange.writes.later(body.length, writeIfOpen);
    return;
  }
  // The library closes a connection that sends another request before the response. So bytes that arrived with these
  // chunks never count as a request.
  exchange.ending = true;
  setImmediate(writeIfOpen);
}

function write(
  exchange: Exchange,
  status: number,
  contentType: string | undefined,
  body: string | Uint8Array,
  replayed: boolean,
  extra: Headers,
): void {
  exchange.open = false;
  const { res, unread } = exchange;
  const last = exchange.lastOnConnection || exchange.draining();
  if (contentType === undefined || exchange.headOnly) {
    const lengthBytes = contentType === undefined ? undefined : Buffer.byteLength(body);
    writeBodiless(exchange, status, contentType, lengthBytes, replayed, last, extra);
    exchange.onClosed(exchange, status);
    return;
  }
  // A small response needs no timer. The unread part of a large one must not stay in the library's buffer.
  const isLarge = body.length > HTTP_LIMITS.corkBufferBytes;
  let whole = true;
  const head = headText(exchange, status, contentType, replayed, extra) + connectionText(exchange, last, isLarge);
  res.cork(() => {
    res.writeStatus(head);
    if (!last) [, whole] = res.tryEnd(body, 0);
    else if (isLarge) unread.holdLast(exchange, res, body, exchange.caller);
    else res.end(body, true);
  });
  if (!whole && !exchange.gone) unread.hold(exchange, res, body, exchange.caller);
  exchange.onClosed(exchange, status);
}

/**
 * The header that keeps or ends the connection. The library's `end` with its flag writes the latter itself, unless the
 * client already asked for the end.
 */
function connectionText({ headers }: Exchange, last: boolean, unsaid: boolean): string {
  if (!last) return KEEP;
  return unsaid || headers.framing.closesUnsaid ? CLOSE : '';
}
const KEEP = `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${ROUTE_LIMITS.keepAliveSeconds}`;
const CLOSE = '\r\nConnection: close';

/**
 * Writes a response without a body: 204, 304, or any response to HEAD. The library must get no length here: it sends an
 * undefined length as 2^63, and after a length other than 0 it closes the connection at the next request. Without a
 * length it cannot close the connection itself; the client closes it as the headers request, or the idle time-out does.
 *
 * The library buffers such responses without a bound and without notice if the client does not read them. Therefore
 * some of them end their connection, at random so that no client can predict which.
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
  const length = lengthBytes === undefined ? '' : `\r\nContent-Length: ${lengthBytes}`;
  const head = headText(exchange, status, contentType, replayed, extra);
  if (!last && exchange.endsBodiless()) {
    // The library sends the whole head as a status line and does not end the response, so `close` stays possible.
    const date = `\r\nDate: ${new Date().toUTCString()}`;
    res.cork(() => void res.writeStatus(`${head}${length}${date}${CLOSE}\r\n`));
    setImmediate(() => {
      if (!exchange.gone) res.close();
    });
    return;
  }
  const whole = head + connectionText(exchange, last, true) + length;
  res.cork(() => {
    res.writeStatus(whole);
    res.endWithoutBody();
  });
}

/** The error envelope. Server errors contain the request id for reports. */
function failureBody(exchange: Exchange, { code, message, details }: Failure): string {
  const entry = ERRORS[code];
  const context = entry.status === 500 ? { request_id: exchange.requestId } : (details ?? {});
  return JSON.stringify({ success: false, error: { code, message: message ?? entry.message, details: context } });
}
