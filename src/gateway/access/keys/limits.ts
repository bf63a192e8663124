/** Bounds of API keys and player tokens. */
export const KEY_LIMITS = {
  /** An API key's text, in characters. Valid keys are shorter; a longer text is rejected before it is hashed. */
  apiKeyLength: 208,
  /** API keys whose hash is cached in a gateway. */
  apiKeyCache: 10_000,
  /** The longest wait for the expiry of a key: timers of the runtime are bounded. */
  expiryTimerMs: 86_400_000,
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

  /** Places of `writeKey` that are looked at in a body without another key: its own, and those of its last events. */
  writeKeyCandidates: 4,
} as const;
