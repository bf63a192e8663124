import type { HttpRequest } from 'uWebSockets.js';
import { KEY_LIMITS } from './limits.ts';
import { basicUser } from '../../http/read/header-values.ts';
import { keyTextOf, type RouteReader } from '../../http/read/request-head.ts';
import type { RequestHeaders } from '../../http/read/request-headers.ts';

/*
 * API keys where Segment's clients send them. A text that is found here is only a candidate: the key ring decides.
 */

/**
 * The key's text in the head of a request; empty if none was sent there. X-API-Key takes precedence, then the path:
 * Authorization may have a token for another purpose there.
 */
export function writeKeyTextOf(headers: RequestHeaders, reader: RouteReader, req: HttpRequest): string {
  if (headers.apiKey !== '') return headers.apiKey;
  const inPath = reader.params.indexOf(PATH_PARAMETER);
  if (inPath !== -1) return req.getParameter(inPath) ?? '';
  const inHeaders = keyTextOf(headers);
  if (inHeaders !== '') return inHeaders;
  const user = basicUser(headers.authorization);
  if (user !== undefined) return user;
  return req.getQuery('writeKey') ?? '';
}

const PATH_PARAMETER = 'write_key';
const FIELD = Buffer.from('"writeKey"', 'latin1');
const SPACE = 0x20;
const COLON = 0x3a;
const QUOTE = 0x22;

/**
 * The values of the fields `writeKey` in a JSON text, from its end: clients write theirs behind the events. The text is
 * not parsed, because its sender is not authenticated yet; where in the text a valid key stands does not matter, since
 * its sender holds it. At most `writeKeyCandidates` are returned.
 * @param json UTF-8
 */
export function* writeKeysIn(json: Buffer): Generator<string> {
  let from = json.length;
  for (let found = 0; found < KEY_LIMITS.writeKeyCandidates; found++) {
    const field = from < 0 ? -1 : json.lastIndexOf(FIELD, from);
    if (field === -1) return;
    from = field - 1;
    const text = stringAfter(json, field + FIELD.length);
    if (text !== undefined) yield text;
  }
}

/** The string behind a colon; undefined for other values, and for strings that are longer than a key. */
function stringAfter(json: Buffer, position: number): string | undefined {
  let at = position;
  const last = at + KEY_LIMITS.apiKeyLength;
  while (json[at] === SPACE && at < last) at += 1;
  if (json[at] !== COLON) return undefined;
  at += 1;
  while (json[at] === SPACE && at < last) at += 1;
  if (json[at] !== QUOTE) return undefined;
  const start = at + 1;
  const window = json.subarray(start, start + KEY_LIMITS.apiKeyLength + 1);
  const end = window.indexOf(QUOTE);
  return end === -1 ? undefined : window.toString('latin1', 0, end);
}
