/**
 * Bounds of one request: its body, the JSON in it, the fields that many routes share, and pages of lists.
 * uWebSockets.js bounds the header block by itself: beyond 4 KiB it answers 431.
 */
export const REQUEST_LIMITS = {
  /** A request body. 100 events whose properties each have the maximum size would be larger and are answered 413. */
  bodyBytes: 1024 * 1024,
  /** `attributes` or `properties`, as JSON text in UTF-8. */
  documentBytes: 64 * 1024,
  /** Top-level keys of `attributes` or `properties`. */
  documentKeys: 256,
  /** Any string in a body, in UTF-8. */
  stringBytes: 8 * 1024,
  /** Names of events and attributes, in characters. */
  nameLength: 128,

  /** Nesting of objects and arrays in a body. Parsing and checking recurse, so this bounds their stack. */
  jsonDepth: 32,
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

  /** Faults listed in one error. A caller can fix a body with this many, and collecting them stays cheap. */
  reportedFaults: 32,
  /**
   * Values of a body, or of one item of a batch, up to which all faults are collected instead of only the first. People
   * write bodies of this size by hand. A batch of 100 wrong items of this size takes 30 ms.
   */
  validatedValues: 500,
  /** Names listed in `X-Ignored-Fields`. A caller finds the typo with this many, and the header stays small. */
  ignoredFieldNames: 16,
  /** Characters of one name in `X-Ignored-Fields`. */
  ignoredFieldLength: 64,
  /**
   * Bytes of `X-Ignored-Fields`. Together with all other headers it fits the 4 KiB that nginx buffers of a response
   * head.
   */
  ignoredFieldsBytes: 2_048,

  /** `external_id`, in characters. Percent-encoded in a URL, it must still fit the 4 KiB header block. */
  externalIdLength: 256,
  /** `device_id` of a player, in characters. */
  deviceIdLength: 256,
  /** An e-mail address, in characters: the path limit of RFC 5321. */
  emailLength: 254,
  /** `event_id`, `session_id` and other ids that callers choose, in characters. */
  callerIdLength: 128,
  /** Events in one batch request, as documented for clients. */
  batchEvents: 100,
  /** Characters of an `Idempotency-Key`: a UUID with a prefix fits, a document does not. */
  idempotencyKeyLength: 255,

  /** Items on one page of a list: the maximum, and the default. */
  pageItems: 500,
  pageItemsDefault: 50,
  /** Characters of the items on one page. Writing and sending them takes 25 ms of the main thread. */
  pageChars: 4 * 1024 * 1024,
  /** `cursor` of a list, in characters. It contains the key of the page's last item. */
  cursorLength: 512,
} as const;
