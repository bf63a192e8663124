import type { Environment } from '../documents/scope.ts';

/**
 * One conversion score as it was returned. It belongs to no player, so it goes to RECORDS and from there to ClickHouse
 * instead of through a partition. Sufficient for retraining: it holds the model's input.
 */
export interface ScoreRecord {
  /** UUIDv7: the identity of the row. A record that is appended twice is one row. */
  recordId: string;
  game: string;
  /** The organisation that owns the game. */
  tenant: string;
  environment: Environment;
  deviceId: string;
  /** 0 to 1, as float32. */
  score: number;
  bucket: ScoreBucket;
  /** First 12 hex characters of the artifact's SHA-256. */
  modelVersion: string;
  features: ScoreFeatures;
  /** The device id is reserved for tests and selects the bucket; nothing was computed. */
  forced: boolean;
  /** Made by the challenger model, whose scores are never returned. */
  challenger: boolean;
  /** Epoch milliseconds. */
  scoredAt: number;
}

export type ScoreBucket = 'top_1pct' | 'top_5pct' | 'top_10pct' | 'rest';

/** The model's input, by the names of the API; `models/first-user-conversion/manifest.json` says the units. */
export interface ScoreFeatures {
  loot_distinct_types: number;
  sess_duration_total: number;
  match_avg_fight_time: number;
  match_wins: number;
  /** Hour of the day in UTC, 0 to 23. */
  install_hour: number;
  vpay_count: number;
}
