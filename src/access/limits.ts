/** Bounds of passkeys, OpenID Connect and the tokens of live streams. */
export const ACCESS_LIMITS = {
  /** How long a challenge for a passkey is valid. STREAM_TOKENS keeps entries for longer. */
  challengeMs: 100_000,
  /** How long gateways sign challenges with one secret. STREAM_TOKENS keeps it for longer than this and a challenge. */
  challengeSecretMs: 300_000,
  /**
   * Codes that a process asks the provider about at once; those that wait, in all and of one network. Beyond it 503.
   */
  openIdCodes: 8,
  openIdCodesWaiting: 64,
  openIdCodesOfNetwork: 8,
  /** One request to the provider, the bytes of its answer, and how long what it says of itself is kept. */
  openIdRequestMs: 5_000,
  openIdResponseBytes: 256 * 1024,
  openIdKeptMs: 3_600_000,

  /**
   * Unexpired stream tokens that one process makes for one API key. Each is a synced write and 0.2 kB for eleven
   * minutes.
   */
  streamTokensOfKey: 1_000,
  /**
   * Stream tokens that one process redeems at once. Beyond it 503, because unauthenticated callers may send such texts.
   */
  streamTokensRedeemed: 64,
} as const;
