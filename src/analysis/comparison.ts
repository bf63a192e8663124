import type { Clusters } from '../../core/vocabulary/metrics/clusters.ts';
import { fisherCritical, fisherUpper } from './distributions.ts';

/** A metric over the players of one variant. Variance and moments are those of independent units. */
export interface Sample {
  players: number;
  /** Players with something to count. All others have 0. */
  conversions: number;
  /** Mean of the metric per player. For a conversion, the share of players that converted. */
  mean: number;
  /** Sample variance per player (divided by players − 1); of clusters, their number times the variance of `mean`. */
  variance: number;
  /** Third and fourth central moments in units of the standard deviation, μ₃/σ³ and μ₄/σ⁴. NaN if no value varies. */
  skewness: number;
  kurtosis: number;
  /** Variance of what was added to the means of all variants alike; absent: 0. */
  shared?: number;
  /** Absent: each player was drawn alone. */
  clusters?: Clusters;
}

/** Why figures of a comparison are unknown. The keys are those of the API. */
export const TOO_SMALL = {
  players: 'a variant has fewer than two players',
  clusters:
    'a variant has fewer than 10 groups of players who share the device or attribute that drew it, or a few hold most',
  shared_phases:
    'players who share a draw may have come in several phases, so that the phases are not independent: compare one phase',
  values: 'all players have the same value',
  conversions: 'fewer than 6 players of the two variants differ from all others, which no exact test finds significant',
  one_player: 'one player makes nearly all of the difference between players',
  uneven: 'the smaller variant has too few players for values as skewed as these',
  control_mean: 'the mean of the control does not differ from 0, so no interval of the lift has two ends',
} as const;
export type TooSmall = keyof typeof TOO_SMALL;

/** Two means and what is known of their difference. */
export interface Comparison {
  control: Mean;
  treatment: Mean;
  /** (treatment − control) in standard errors of this difference. */
  z: number;
  /** Third central moment of the difference, in units of its standard error. */
  skew: number;
  /** The square of `symmetric(z)` has the F distribution with these degrees of freedom if the means are the same. */
  degrees: readonly [number, number];
  /** Players of both variants together. */
  players: number;
  /** Covariance of the two means. */
  shared: number;
}

export interface Mean {
  mean: number;
  /** Variance of the mean. */
  variance: number;
}

/**
 * A two-sided interval of the lift, and the p-value of no difference. The interval excludes 0 exactly if p < alpha.
 * Unknown figures are null, and `tooSmall` says why.
 */
export interface Interval {
  low: number | null;
  high: number | null;
  pValue: number | null;
  tooSmall: TooSmall | null;
}

/** By simulation: see docs/results.md. */
const LEAST_CLUSTERS = 10;

export function isOfFewClusters(sample: Sample): boolean {
  return sharesDraws(sample) && !((sample.clusters?.effective ?? 0) >= LEAST_CLUSTERS);
}

/** Whether some players were drawn together. */
export function sharesDraws({ players, clusters }: Sample): boolean {
  return clusters !== undefined && clusters.count < players;
}

/** With 5 of them, all in one of two equal variants, the exact p-value is 2 · ½⁵ = 0.0625; with 6 it is 0.03125. */
export const LEAST_DIFFERING = 6;

/** Share of the largest possible fourth cumulant, beyond which a comparison is about one player. */
export const MOST_OF_ONE = 0.9;

/** Beyond it nearly all false positives are on one side, by simulation. */
export const MOST_SKEW = 0.4;

export const meanOf = ({ mean, variance, players }: Sample): Mean => ({ mean, variance: variance / players });

/**
 * The samples of two variants as those of their units: clusters, or players if each was drawn alone. If all units of
 * one variant converted and none of the other, the error would be 0: one unit of each is taken for its opposite.
 */
export function unitsOf(samples: readonly [control: Sample, treatment: Sample]): [control: Sample, treatment: Sample] {
  const [control, treatment] = samples;
  const areApart = samples.every(isUniform) && control.mean !== treatment.mean;
  const units = (sample: Sample): Sample => {
    const players = sample.clusters?.count ?? sample.players;
    if (!areApart) return sample.clusters === undefined ? sample : { ...sample, players };
    return { ...sample, ...sharesOf(players, sample.conversions === 0 ? 1 : players - 1) };
  };
  return [units(control), units(treatment)];
}

/** Whether all players converted, or none did. */
function isUniform(sample: Sample): boolean {
  return isShare(sample) && (sample.conversions === 0 || sample.conversions === sample.players);
}

/** Units of two variants with a player whose value is not that of most: of values 0 and 1, the rarer. */
export function differing(samples: readonly [control: Sample, treatment: Sample]): number {
  const counts = samples.map(
    ({ players, conversions, clusters }) => clusters ?? { converted: conversions, unconverted: players - conversions },
  );
  const converted = counts.reduce((sum, of) => sum + of.converted, 0);
  const unconverted = counts.reduce((sum, of) => sum + of.unconverted, 0);
  return samples.every(isShare) ? Math.min(converted, unconverted) : converted;
}

function isShare({ players, conversions, mean }: Sample): boolean {
  return Math.abs(mean * players - conversions) < 1e-6;
}

/** The sample of a conversion rate. */
export function sharesOf(players: number, conversions: number): Sample {
  const mean = conversions / players;
  const spread = mean * (1 - mean);
  return {
    players,
    conversions,
    mean,
    variance: (spread * players) / (players - 1),
    skewness: (1 - 2 * mean) / Math.sqrt(spread),
    kurtosis: 1 / spread - 3,
  };
}

/** (treatment − control) / |control|: an increase is positive even if the control's mean is negative. */
export function relativeLift(control: Pick<Sample, 'mean'>, treatment: Pick<Sample, 'mean'>): number | undefined {
  const lift = (treatment.mean - control.mean) / Math.abs(control.mean);
  return control.mean !== 0 && Number.isFinite(lift) ? lift : undefined;
}

/** Degrees of freedom of a sum of estimated variances of means (Welch and Satterthwaite). */
export function welchDegrees(terms: readonly { variance: number; players: number }[]): number {
  const largest = Math.max(...terms.map(({ variance }) => variance));
  // Divided by the largest, so that squares of tiny variances do not underflow.
  const parts = terms.map(({ variance, players }) => ({ part: variance / largest, players }));
  const sum = parts.reduce((total, { part }) => total + part, 0);
  return (sum * sum) / parts.reduce((total, { part, players }) => total + (part * part) / (players - 1), 0);
}

/** The shape of all values together. */
export interface Shape {
  players: number;
  /** About the mean of each variant, so that a difference of means is no skewness. */
  skewness: number;
  /** k₄/k₂² about the common mean (Fisher's k-statistics): 0 for normal values, about `players` if one differs. */
  spread: number;
}

export function commonShape(samples: readonly Sample[]): Shape {
  const total = samples.reduce((sum, { players }) => sum + players, 0);
  const common = samples.reduce((sum, { players, mean }) => sum + (players / total) * mean, 0);
  const scale = Math.sqrt(Math.max(...samples.map(({ variance }) => variance)));
  let [within, cubes, squares, fourths] = [0, 0, 0, 0];
  for (const { players, mean, variance, skewness, kurtosis } of samples) {
    const second = (variance * (players - 1)) / players / (scale * scale);
    const shift = (mean - common) / scale;
    // Where values are nearly the same, digits are lost: the shape of such a sample is that of a normal one.
    const third = second > 0 && Number.isFinite(skewness) ? skewness * second ** 1.5 : 0;
    const fourth = second > 0 && Number.isFinite(kurtosis) ? kurtosis * second ** 2 : 3 * second ** 2;
    within += players * second;
    cubes += players * third;
    squares += players * (second + shift ** 2);
    fourths += players * (fourth + 4 * shift * third + 6 * shift ** 2 * second + shift ** 4);
  }
  const skewness = cubes / total / (within / total) ** 1.5;
  if (total < 4) return { players: total, skewness, spread: 0 };
  const k4 =
    (total * (total + 1) * fourths - 3 * (total - 1) * squares ** 2) / ((total - 1) * (total - 2) * (total - 3));
  return { players: total, skewness, spread: k4 / (squares / (total - 1)) ** 2 };
}

/** Skewness of a difference of means, in units of the skewness of values. */
export function skewOf(control: number, treatment: number): number {
  return (1 / treatment ** 2 - 1 / control ** 2) / (1 / treatment + 1 / control) ** 1.5;
}

/**
 * Box and Andersen's δ = 1 + (N + 1)/(N − 1) · c/(N − c), c = `spread`; at least 1, its value for normal values. It
 * fits an F distribution to the moments of the permutation test, whose tail at 5 % is shorter: hence `TAIL`.
 */
export function degreesFactor({ players, spread }: Shape): number {
  return Math.max(1, 1 + (((TAIL * (players + 1)) / (players - 1)) * spread) / (players - spread));
}

/** By simulation, of 165 to 2,000 players a variant of whom 5 % or 10 % spend amounts of a log-normal distribution. */
const TAIL = 0.8;

/** The interval and test that are valid for one look at a time chosen in advance. */
export function fixedInterval(comparison: Comparison, alpha: number): Interval {
  return liftInterval(comparison, fixedCritical(comparison, alpha), fixedPValue(comparison));
}

/** The |symmetric(z)| from which the difference is significant at `alpha`. */
export function fixedCritical({ degrees }: Comparison, alpha: number): number {
  return Math.sqrt(fisherCritical(alpha, ...degrees));
}

export function fixedPValue(comparison: Comparison): number {
  return fisherUpper(symmetric(comparison) ** 2, ...comparison.degrees);
}

/** Hall's transformation of z: ((1 + γz/3)³ − 1)/γ + γ/6. */
export function symmetric({ z, skew }: Pick<Comparison, 'z' | 'skew'>): number {
  return z + (skew / 3) * z ** 2 + (skew ** 2 / 27) * z ** 3 + skew / 6;
}

/** The z with this `symmetric` value. */
function skewed(value: number, skew: number): number {
  return Math.abs(skew) < 1e-9 ? value : (3 * (Math.cbrt(1 + skew * (value - skew / 6)) - 1)) / skew;
}

/**
 * The lifts that a test of treatment − ratio · control with this critical value does not reject (Fieller, "Some
 * Problems in Interval Estimation", Journal of the Royal Statistical Society B 16, 1954).
 */
export function liftInterval(comparison: Comparison, critical: number, pValue: number): Interval {
  const { low, high } = liftBounds(comparison, critical);
  if (low === null || high === null) return { low: null, high: null, pValue, tooSmall: 'control_mean' };
  return { low, high, pValue, tooSmall: null };
}

/**
 * The lifts from which the difference is this many standard errors of `symmetric` below and above: each bound alone
 * holds for a one-sided test with this critical value. null: there is none.
 */
export function liftBounds(comparison: Comparison, critical: number): { low: number | null; high: number | null } {
  const at = (value: number): number | null => liftAt(comparison, skewed(value, comparison.skew)) ?? null;
  return { low: at(critical), high: at(-critical) };
}

/** The lift from which the treatment differs by `z` standard errors; undefined if none does. */
function liftAt({ control, treatment, shared }: Comparison, z: number): number | undefined {
  // In units of the control's mean: ratio² (1 − c) − 2 ratio (r − s) + r² − t = 0.
  const unit = z ** 2 / control.mean ** 2;
  const [c, t, s] = [unit * (control.variance + shared), unit * (treatment.variance + shared), unit * shared];
  if (!(c < 1)) return undefined;
  const r = treatment.mean / control.mean;
  const root = Math.sqrt(Math.max(0, (r - s) ** 2 - (1 - c) * (r ** 2 - t)));
  const sign = Math.sign(control.mean);
  return sign * ((r - s - sign * Math.sign(z) * root) / (1 - c) - 1);
}
