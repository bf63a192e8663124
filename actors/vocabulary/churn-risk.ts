export type ChurnLevel = 'low' | 'medium' | 'high';

/** One reason for a risk. `contribution` is in ten-thousandths of the score's range. */
export interface ChurnFactor {
  factor: 'session_decline' | 'playtime_decline' | 'inactivity';
  /** The figures behind it, in words. */
  description: string;
  contribution: number;
}

/** How likely a player is thought to leave. */
export interface ChurnRisk {
  /** Ten-thousandths, 0 to 10,000: the sum of the contributions. */
  score: number;
  level: ChurnLevel;
  /** All three, largest first. */
  factors: ChurnFactor[];
  /** Hundredths. */
  confidence: number;
  /** When this was true, epoch milliseconds. */
  predictedAt: number;
}
