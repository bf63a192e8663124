import { createHash } from 'node:crypto';

/** The cookie of a session over TLS. Browsers refuse one that another host or an unencrypted page set (RFC 6265bis). */
export const SECURE_COOKIE = '__Host-console';
/** The same without TLS, for `npm start` on one's own machine. It counts on `localhost` only. */
export const PLAIN_COOKIE = 'console';

/** The token that a page must send with changes. Only a page that may read the service's answers learns it. */
export function csrfOf(sessionToken: string): string {
  return createHash('sha256').update(`csrf ${sessionToken}`, 'utf8').digest('base64url');
}
