/** Bounds of the input that routes share: lists, ignored fields, pages. */
export const INPUT_LIMITS = {
  /** Bytes of a body that wait for the owners before the sender must wait. */
  listWaitingBytes: 1024 * 1024,
  /** How long the rest of a refused list may take before the connection is closed. */
  listDiscardMs: 30_000,
  /** How often the idle timer of uWebSockets.js, 8 s at least, starts anew while a sender waits for its answer. */
  listKeepOpenMs: 3_000,

  /** Names listed in `X-Ignored-Fields`. A caller finds the typo with this many, and the header stays small. */
  ignoredFieldNames: 16,
  /** Characters of one name in `X-Ignored-Fields`. */
  ignoredFieldLength: 64,
  /**
   * Bytes of `X-Ignored-Fields`. Together with all other headers it fits the 4 KiB that nginx buffers of a response
   * head.
   */
  ignoredFieldsBytes: 2_048,
  /** Characters of the items on one page. Writing and sending them takes 25 ms of the main thread. */
  pageChars: 4 * 1024 * 1024,
} as const;
