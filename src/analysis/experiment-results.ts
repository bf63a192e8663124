import { compare, fixedInterval, type Interval, relativeLift, type Sample, type TooSmall } from './comparison.ts';
import { sampleRatio, type SampleRatio } from './sample-ratio.ts';
import { sequentialInterval } from './sequential.ts';

/** The measurements of one variant. */
export interface VariantSample extends Sample {
  variantKey: string;
  /** Expected share of the players, in any unit; null if unknown. */
  weight: number | null;
  /** Players assigned to this variant, including those that are excluded because of an earlier period. */
  arrived: number;
  /** Sum of the metric over all players. */
  sum: number;
}

/** Figures that cannot be computed are null: comparisons of the control with itself, and figures of too few players. */
export interface VariantResult {
  variantKey: string;
  players: number;
  conversions: number;
  sum: number | null;
  mean: number | null;
  lift: number | null;
  /** null for the control. */
  interval: Interval | null;
  /** As `interval`, but valid at every look. */
  sequential: Interval | null;
}

export interface ExperimentResults {
  variants: VariantResult[];
  sampleRatio: SampleRatio;
}

/** Error rate of every interval and test: 95 % confidence. Not corrected for the number of variants. */
export const ALPHA = 0.05;

/** Compares every variant with the first one, the control. */
export function experimentResults(samples: readonly VariantSample[]): ExperimentResults {
  const [control] = samples;
  return {
    variants: samples.map((sample) => resultOf(sample, sample === control ? undefined : control)),
    sampleRatio: ratioOf(samples),
  };
}

/**
 * Players of each variant below which a group is too small: with fewer, means of what few players do are far from
 * normal, and the intervals do not hold. It is a convention, not a bound that holds for every metric.
 */
export const SMALL_GROUP_PLAYERS = 100;

/** Whether a variant that is expected to have players has too few for its intervals to hold. */
export function isSmallGroup(samples: readonly VariantSample[]): boolean {
  return samples.some(({ weight, players }) => weight !== 0 && players < SMALL_GROUP_PLAYERS);
}

function resultOf(sample: VariantSample, control: VariantSample | undefined): VariantResult {
  const { variantKey, players, conversions, sum, mean } = sample;
  const known = players > 0;
  return {
    variantKey,
    players,
    conversions,
    sum: known ? finite(sum) : 0,
    mean: known ? finite(mean) : null,
    lift: control === undefined || !known ? null : (relativeLift(control, sample) ?? null),
    ...intervalsOf(control, sample),
  };
}

/** Compares a variant with the control; null without a control. */
export function intervalsOf(
  control: Sample | undefined,
  sample: Sample,
): Pick<VariantResult, 'interval' | 'sequential'> {
  if (control === undefined) return { interval: null, sequential: null };
  const compared = compare(control, sample);
  if (typeof compared === 'string') return { interval: unknownFor(compared), sequential: unknownFor(compared) };
  return { interval: fixedInterval(compared, ALPHA), sequential: sequentialInterval(compared, ALPHA) };
}

/** A comparison without figures. */
const unknownFor = (tooSmall: TooSmall): Interval => ({ low: null, high: null, pValue: null, tooSmall });

function ratioOf(samples: readonly VariantSample[]): SampleRatio {
  const cells = samples.flatMap(({ arrived, weight }) => (weight === null ? [] : [{ players: arrived, weight }]));
  return cells.length === samples.length ? sampleRatio(cells) : { pValue: null, mismatch: false };
}

/** Sums of callers' values may overflow a double. */
function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
