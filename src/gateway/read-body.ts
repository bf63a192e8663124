import { hash } from 'node:crypto';
import type { RequestContext } from '../api/route/request-context.ts';
import { invalid } from '../api/route/route.ts';
import { failure, type Failure, type FieldFault } from '../../core/kernel/errors.ts';
import { API_LIMITS } from '../api/limits.ts';
import type { Exchange } from './http/exchange.ts';
import { inflateBody } from './http/read/inflate-body.ts';
import { parseJson, parseLenientJson } from './http/read/parse-json.ts';
import type { BodyOutcome } from './http/read/request-body.ts';
import type { BodyRoute, RequestHead } from './http/read/request-head.ts';

/* From a received body to the input of a route. */

/** The context of a request while its body is read; routes get it as `RequestContext`. */
export type OwnContext = { -readonly [Field in keyof RequestContext]: RequestContext[Field] };

/**
 * The body without its compression, or why there is none. Undefined: the sender was too slow, and its connection is
 * closed.
 */
export function wholeBody(
  route: BodyRoute,
  head: RequestHead,
  outcome: BodyOutcome,
  exchange: Exchange,
): { kind: 'whole'; bytes: Buffer } | Failure | undefined {
  const { lenientBody = false } = route;
  switch (outcome.kind) {
    case 'too_large':
      // The length of the rest was not declared, so the connection ends.
      exchange.lastOnConnection = true;
      return tooLarge(route);
    case 'busy':
      exchange.lastOnConnection = true;
      return failure('SERVICE_UNAVAILABLE', 'The gateway is receiving too many request bodies; retry later.');
    case 'too_slow':
      exchange.res.close();
      return undefined;
    case 'whole': {
      const { bytes } = outcome;
      // An Idempotency-Key is bound to the inflated body, so a retry may use another encoding.
      const isGzip = lenientBody ? hasGzipMagic(bytes) : head.isGzip && bytes.length > 0;
      const body = isGzip ? inflateBody(bytes) : outcome;
      if (body.kind === 'too_large') return tooLarge(route);
      return body.kind === 'broken' ? invalid([BROKEN_GZIP]) : body;
    }
  }
}

/** RFC 1952, section 2.3.1. No JSON text begins with these bytes. */
function hasGzipMagic(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Adds the body to a request's input and what follows from it to its context, or returns why it is refused. */
export function addBody(
  route: BodyRoute,
  head: RequestHead,
  context: Pick<OwnContext, 'idempotency' | 'faults'>,
  bytes: Buffer,
): Failure | undefined {
  if (head.idempotencyKey !== '') {
    const bodyHash = hash('sha256', Buffer.concat([Buffer.from(head.target), bytes]), 'hex');
    context.idempotency = { key: head.idempotencyKey, bodyHash };
  }
  if (route.input.body === undefined) return undefined;
  if (bytes.length === 0 && route.bodyOptional === true) {
    head.input.body = {};
    return undefined;
  }
  const json = route.lenientBody === true ? parseLenientJson(bytes) : parseJson(bytes);
  if (json.kind === 'broken') return invalid([{ path: '', message: json.message }]);
  head.input.body = json.value;
  context.faults = json.faults;
  return undefined;
}

const BROKEN_GZIP: FieldFault = {
  path: '',
  message: 'is not complete gzip data; compress it or leave out Content-Encoding',
};

export function tooLarge(route: BodyRoute): Failure {
  return failure(
    'PAYLOAD_TOO_LARGE',
    `The request body must be at most ${mostBytesOf(route)} bytes after decompression.`,
  );
}

export function mostBytesOf({ streamedBody }: BodyRoute): number {
  return streamedBody?.mostBytes ?? API_LIMITS.bodyBytes;
}
