import type { Headers } from '../../api/route/answer.ts';
import { ignoredFieldsHeader } from '../../api/input/ignored-fields.ts';
import { EXPOSED_HEADERS } from './cors.ts';
import type { RateVerdict } from '../access/limits/rate-limiter.ts';

/** The fields of a request that determine the head of its response. */
export interface HeadSource {
  readonly requestId: string;
  readonly rate: RateVerdict | undefined;
  /** Names for X-Ignored-Fields. */
  readonly ignored: readonly string[];
  /** Retry-After of a 503, or of a 429 without a rate limit. */
  readonly retryAfterSeconds: number | undefined;
  readonly allowOrigin: string | undefined;
  readonly varyOrigin: boolean;
}

/**
 * The head of a response: its status and the headers that every response may have. The last line has no line break.
 * The library gets it as the status line, because each call of the library costs more than joining texts. If the text
 * ends with an empty line, the head is complete, and the library adds no `Date`, so the caller must.
 */
export function headText(
  exchange: HeadSource,
  status: number,
  contentType: string | undefined,
  replayed: boolean,
  extra: Headers,
): string {
  const { rate, ignored } = exchange;
  let text = STATUS_LINES[status] ?? String(status);
  if (contentType !== undefined) text += `\r\nContent-Type: ${contentType}`;
  text += `${NO_SNIFF}\r\nX-Request-Id: ${exchange.requestId}`;
  if (extra['Cache-Control'] === undefined) text += NO_STORE;
  if (rate !== undefined) {
    text += `\r\nRateLimit-Limit: ${rate.limit}\r\nRateLimit-Remaining: ${rate.remaining}`;
    text += `\r\nRateLimit-Reset: ${rate.resetSeconds}`;
  }
  if (status === 429 && rate?.allowed === false) text += `\r\nRetry-After: ${rate.resetSeconds}`;
  else if (status === 429 || status === 503)
    text += `\r\nRetry-After: ${exchange.retryAfterSeconds ?? RETRY_AFTER_SECONDS}`;
  if (replayed) text += '\r\nIdempotent-Replayed: true';
  if (ignored.length > 0) text += `\r\nX-Ignored-Fields: ${ignoredFieldsHeader(ignored)}`;
  if (exchange.allowOrigin !== undefined) {
    text += `\r\nAccess-Control-Allow-Origin: ${exchange.allowOrigin}`;
    text += `\r\nAccess-Control-Expose-Headers: ${EXPOSED_HEADERS}`;
  }
  if (exchange.varyOrigin) text += '\r\nVary: Origin';
  for (const name in extra) text += lineOf(name, extra[name] ?? '');
  return text;
}

const lineOf = (name: string, value: string | readonly string[]): string =>
  typeof value === 'string' ? `\r\n${name}: ${value}` : value.map((each) => `\r\n${name}: ${each}`).join('');

/** A browser takes no answer for another type than it says. */
const NO_SNIFF = '\r\nX-Content-Type-Options: nosniff';

/** Answers hold data of players, and an answer about a flag or key is true for a moment only. */
const NO_STORE = '\r\nCache-Control: no-store';

/** Status lines by status. */
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

/** Default of Retry-After: about the time in which a partition changes owners. */
const RETRY_AFTER_SECONDS = 2;
