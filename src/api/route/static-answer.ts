import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { TextAnswer } from './answer.ts';
import { isHeld } from '../input/if-none-match.ts';

/* Answers that are the same for all callers: one buffer for each coding, which all responses share. */

export interface StaticContent {
  type: string;
  etag: string;
  plain: Uint8Array;
  brotli?: Uint8Array | undefined;
  gzip?: Uint8Array | undefined;
}

/** The headers of a request that choose the form of such an answer. */
export interface Negotiation {
  acceptEncoding: string;
  ifNoneMatch: string;
}

/** @param headers further headers of the answer */
export function staticAnswer(
  { type, etag, plain, brotli, gzip: zipped }: StaticContent,
  { acceptEncoding, ifNoneMatch }: Negotiation,
  headers: Readonly<Record<string, string>>,
): TextAnswer {
  const codings = [
    ['br', brotli],
    ['gzip', zipped],
  ] as const;
  const [coding, body] = codings.find(([name, bytes]) => bytes !== undefined && accepts(acceptEncoding, name)) ?? [];
  const tag = `"${etag}${coding === undefined ? '' : `-${coding}`}"`;
  const all = {
    ...headers,
    Vary: 'Accept-Encoding',
    ETag: tag,
    ...(coding === undefined ? {} : { 'Content-Encoding': coding }),
  };
  if (ifNoneMatch !== '' && isHeld(ifNoneMatch, tag)) {
    return { kind: 'text', status: 304, contentType: undefined, body: '', headers: all };
  }
  return { kind: 'text', contentType: type, body: body ?? plain, headers: all };
}

/** Compresses a content once, on other threads. */
export async function compressed(type: string, plain: Uint8Array): Promise<StaticContent> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const [brotli, zipped] = await Promise.all([promisify(brotliCompress)(plain, { params }), promisify(gzip)(plain)]);
  return { type, etag: etagOf(plain), plain, brotli, gzip: zipped };
}

/** Beyond it a megabyte takes seconds. */
const BROTLI_QUALITY = 7;

export function etagOf(plain: Uint8Array): string {
  return hash('sha256', plain, 'hex').slice(0, 16);
}

function accepts(acceptEncoding: string, coding: string): boolean {
  return acceptEncoding.split(',').some((part) => {
    const [name = '', weight = ''] = part.split(';');
    return name.trim() === coding && weight.replaceAll(' ', '') !== 'q=0';
  });
}
