/** Bounds of names, ids, texts and documents from outside. */
export const TEXT_LIMITS = {
  /** `attributes` or `properties`, as JSON text in UTF-8. */
  documentBytes: 64 * 1024,
  /** Top-level keys of `attributes` or `properties`. */
  documentKeys: 256,
  /** Any string in a body, in UTF-8. */
  stringBytes: 8 * 1024,
  /** Names of events and attributes, in characters. */
  nameLength: 128,

  /** `external_id`, in characters. Percent-encoded in a URL, it must still fit the 4 KiB header block. */
  externalIdLength: 256,
  /** `device_id` of a player, in characters. */
  deviceIdLength: 256,
  /** An e-mail address, in characters: the path limit of RFC 5321. */
  emailLength: 254,
  /** `event_id`, `session_id` and other ids that callers choose, in characters. */
  callerIdLength: 128,

  /** `key` of a flag, a segment or a variant, in characters. */
  definitionKeyLength: 100,
} as const;
