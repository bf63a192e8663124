/**
 * Headers that a webhook must not set, in lower case: those that the service signs or that describe the body, those of
 * the connection (RFC 9110, section 7.6.1), and those that could name another receiver than the URL.
 */
const RESERVED = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'user-agent',
  'x-service-signature',
  'x-service-signature-previous',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'host',
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]);

/** Whether a webhook may not set this header. The name may be in any case. */
export function isReservedHeader(name: string): boolean {
  return RESERVED.has(name.toLowerCase());
}
