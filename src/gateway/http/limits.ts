/** Bounds of the answers on one HTTP connection. */
export const HTTP_LIMITS = {
  /** A declared body up to this size is drained and answered 413. A larger one ends the connection. */
  bodyDrainBytes: 8 * 1024 * 1024,
  /** uWebSockets.js holds back responses up to this size until it has parsed all requests that arrived. */
  corkBufferBytes: 16 * 1024,
  /** Bytes of large bodies that one turn of the event loop writes: 1 MiB takes the kernel about a millisecond. */
  turnWriteBytes: 4 * 1024 * 1024,
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

  /** Characters of the header names that a preflight allows as asked. RudderStack's client asks for 130. */
  preflightHeadersLength: 1_024,
} as const;
