/**
 * The exchange rates of a game, by which purchases in other currencies are converted. Stored at `ratesAddress`
 * (exchange-rates.ts) under environment `_`. A game without them converts nothing.
 */
export interface ExchangeRatesDocument {
  /** ISO 4217: the currency of the game when they were stored. They convert only while it still is. */
  currency: string;
  /** By ISO 4217 code of another currency. */
  rates: Record<string, DailyRates>;
  updatedAt: number;
  version: number;
}

/** Units of the game's currency for one of another, by day. */
export interface DailyRates {
  /** Days since 1970-01-01, ascending. */
  days: number[];
  /** The rate of each day. */
  rates: number[];
}
