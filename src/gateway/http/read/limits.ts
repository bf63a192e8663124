/**
 * Bounds of reading a body and the JSON in it.
 * uWebSockets.js bounds the header block by itself: beyond 4 KiB it answers 431.
 */
export const BODY_LIMITS = {
  /**
   * Time from a request's headers to the end of its body. uWebSockets.js cuts off senders below 16 KiB/s much sooner.
   */
  bodyReceiveMs: 60_000,
  /** Bytes of all bodies that are still arriving: 256 of the largest. Beyond it a request is answered 503. */
  bodyReceivingBytes: 256 * 1024 * 1024,
  /**
   * The part of it for bodies that may hold the API key: 64 of the largest. Callers without a key can send them, and
   * requests with a key in the head keep the rest.
   */
  keylessBodyReceivingBytes: 64 * 1024 * 1024,

  /**
   * Nesting of a body whose route cuts deeper values off by itself (`fittedDepth`). Parsing does not recurse; the bound
   * keeps a hostile body from a million levels.
   */
  lenientJsonDepth: 1_024,
  /**
   * Commas, colons and opening brackets of a body. A batch of 100 events with 200 properties each has 41,000. Parsing
   * costs up to 0.5 µs for each (unique keys with escapes), so the worst body takes 25 ms of the main thread.
   */
  jsonSeparators: 50_000,
  /** Characters of one number in a body. 17 digits distinguish all doubles; the longest exact decimal has 767. */
  jsonNumberLength: 1_000,
  /**
   * Integers past 2^53 that are listed as faults one by one. Collecting one costs 1 µs, so the worst body costs 2 ms.
   */
  jsonLongIntegers: 2_000,
} as const;
