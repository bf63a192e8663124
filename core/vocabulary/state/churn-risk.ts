export type ChurnLevel = 'low' | 'medium' | 'high';

/** One reason for a risk. `contribution` is in ten-thousandths of the score's range. */
export interface ChurnFactor {
  factor: 'session_decline' | 'playtime_decline' | 'inactivity';
  /** The underlying figures, in words. */
  description: string;
  contribution: number;
}

/** The estimated likelihood that a player leaves. */
export interface ChurnRisk {
  /** Ten-thousandths, 0 to 10,000: the sum of the contributions. */
  score: number;
  level: ChurnLevel;
  /** All three, largest first. */
  factors: ChurnFactor[];
  /** Hundredths. */
  confidence: number;
  /** The time of evaluation, epoch milliseconds. */
  predictedAt: number;
}
