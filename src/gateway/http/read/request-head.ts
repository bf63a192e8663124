import type { HttpRequest } from 'uWebSockets.js';
import type { RawInput } from '../../../api/route/access.ts';
import type { ConsoleRoute, KeyedRoute } from '../../../api/route/route.ts';
import type { FieldFault } from '../../../../core/kernel/errors.ts';
import { INPUT_LIMITS } from '../../../api/input/limits.ts';
import { ROUTE_LIMITS } from '../../../api/route/limits.ts';
import { VALIDATION_LIMITS } from '../../../../core/kernel/validation/limits.ts';
import { noteIgnoredName } from '../../../api/input/ignored-fields.ts';
import { bearerToken, contentCoding, isJsonType, isVisibleAscii } from './header-values.ts';
import { readQuery } from './query-string.ts';
import type { RequestHeaders } from './request-headers.ts';

/** The head of a request, as declared by its route. Read it before the handler returns and after finding the key. */
export interface RequestHead {
  /** Empty if none was sent. */
  idempotencyKey: string;
  /** Method, path and query: an Idempotency-Key is bound to them and to the body. Empty without such a key. */
  target: string;
  /** The unsupported part of the body's declaration: a body must be JSON in UTF-8, plain or gzip. */
  refused: 'type' | 'encoding' | undefined;
  /** Whether the body is compressed. */
  isGzip: boolean;
  input: RawInput;
  faults: FieldFault[];
}

/** The kinds of routes whose input is read. */
export type BodyRoute = KeyedRoute | ConsoleRoute;

/** The parts of a request that one route reads; computed once. */
export interface RouteReader<R extends BodyRoute = KeyedRoute> {
  route: R;
  params: readonly string[];
  query: Readonly<Record<string, unknown>> | undefined;
  /** Header names as documented, and in lower case. */
  headers: readonly { name: string; lower: string }[];
  takesBody: boolean;
  /** Whether clients of third parties call it, which add query parameters of their own. */
  foreignQuery: boolean;
}

export function createRouteReader<R extends BodyRoute>(route: R): RouteReader<R> {
  const { params, query, headers, body } = route.input;
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const described = Object.keys(params?.properties ?? {});
  if (inPath.toSorted().join() !== described.toSorted().join()) {
    throw new Error(`${route.method} ${route.path}: its path and its params schema name different parameters`);
  }
  return {
    route,
    params: inPath,
    query: query?.properties,
    headers: Object.keys(headers?.properties ?? {}).map((name) => ({ name, lower: name.toLowerCase() })),
    takesBody: body !== undefined,
    foreignQuery: route.failures !== undefined,
  };
}

/**
 * The key's text; empty if none was sent. It is read first: without a valid key nothing else is parsed. X-API-Key takes
 * precedence over a bearer token (RFC 6750), because proxies may send their own Authorization.
 */
export function keyTextOf({ apiKey, authorization }: RequestHeaders): string {
  return apiKey === '' ? (bearerToken(authorization) ?? '') : apiKey;
}

/** The path's parameters, still encoded; `decodeParams` decodes them. */
export function rawParams(names: readonly string[], req: HttpRequest): string[] {
  return names.map((_, index) => req.getParameter(index) ?? '');
}

/** Reads the rest of a request's head. @param ignored receives the names of query parameters that are ignored */
export function readHead(
  reader: RouteReader<BodyRoute>,
  headers: RequestHeaders,
  req: HttpRequest,
  ignored: string[],
): RequestHead {
  const faults: FieldFault[] = [];
  const input: RawInput = {};
  if (reader.route.input.params !== undefined)
    input.params = decodeParams(reader.params, rawParams(reader.params, req), faults);
  const text = req.getQuery() ?? '';
  if (text.includes('%') && decode(text) === undefined) {
    faults.push({ path: 'query', message: ENCODING_RULE });
  }
  const query = readQuery(text, reader.query ?? {}, (name) => {
    if (reader.foreignQuery) noteIgnoredName(name, ignored);
    else noteUnknown(name, reader.query ?? {}, faults);
  });
  if (reader.query !== undefined) input.query = query;
  if (reader.headers.length > 0) input.headers = declaredHeaders(reader, req);
  const coding = contentCoding(headers.contentEncoding);
  const idempotencyKey = reader.route.idempotent === true ? headers.idempotencyKey : '';
  if (idempotencyKey !== '' && !isIdempotencyKey(idempotencyKey)) {
    faults.push({
      path: 'Idempotency-Key',
      message: `must be 1 to ${ROUTE_LIMITS.idempotencyKeyLength} visible ASCII characters`,
    });
  }
  return {
    idempotencyKey,
    target: idempotencyKey === '' ? '' : `${reader.route.method} ${req.getUrl()}?${req.getQuery() ?? ''}\n`,
    refused: refusedOf(reader, headers, coding),
    isGzip: coding === 'gzip',
    input,
    faults,
  };
}

/** A misspelt filter or limit would answer something else than the caller asked for. */
function noteUnknown(name: string, query: Readonly<Record<string, unknown>>, faults: FieldFault[]): void {
  if (faults.length >= VALIDATION_LIMITS.reportedFaults) return;
  const known = Object.keys(query).join(', ');
  const message = `is not a query parameter of this endpoint, which has ${known === '' ? 'none' : known}`;
  faults.push({ path: name.slice(0, INPUT_LIMITS.ignoredFieldLength), message });
}

function isIdempotencyKey(text: string): boolean {
  return text.length <= ROUTE_LIMITS.idempotencyKeyLength && isVisibleAscii(text);
}

function refusedOf(
  { route, takesBody }: RouteReader<BodyRoute>,
  { framing, contentType }: RequestHeaders,
  coding: ReturnType<typeof contentCoding>,
): RequestHead['refused'] {
  // A streamed body is read as it arrives: nothing inflates it.
  if (route.streamedBody !== undefined) return coding === 'identity' ? undefined : 'encoding';
  // A request has a body if it declares its framing (RFC 9112, section 6).
  const isWithoutBody = framing.contentLength === 0 && !framing.chunked;
  if (!takesBody || route.lenientBody === true || (route.bodyOptional === true && isWithoutBody)) return undefined;
  if (!isJsonType(contentType)) return 'type';
  return coding === undefined ? 'encoding' : undefined;
}

const ENCODING_RULE = 'must be percent-encoded UTF-8 without U+0000';

/** Decodes parameters by name; an invalid one is a fault and left out. */
export function decodeParams(
  names: readonly string[],
  raw: readonly string[],
  faults: FieldFault[],
): Record<string, string> {
  const params: Record<string, string> = {};
  names.forEach((name, index) => {
    const value = decode(raw[index] ?? '');
    if (value === undefined) faults.push({ path: name, message: ENCODING_RULE });
    else params[name] = value;
  });
  return params;
}

function decode(text: string): string | undefined {
  try {
    const value = decodeURIComponent(text);
    return value.includes('\u0000') ? undefined : value;
  } catch {
    return undefined;
  }
}

function declaredHeaders(reader: RouteReader<BodyRoute>, req: HttpRequest): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { name, lower } of reader.headers) {
    const value = req.getHeader(lower);
    if (value !== '') headers[name] = value;
  }
  return headers;
}
