/**
 * Headers of a delivery that its webhook can't set, in lower case: those the service signs or describes the body with,
 * and those that belong to the connection (RFC 9110, section 7.6.1) or would say a different receiver than the URL.
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
