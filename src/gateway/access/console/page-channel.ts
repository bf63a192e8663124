import type { HttpRequest } from 'uWebSockets.js';
import { joinedValues } from '../../http/read/header-values.ts';
import { isLocalHost } from '../local-request.ts';

/**
 * How the page that sends a request was loaded. `tls`: over TLS, so only cookies count that no other host and no
 * unencrypted page can set. `local`: without TLS on this machine, where `npm start` runs. `open`: without TLS over a
 * network, where no session may be.
 */
export type PageChannel = 'tls' | 'local' | 'open';

/**
 * Browsers send `Origin` with everything that may sign in, and it decides. Other requests count as sent over TLS if a
 * proxy says so, whoever it is: a sender that lies loses nothing but its own plain cookie. So do those to another host
 * than this machine, whose sessions began over TLS.
 */
export function pageChannelOf(req: Pick<HttpRequest, 'getHeader' | 'forEach'>): PageChannel {
  const origin = req.getHeader('origin');
  const isLocal = isLocalHost(req.getHeader('host'));
  if (origin.startsWith('https://')) return 'tls';
  if (origin !== '') return isLocal ? 'local' : 'open';
  return isLocal && !isForwardedOverTls(req) ? 'local' : 'tls';
}

function isForwardedOverTls(req: Pick<HttpRequest, 'forEach'>): boolean {
  return joinedValues(req, 'x-forwarded-proto')
    .split(',')
    .some((protocol) => protocol.trim().toLowerCase() === 'https');
}
