import { fixedInterval, liftOf, relativeLift, type Interval, type Sample } from './lift.ts';
import { sampleRatio, type SampleRatio } from './sample-ratio.ts';
import { sequentialInterval } from './sequential.ts';

/** What was measured of one variant. */
export interface VariantSample extends Sample {
  variantKey: string;
  /** Its share of the players, in any unit; null when what is expected isn't known. */
  weight: number | null;
  /** Players that came into this variant, those included that are left out for what they saw in an earlier period. */
  arrived: number;
  /** Players with at least one event of the metric. */
  conversions: number;
  /** Of the metric over all players. */
  sum: number;
}

/** Figures that can't be computed are null: those of the control against itself, or of too few players. */
export interface VariantResult {
  variantKey: string;
  players: number;
  conversions: number;
  sum: number | null;
  mean: number | null;
  lift: number | null;
  interval: Interval | null;
  /** As `interval`, but valid however often one looks. */
  sequential: Interval | null;
}

export interface ExperimentResults {
  variants: VariantResult[];
  sampleRatio: SampleRatio;
}

/** Error rate of every interval and test: 95 % confidence. Comparisons with several variants are not corrected for their number. */
export const ALPHA = 0.05;

/** Compares every variant with the first, the control. */
export function experimentResults(samples: readonly VariantSample[]): ExperimentResults {
  const [control] = samples;
  return {
    variants: samples.map((sample) => resultOf(sample, sample === control ? undefined : control)),
    sampleRatio: ratioOf(samples),
  };
}

function resultOf(sample: VariantSample, control: VariantSample | undefined): VariantResult {
  const { variantKey, players, conversions, sum, mean } = sample;
  const lift = control === undefined ? undefined : liftOf(control, sample);
  const known = players > 0;
  return {
    variantKey,
    players,
    conversions,
    sum: known ? finite(sum) : 0,
    mean: known ? finite(mean) : null,
    lift: control === undefined || !known ? null : (relativeLift(control, sample) ?? null),
    interval: lift === undefined ? null : fixedInterval(lift, ALPHA),
    sequential: lift === undefined ? null : sequentialInterval(lift, ALPHA),
  };
}

function ratioOf(samples: readonly VariantSample[]): SampleRatio {
  const cells = samples.flatMap(({ arrived, weight }) => (weight === null ? [] : [{ players: arrived, weight }]));
  return cells.length === samples.length ? sampleRatio(cells) : { pValue: null, mismatch: false };
}

/** Sums of what callers send may leave what a number can hold. */
function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
