import { BlockList, isIPv4 } from 'node:net';
import type { HttpRequest, HttpResponse } from 'uWebSockets.js';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Headers that a proxy adds. */
const PROXY_HEADERS: ReadonlySet<string> = new Set([
  'x-forwarded-for',
  'forwarded',
  'via',
  'x-real-ip',
  'x-forwarded-host',
]);

/**
 * Whether a process of this machine sent a request for itself: over loopback, without headers of a proxy, and with a
 * local `Host` (unlike a web page whose name resolves to 127.0.0.1). A proxy that adds no header and changes `Host` is
 * not detected.
 */
export function isLocalRequest(res: HttpResponse, req: HttpRequest): boolean {
  const peer = Buffer.from(res.getRemoteAddressAsText()).toString('latin1');
  return isLoopback(peer) && !hasProxyHeader(req) && isLocalHost(req.getHeader('host'));
}

/**
 * Counts empty values as well: a client may send an empty line before the proxy's line, and a look-up returns the
 * first.
 */
export function hasProxyHeader(headers: Pick<HttpRequest, 'forEach'>): boolean {
  let found = false;
  headers.forEach((name) => {
    found ||= PROXY_HEADERS.has(name);
  });
  return found;
}

/** @param address IPv4, IPv6, or IPv4 in the form of IPv6 */
export function isLoopback(address: string): boolean {
  return LOOPBACK.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

/** @param host the header `Host`, with or without a port */
export function isLocalHost(host: string): boolean {
  if (host.startsWith('[')) return isLoopback(host.slice(1, Math.max(1, host.indexOf(']'))));
  const colon = host.indexOf(':');
  const name = (colon === -1 ? host : host.slice(0, colon)).toLowerCase();
  return name === 'localhost' || (isIPv4(name) && isLoopback(name));
}
