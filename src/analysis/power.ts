import { normalQuantile } from './distributions.ts';

/** What is known of a metric before an experiment. */
export interface Baseline {
  /** Mean of the metric per player, and its variance between players. */
  mean: number;
  variance: number;
}

export interface PowerPlan {
  /** Error rate of all comparisons together, two-sided. */
  alpha: number;
  /** The probability to find an effect of this size, of each variant. */
  power: number;
  /** Shares of the players that the variants get, in any unit; the first is the control. */
  weights: readonly number[];
  /** Share of the variance that CUPED takes off: the square of the correlation with the metric before; else 0. */
  varianceReduction: number;
}

/**
 * Players of all variants together that find a relative effect: of each treatment
 *
 *   n = (z₁₋α/₂ₘ + z_power)² (s²_t / share_t + s²_c / share_c) / (mde · mean)²
 *
 * (Duflo, Glennerster and Kremer, "Using Randomization in Development Economics Research: A Toolkit", Handbook of
 * Development Economics 4, 2007), and the largest of them. m is the number of treatments: Bonferroni's bound, by which
 * Holm's test finds the smallest of its p-values. The variance of a share is that of the control's share, and of the
 * share that the effect makes of it; that of another metric is the same in all variants.
 * @param mde relative effect, not 0
 * @param isShare whether the metric is a share of players
 * @returns a whole number of players; undefined if no share can be so large or the mean is 0
 */
export function playersFor(baseline: Baseline, mde: number, isShare: boolean, plan: PowerPlan): number | undefined {
  const treated = baseline.mean * (1 + mde);
  if (baseline.mean === 0 || (isShare && (treated <= 0 || treated >= 1))) return undefined;
  const variance = isShare ? treated * (1 - treated) : baseline.variance;
  const needed = treatments(plan).map((share) => {
    const { control, left } = sharesOf(plan);
    const error = left * (variance / share + baseline.variance / control);
    return (quantiles(plan) ** 2 * error) / (mde * baseline.mean) ** 2;
  });
  return Math.ceil(Math.max(...needed));
}

/**
 * The smallest relative effect, upwards, that so many players find; the inverse of `playersFor`, with the error that
 * the effect itself makes.
 * @param players of all variants together
 * @returns undefined if no share can be so large or the mean is 0
 */
export function effectFor(baseline: Baseline, players: number, isShare: boolean, plan: PowerPlan): number | undefined {
  const most = isShare ? 1 / baseline.mean - 1 : LARGEST_EFFECT;
  let [below, above] = [0, most];
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (below + above) / 2;
    const needed = playersFor(baseline, middle, isShare, plan);
    if (needed === undefined || needed > players) below = middle;
    else above = middle;
  }
  return above < most ? above : undefined;
}

/** Beyond it an effect is no plan. */
const LARGEST_EFFECT = 1_000;
/** Halvings, to the last digits of a double. */
const STEPS = 100;

const quantiles = ({ alpha, power, weights }: PowerPlan): number =>
  normalQuantile(1 - alpha / (2 * (weights.length - 1))) + normalQuantile(power);

function sharesOf({ weights, varianceReduction }: PowerPlan): { control: number; left: number } {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return { control: (weights[0] ?? 0) / total, left: 1 - varianceReduction };
}

function treatments({ weights }: PowerPlan): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.slice(1).map((weight) => weight / total);
}

/** Of a plan: when its players will have come. */
export interface Arrivals {
  /** Players whose first day in the experiment would have been its first, second … day. */
  byDay: readonly number[];
  /** Share of them who take part. */
  share: number;
}

/**
 * The day on which so many players have come, from 1. After the known days come as many a day as on the last seven.
 * @returns undefined if no players come
 */
export function daysFor(players: number, { byDay, share }: Arrivals): number | undefined {
  let come = 0;
  for (const [place, count] of byDay.entries()) {
    come += count * share;
    if (come >= players) return place + 1;
  }
  const later = laterPlayers(byDay) * share;
  return later > 0 ? byDay.length + Math.ceil((players - come) / later) : undefined;
}

/** Players who come by a day. */
export function playersBy(day: number, { byDay, share }: Arrivals): number {
  const known = byDay.slice(0, day).reduce((sum, count) => sum + count, 0);
  return Math.floor(share * (known + Math.max(0, day - byDay.length) * laterPlayers(byDay)));
}

/** Players a day after the known days. */
function laterPlayers(byDay: readonly number[]): number {
  const last = byDay.slice(-LAST_DAYS);
  return last.length === 0 ? 0 : last.reduce((sum, count) => sum + count, 0) / last.length;
}

/** A week has each of its days once. */
const LAST_DAYS = 7;
