/** Bounds of the settings of a game. */
export const RATE_LIMITS = {
  /**
   * Exchange rates of a game: 30 currencies for 800 days, or for 15 years of weeks. Every process of the deployment
   * holds them, 16 bytes each: 400 kB a game. A body of JSON may have few more (`jsonSeparators`).
   */
  exchangeRates: 24_000,
  /** Faults of a table that are reported. */
  rateFaults: 20,
} as const;

export const STORE_LIMITS = {
  /** Characters of the private key of a service account; Google's have 1,700. */
  privateKeyLength: 8_192,
} as const;
