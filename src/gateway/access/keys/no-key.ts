import { failure, type Failure } from '../../../../core/kernel/errors.ts';
import type { RequestHeaders } from '../../http/read/request-headers.ts';

/** The answer to a request without a valid key. @param text where a key may be; empty if nowhere */
export function noKey({ apiKey, authorization }: RequestHeaders, text: string): Failure {
  if (text === '') return authorization === '' ? KEY_MISSING : NO_SCHEME;
  return /^bearer\s/i.test(apiKey) ? WITH_SCHEME : KEY_UNKNOWN;
}

export const KEY_MISSING = failure('UNAUTHORIZED', 'No API key was sent. Send it as X-API-Key or as a bearer token.');
const KEY_UNKNOWN = failure('UNAUTHORIZED', 'The API key is unknown, revoked or expired. Send a valid key.');
const NO_SCHEME = failure(
  'UNAUTHORIZED',
  'Authorization holds no bearer token: write `Authorization: Bearer <key>`, or send the key as X-API-Key.',
);
const WITH_SCHEME = failure('UNAUTHORIZED', 'X-API-Key must hold the key alone, without `Bearer` before it.');
