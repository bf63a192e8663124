import type { HttpRequest } from 'uWebSockets.js';

/*
 * Parsers of request headers. Each reads its text once and uses no regular expression, so its time is linear in the
 * text: some headers are read before the caller is authenticated.
 */

/** The token of `Authorization: Bearer <token>` (RFC 6750); undefined for any other scheme or form. */
export function bearerToken(text: string): string | undefined {
  if (text.slice(0, 7).toLowerCase() !== 'bearer ') return undefined;
  let start = 7;
  while (text[start] === ' ') start += 1;
  const token = text.slice(start);
  return isVisibleAscii(token) ? token : undefined;
}

/**
 * The user of `Authorization: Basic <base64 of user:password>` (RFC 7617); undefined for any other scheme or form. The
 * password is not read.
 */
export function basicUser(text: string): string | undefined {
  if (text.slice(0, 6).toLowerCase() !== 'basic ') return undefined;
  const decoded = Buffer.from(text.slice(6), 'base64').toString('latin1');
  const colon = decoded.indexOf(':');
  const user = colon === -1 ? decoded : decoded.slice(0, colon);
  return isVisibleAscii(user) ? user : undefined;
}

/**
 * All values of a header, joined with commas in the order of their lines (RFC 9110, section 5.3). The library's look-up
 * returns only the first line, which may come from the client while a proxy appended another.
 * @param name in lower case
 */
export function joinedValues(headers: Pick<HttpRequest, 'forEach'>, name: string): string {
  let joined: string | undefined;
  headers.forEach((each, value) => {
    if (each === name) joined = joined === undefined ? value : `${joined},${value}`;
  });
  return joined ?? '';
}

/** The value of the first cookie with a name (RFC 6265, section 4.2.1); undefined if there is none. */
export function cookieValue(text: string, name: string): string | undefined {
  for (const pair of text.split(';')) {
    const trimmed = pair.trim();
    if (trimmed.startsWith(name) && trimmed[name.length] === '=') return trimmed.slice(name.length + 1);
  }
  return undefined;
}

/** Whether a text is one or more characters from `!` to `~`: visible ASCII without spaces. */
export function isVisibleAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x21 || code > 0x7e) return false;
  }
  return text !== '';
}

/** Whether a Content-Type is JSON in UTF-8: `application/json`, with no other parameter than `charset=utf-8`. */
export function isJsonType(text: string): boolean {
  if (text === 'application/json') return true;
  const [type = '', ...parameters] = text.toLowerCase().split(';');
  return type.trim() === 'application/json' && parameters.every(isUtf8Parameter);
}

/** The encoding of a body by its Content-Encoding; undefined for unsupported encodings. */
export function contentCoding(text: string): 'identity' | 'gzip' | undefined {
  if (text === '') return 'identity';
  const coding = text.trim().toLowerCase();
  // RFC 9110, section 8.4.1.3: x-gzip is another name of gzip.
  if (coding === 'gzip' || coding === 'x-gzip') return 'gzip';
  return coding === 'identity' ? 'identity' : undefined;
}

/** An empty parameter is legal (RFC 9110, section 5.6.6). */
function isUtf8Parameter(parameter: string): boolean {
  const text = parameter.trim();
  if (text === '') return true;
  const equals = text.indexOf('=');
  const value = text.slice(equals + 1).trim();
  return text.slice(0, Math.max(equals, 0)).trim() === 'charset' && (value === 'utf-8' || value === '"utf-8"');
}
