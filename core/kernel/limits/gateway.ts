/** Bounds of a gateway process: connections, bodies in transit, caches of credentials, rate limiting and its stop. */
export const GATEWAY_LIMITS = {
  /**
   * How long a fresh process waits for partitions without an owner after another partition has answered. Longer than a
   * failover: then the first requests of all players succeed. Bounded, so that a gateway can start while one partition
   * stays without an owner.
   */
  readyPatienceMs: 30_000,
  /** Open HTTP connections of one process. A connection over it is closed at once. */
  connections: 20_000,
  /**
   * Time from a request's headers to the end of its body. uWebSockets.js cuts off senders below 16 KiB/s much sooner.
   */
  bodyReceiveMs: 60_000,
  /** Bytes of all bodies that are still arriving: 256 of the largest. Beyond it a request is answered 503. */
  bodyReceivingBytes: 256 * 1024 * 1024,
  /**
   * The part of it for bodies that may hold the API key: 64 of the largest. Anybody can send these, and requests with a
   * key in the head keep the rest.
   */
  keylessBodyReceivingBytes: 64 * 1024 * 1024,
  /** A declared body up to this size is drained and answered 413. A larger one ends the connection. */
  bodyDrainBytes: 8 * 1024 * 1024,
  /**
   * Seconds that `Keep-Alive` promises for an idle connection. uWebSockets.js closes it 8 to 12 s after the last
   * response (10 s in steps of 4; not configurable). The difference covers the transit time of the next request.
   */
  keepAliveSeconds: 5,
  /** uWebSockets.js holds back responses up to this size until it has parsed all requests that arrived. */
  corkBufferBytes: 16 * 1024,
  /** Bytes of large bodies that one turn of the event loop writes: 1 MiB takes the kernel about a millisecond. */
  turnWriteBytes: 4 * 1024 * 1024,
  /** Callers who ask for the metrics within this time share their text. */
  metricsShareMs: 250,
  /**
   * Bytes of responses that clients have not read, over all connections of a process: 512 of the largest echo of flag
   * keys (256 KB); 20,000 connections would otherwise hold 5 GB. The kernel holds up to 4 MB more for each connection.
   */
  unreadAnswerBytes: 128 * 1024 * 1024,
  /**
   * Time to read a response that does not fit the socket's buffer: this, and one second for each 16 KiB, the slowest
   * rate that uWebSockets.js accepts from a sender. A page of 1 MiB has 94 s; a phone with 50 KB/s needs 21 s.
   */
  answerReadMs: 30_000,
  answerReadBytesPerSecond: 16 * 1024,
  /**
   * How often such responses restart the idle time-out of uWebSockets.js (8 to 12 s), which would end slow readers.
   */
  answerKeepOpenMs: 4_000,
  /**
   * Responses without a body (preflights, HEAD, 304) after which a connection is closed: this number, plus up to 255 at
   * random. The service cannot see whether they are read. The kernel holds 90 KB of them for a connection on average.
   */
  bodilessAnswers: 64,
  /** Log lines about failed requests, per second. A broken caller must not flood the log. */
  errorLinesPerSecond: 10,

  /** An API key's text, in characters. Valid keys are shorter; a longer text is rejected before it is hashed. */
  apiKeyLength: 208,
  /** API keys whose hash is cached in a gateway. */
  apiKeyCache: 10_000,
  /** IPv6 addresses of callers whose network is cached in a gateway. */
  callerAddressCache: 10_000,
  /** Characters of a player token. An `external_id` of 256 characters in any script fits. */
  playerTokenLength: 2_048,
  /** Tolerance on both ends of a player token's validity, for clocks that differ. */
  playerTokenSkewMs: 60_000,
  /** Verified player tokens cached in a gateway, at most 20 MB. A hit saves checking a signature (10 µs). */
  playerTokenCache: 10_000,
  /**
   * Bad player tokens of one network within a minute, after which it is rate limited before its tokens are checked: 3.5
   * ms of signatures, and more than the expired tokens of one network's players.
   */
  badPlayerTokens: 100,
  /** Networks whose bad player tokens are counted. Beyond it the count begins anew, which costs signatures only. */
  badPlayerTokenSenders: 10_000,
  /** Hours that tokens of a secret stay valid after its rotation, at most. */
  playerTokenOverlapHours: 30 * 24,
  /** Attributes that client keys may set, as listed in a game's settings: as many as a player may have. */
  listedAttributes: 256,

  /** How often gateways exchange their request counts. A burst may exceed a rate limit for this long. */
  rateExchangeMs: 250,
  /** Counts (one per key and second) in one message of that exchange. */
  rateCountsPerMessage: 2_000,

  /** How long a stopping server waits for requests in flight: the deadline of a command, its grace, and 0.5 s. */
  serverCloseMs: 6_500,
  /** Time for the service's graceful stop. The documented 10 s include the processes that stop after it. */
  shutdownMs: 8_500,
} as const;
