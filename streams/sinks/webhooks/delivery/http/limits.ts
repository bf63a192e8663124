/** Bounds of the HTTP requests to webhooks. */
export const DELIVERY_HTTP_LIMITS = {
  /** Response body bytes read from a receiver. */
  deliveryResponseBytes: 4 * 1024,

  /** Looking up a receiver's name, with all retries: a silent name server must not use up a delivery's time-out. */
  dnsLookupMs: 5_000,
  /** One query to one name server, and queries to each. */
  dnsTryMs: 1_000,
  dnsTries: 3,
  /** Concurrent look-ups: one for each slot, so that no name delays another. */
  dnsLookups: 1_024,
  /** How long a failed look-up is cached, and how many of them. */
  dnsFailureMs: 5_000,
  dnsFailures: 10_000,
  /** Addresses of one name that a connection may try. */
  dnsAddresses: 16,
} as const;
