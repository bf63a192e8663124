/** Bounds of the connection to JetStream and of its consumers. */
export const JETSTREAM_LIMITS = {
  /** How long the broker may take for one administrative request (create, look up) before it is repeated. */
  logApiMs: 3_000,
  /** How long a starting process waits for the broker. A cluster elects its leaders in that time. */
  logPatienceMs: 30_000,
  /**
   * Interval at which a process compares the streams with the deployment: about ten requests. Another program lowers
   * them for at most this long.
   */
  logStreamCheckMs: 60_000,
  /** First pause before a request to the broker is repeated; doubled each time up to the second figure. */
  logRetryMs: 20,
  logRetryMaxMs: 500,
  /** Pause between attempts to reconnect. A restarted broker accepts connections within a second. */
  logReconnectMs: 100,
  /** One attempt to connect. A broker that hangs during TLS must not delay the next one of its cluster for longer. */
  logConnectMs: 5_000,
  /** Interval of pings. A silent connection is closed after two without an answer. */
  logPingMs: 5_000,

  /** How long one pull request of a reader stays open at the broker before the reader renews it. */
  readerPullMs: 30_000,
  /** How often the broker sends an idle reader a heartbeat. A consumer is lost after three missing ones. */
  readerHeartbeatMs: 2_000,
  /**
   * The broker deletes a consumer without pull requests after this: twice the renewal, so only dead ones are deleted.
   */
  readerInactiveMs: 60_000,

  /** Bytes of one key-value bucket. CONFIG is the largest: 100,000 documents of 8 KiB. */
  bucketBytes: 1024 * 1024 * 1024,
} as const;
