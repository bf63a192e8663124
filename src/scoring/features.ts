import type { ScoreFeatures } from '../../core/vocabulary/records/score-record.ts';

/** The columns of the model, in order. A manifest with other columns is refused. */
export const FEATURES = [
  'loot_distinct_types',
  'sess_duration_total',
  'match_avg_fight_time',
  'match_wins',
  'install_hour',
  'vpay_count',
] as const satisfies readonly (keyof ScoreFeatures)[];

/** The largest float32 number. The model's input is float32; larger numbers would become infinity. */
export const FLOAT32_MAX = 2 ** 127 * (2 - 2 ** -23);

/** The first feature that is not a finite float32 number; undefined if all are. */
export function unusableFeature(features: ScoreFeatures): string | undefined {
  return FEATURES.find((name) => !Number.isFinite(Math.fround(features[name])));
}

/** Writes one row of the model's input. Rounds numbers to float32, as training does. */
export function writeRow(target: Float32Array, row: number, features: ScoreFeatures): void {
  const start = row * FEATURES.length;
  target[start] = features.loot_distinct_types;
  target[start + 1] = features.sess_duration_total;
  target[start + 2] = features.match_avg_fight_time;
  target[start + 3] = features.match_wins;
  target[start + 4] = features.install_hour;
  target[start + 5] = features.vpay_count;
}
