import type { PlayerMeasureName } from '../../../core/vocabulary/metrics/experiment-metrics.ts';

/** A metric of an experiment, as its query asks for it. */
export interface Metric {
  /** Name of the events measured; '' of metrics without. */
  metric: string;
  aggregate: Aggregate;
  /** The share of players, of all variants together, above whose values larger ones are capped: 0.9 to 0.9999. */
  winsorize?: number | undefined;
  /** Whether the same metric before the exposure is taken off, as far as it explains this one. */
  cuped?: boolean | undefined;
}

/**
 * What is measured of a player (core/vocabulary/metrics/experiment-metrics.ts). A property is a key, or a path of keys
 * joined by dots; a value that is not a number counts as 0.
 */
export type Aggregate =
  | { kind: 'conversion' | 'count' | PlayerMeasureName }
  | { kind: 'sum' | 'mean'; property: string }
  | { kind: 'retention'; day: number }
  | { kind: 'ratio'; property: string | undefined; per: string; perProperty: string | undefined }
  | { kind: 'quantile'; property: string | undefined; quantile: number };
