import { ignoredFieldsHeader } from '../../api/ignored-fields.ts';
import { EXPOSED_HEADERS } from './cors.ts';
import type { RateVerdict } from '../access/rate-limiter.ts';

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

/** Writes the head of a response: its status and the headers that every response may have. */
export function writeHead(
  exchange: HeadSource,
  to: HeadWriter,
  status: number,
  contentType: string | undefined,
  replayed: boolean,
  extra: Headers,
): void {
  const { rate, ignored } = exchange;
  to.writeStatus(STATUS_LINES[status] ?? String(status));
  if (contentType !== undefined) to.writeHeader('Content-Type', contentType);
  to.writeHeader('X-Request-Id', exchange.requestId);
  if (rate !== undefined) {
    to.writeHeader('RateLimit-Limit', String(rate.limit));
    to.writeHeader('RateLimit-Remaining', String(rate.remaining));
    to.writeHeader('RateLimit-Reset', String(rate.resetSeconds));
  }
  if (status === 429 && rate?.allowed === false) to.writeHeader('Retry-After', String(rate.resetSeconds));
  else if (status === 429 || status === 503)
    to.writeHeader('Retry-After', String(exchange.retryAfterSeconds ?? RETRY_AFTER_SECONDS));
  if (replayed) to.writeHeader('Idempotent-Replayed', 'true');
  if (ignored.length > 0) to.writeHeader('X-Ignored-Fields', ignoredFieldsHeader(ignored));
  if (exchange.allowOrigin !== undefined) {
    to.writeHeader('Access-Control-Allow-Origin', exchange.allowOrigin);
    to.writeHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
  }
  if (exchange.varyOrigin) to.writeHeader('Vary', 'Origin');
  for (const name in extra) to.writeHeader(name, extra[name] ?? '');
}

export type Headers = Readonly<Record<string, string>>;

/** The library's response object, or a text. */
export interface HeadWriter {
  writeStatus(status: string): unknown;
  writeHeader(name: string, value: string): unknown;
}

/**
 * Collects a head as text. If the library gets it as the status line, it sends a complete head with the empty line at
 * its end, and the response stays open. The library then adds no `Date`, so the caller must.
 */
export function createHeadText(): HeadWriter & { readonly text: string } {
  let text = '';
  return {
    writeStatus: (status) => (text += `${status}\r\n`),
    writeHeader: (name, value) => (text += `${name}: ${value}\r\n`),
    get text() {
      return text;
    },
  };
}

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
