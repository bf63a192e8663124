import { fixedInterval, type Interval, relativeLift, type Sample, type TooSmall } from './comparison.ts';
import { holm } from './holm.ts';
import { compare } from './pooled.ts';
import { sampleRatio, type SampleRatio } from './sample-ratio.ts';
import { sequentialInterval } from './sequential.ts';

/** The measurements of one variant. */
export interface VariantSample extends Sample {
  variantKey: string;
  /** Expected share of the players, in any unit; null if unknown. */
  weight: number | null;
  /** Players assigned to this variant, including those that are excluded because of an earlier period. */
  arrived: number;
  /** The sum of the squares of the numbers of these players who were drawn together. */
  arrivedSquares: number;
  /** Sum of the metric over all players. */
  sum: number;
}

/** Figures that cannot be computed are null: comparisons of the control with itself, and figures of too few players. */
export interface VariantResult {
  variantKey: string;
  players: number;
  /** Units of the comparison, if players were drawn together; null: each was drawn alone. */
  clusters: number | null;
  conversions: number;
  sum: number | null;
  mean: number | null;
  lift: number | null;
  /** null for the control. */
  interval: Adjusted | null;
  /** As `interval`, but valid at every look. */
  sequential: Adjusted | null;
  /** null for the control. */
  decision: Decision | null;
}

export const DECISIONS = ['higher', 'lower', 'undecided'] as const;
/** How a variant differs from the control, by its adjusted always-valid p-value. */
export type Decision = (typeof DECISIONS)[number];

/** The interval of one comparison, and its p-value adjusted for all variants that are compared with the control. */
export interface Adjusted extends Interval {
  pAdjusted: number | null;
}

export interface ExperimentResults {
  variants: VariantResult[];
  sampleRatio: SampleRatio;
}

/** Error rate of every interval and test: 95 % confidence. Intervals are not corrected for the number of variants. */
export const ALPHA = 0.05;

/** Compares every variant with the first one, the control. */
export function experimentResults(samples: readonly VariantSample[]): ExperimentResults {
  const [control] = samples;
  const compared = samples.map((sample) => intervalsOf(sample === control ? undefined : control, sample));
  // A variant without a weight gets no players, so it is no comparison that could find something.
  const isTested = samples.map(({ weight, players }, place) => place > 0 && (weight !== 0 || players > 0));
  const intervals = adjusted(
    compared.map(({ interval }) => interval),
    isTested,
  );
  const sequential = adjusted(
    compared.map(({ sequential: anytime }) => anytime),
    isTested,
  );
  return {
    variants: samples.map((sample, place) => {
      const figures = figuresOf(sample, sample === control ? undefined : control);
      const [interval = null, anytime = null] = [intervals[place], sequential[place]];
      return { ...figures, interval, sequential: anytime, decision: decisionOf(anytime, sample, control) };
    }),
    sampleRatio: ratioOf(samples),
  };
}

function decisionOf(anytime: Adjusted | null, { mean }: Sample, control: Sample | undefined): Decision | null {
  if (anytime === null || control === undefined) return null;
  if (anytime.pAdjusted === null || anytime.pAdjusted >= ALPHA) return 'undecided';
  return mean > control.mean ? 'higher' : 'lower';
}

/** Adjusts the p-values of all variants that are tested. The order is that of the variants. */
export function adjusted(intervals: readonly (Interval | null)[], isTested: readonly boolean[]): (Adjusted | null)[] {
  const tested = intervals.flatMap((interval, place) => (isTested[place] === true ? [{ interval, place }] : []));
  const pAdjusted = holm(tested.map(({ interval }) => interval?.pValue ?? null));
  const byPlace = new Map(tested.map(({ place }, rank) => [place, pAdjusted[rank] ?? null]));
  return intervals.map((interval, place) => interval && { ...interval, pAdjusted: byPlace.get(place) ?? null });
}

/**
 * Players of each variant below which a group is too small: with fewer, means of what few players do are far from
 * normal, and the intervals do not hold. It is a convention, not a bound that holds for every metric.
 */
export const SMALL_GROUP_PLAYERS = 100;

/** Whether a variant that is expected to have players has too few for its intervals to hold. */
export function isSmallGroup(samples: readonly VariantSample[]): boolean {
  return samples.some(
    ({ weight, players, clusters }) => weight !== 0 && (clusters?.count ?? players) < SMALL_GROUP_PLAYERS,
  );
}

function figuresOf(
  sample: VariantSample,
  control: VariantSample | undefined,
): Omit<VariantResult, 'interval' | 'sequential' | 'decision'> {
  const { variantKey, players, conversions, sum, mean, clusters } = sample;
  const known = players > 0;
  return {
    variantKey,
    players,
    clusters: clusters === undefined || clusters.count === players ? null : clusters.count,
    conversions,
    sum: known ? finite(sum) : 0,
    mean: known ? finite(mean) : null,
    lift: control === undefined || !known ? null : (relativeLift(control, sample) ?? null),
  };
}

/** Compares a variant with the control; null without a control. */
export function intervalsOf(
  control: Sample | undefined,
  sample: Sample,
): { interval: Interval | null; sequential: Interval | null } {
  if (control === undefined) return { interval: null, sequential: null };
  const compared = compare(control, sample);
  if (typeof compared === 'string') return { interval: unknownFor(compared), sequential: unknownFor(compared) };
  return { interval: fixedInterval(compared, ALPHA), sequential: sequentialInterval(compared, ALPHA) };
}

/** A comparison without figures. */
const unknownFor = (tooSmall: TooSmall): Interval => ({ low: null, high: null, pValue: null, tooSmall });

function ratioOf(samples: readonly VariantSample[]): SampleRatio {
  const cells = samples.flatMap(({ arrived: players, arrivedSquares: squares, weight }) =>
    weight === null ? [] : [{ players, squares, weight }],
  );
  return cells.length === samples.length ? sampleRatio(cells) : { pValue: null, mismatch: false };
}

/** Sums of callers' values may overflow a double. */
function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
