import { hash } from 'node:crypto';
import { API_LIMITS } from '../../api/limits.ts';
import { invalid } from '../../api/route/route.ts';
import { failure, type Failure, type FieldFault } from '../../../core/kernel/errors.ts';
import { NO_DUTIES, type OwnContext } from '../access/audited-request.ts';
import { counted } from '../access/limits/metered-request.ts';
import { senderOf } from '../http/fair-memory.ts';
import { inflateBody } from '../http/read/inflate-body.ts';
import { parseJson, parseLenientJson } from '../http/read/parse-json.ts';
import type { BodyOutcome } from '../http/read/request-body.ts';
import { type BodyRoute, decodeParams, rawParams, readHead } from '../http/read/request-head.ts';
import type { Call, WithBytes, WithHead, WithKey, WithOutcome, WithParsed, WithPlayer } from './call.ts';

/* Steps that read a request: its head while the handler runs, and its body once it has arrived. */

/** Failures have the form of the route's protocol from here on. */
export function failuresShaped(call: Call) {
  const { route, reader, exchange, req } = call;
  const { failures } = route;
  exchange.invalidStatus = route.invalidStatus;
  if (failures === undefined) return call;
  const raw = rawParams(reader.params, req);
  exchange.failureShape = (failure) => failures.toAnswer(failure, decodeParams(reader.params, raw, []));
  return call;
}

/** The caller's network, for steps after the handler has returned. */
export function networkKept<C extends Call>(call: C) {
  const network = call.network();
  call.network = () => network;
  return call;
}

/** Parameters and headers, and what the head says of the body. */
export function headRead<C extends Call<BodyRoute>>(call: C) {
  const { reader, exchange, req, route } = call;
  const { headers } = exchange;
  const head = readHead(reader, headers, req, exchange.ignored);
  if (head.faults.length > 0) return invalid(head.faults);
  if (headers.framing.contentLength > mostBytesOf(route)) return tooLarge(route);
  return head.refused === undefined ? Object.assign(call, { head }) : refusedBody(head.refused, route);
}

function refusedBody(refused: 'type' | 'encoding', { streamedBody }: BodyRoute): Failure {
  if (refused === 'type') return failure('UNSUPPORTED_MEDIA_TYPE');
  return failure('UNSUPPORTED_MEDIA_TYPE', streamedBody === undefined ? WRONG_ENCODING : STREAMED_ENCODING);
}

const WRONG_ENCODING = 'Content-Encoding must be gzip or identity.';
const STREAMED_ENCODING = 'This body must have no Content-Encoding: unpack it first.';

/** The context of the route, with what it declares: entries in the audit, and waiting for a second person. */
export function contextMade<C extends Call & WithKey & WithPlayer & WithHead>(call: C) {
  const { deps, route, key, player, exchange, network, head } = call;
  const { services, audited } = deps;
  const context: OwnContext = {
    services,
    key,
    player,
    origin: { game: key.game, environment: key.environment, receivedAt: services.clock.wallMs(), by: key.kind },
    idempotency: undefined,
    body: undefined,
    faults: NO_FAULTS,
    ignored: exchange.ignored,
    ...NO_DUTIES,
  };
  audited.attach(route, context, network, head.input);
  return Object.assign(call, { context });
}

const NO_FAULTS: readonly FieldFault[] = [];

/** Whether the body is received: an Idempotency-Key is bound to it, even if the route takes none. */
export const hasBody = ({ route, head }: Pick<Call<BodyRoute>, 'route'> & WithHead): boolean =>
  route.input.body !== undefined || head.idempotencyKey !== '';

/** Receives the body. Bodies without a known key share a bound of their own. */
export function receive<C extends Call<BodyRoute>>(call: C, done: (received: C & WithOutcome) => void): void {
  const { deps, res, key, exchange, network } = call;
  const sender = key === undefined ? { game: '', caller: network() } : senderOf(key, exchange.caller);
  exchange.release = deps.bodies.read(res, sender, (outcome: BodyOutcome) => {
    if (exchange.open) done(Object.assign(call, { outcome }));
  });
}

/** The whole body, without its compression. Undefined: the sender was too slow, and its connection is closed. */
export function inflated<C extends Call<BodyRoute> & WithHead & WithOutcome>(call: C) {
  const { route, head, outcome, exchange } = call;
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
      const isGzip = route.lenientBody === true ? hasGzipMagic(bytes) : head.isGzip && bytes.length > 0;
      const body = isGzip ? inflateBody(bytes) : outcome;
      if (body.kind === 'too_large') return tooLarge(route);
      return body.kind === 'broken' ? invalid([BROKEN_GZIP]) : Object.assign(call, { bytes: body.bytes });
    }
  }
}

/** RFC 1952, section 2.3.1. No JSON text begins with these bytes. */
function hasGzipMagic(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

const BROKEN_GZIP: FieldFault = {
  path: '',
  message: 'is not complete gzip data; compress it or leave out Content-Encoding',
};

/** The body as JSON, and its Idempotency-Key. */
export function parsed<C extends Call<BodyRoute> & WithHead & WithParsed & WithBytes>(call: C) {
  const { route, head, context, bytes } = call;
  if (head.idempotencyKey !== '') {
    const bodyHash = hash('sha256', Buffer.concat([Buffer.from(head.target), bytes]), 'hex');
    context.idempotency = { key: head.idempotencyKey, bodyHash };
  }
  if (route.input.body === undefined) return call;
  if (bytes.length === 0 && route.bodyOptional === true) {
    head.input.body = {};
    return call;
  }
  const json = route.lenientBody === true ? parseLenientJson(bytes) : parseJson(bytes);
  if (json.kind === 'broken') return invalid([{ path: '', message: json.message }]);
  head.input.body = json.value;
  context.faults = json.faults;
  return call;
}

/** A body that counts as several requests is counted before it is validated. */
export function itemsCounted<C extends Call & WithKey & WithHead>(call: C) {
  const { deps, route, key, exchange, head } = call;
  const requests = route.requestsOf?.(head.input.body) ?? 1;
  return (requests > 1 ? counted(deps, route, key, exchange, requests - 1) : undefined) ?? call;
}

export function tooLarge(route: BodyRoute): Failure {
  return failure(
    'PAYLOAD_TOO_LARGE',
    `The request body must be at most ${mostBytesOf(route)} bytes after decompression.`,
  );
}

function mostBytesOf({ streamedBody }: BodyRoute): number {
  return streamedBody?.mostBytes ?? API_LIMITS.bodyBytes;
}
