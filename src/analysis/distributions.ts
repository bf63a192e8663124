import { betaRegularized, gammaUpper, logGamma } from './special-functions.ts';

/** P(|Z| > |z|) of the standard normal distribution: Q(1/2, z²/2) (DLMF 7.11.2). Accurate also in the far tail. */
export function normalTwoSided(z: number): number {
  return gammaUpper(0.5, (z * z) / 2);
}

/** The z with P(Z < z) = p of the standard normal distribution, 0 < p < 1: that of the two-sided tail. */
export function normalQuantile(p: number): number {
  const tail = studentCritical(2 * Math.min(p, 1 - p), Infinity);
  return p < 0.5 ? -tail : tail;
}

/**
 * P(|T| > |t|) of Student's t distribution: I_x(ν/2, 1/2), x = ν/(ν + t²) (Abramowitz and Stegun 26.5.27 and 26.7.1).
 * @param degrees ν > 0, fractions allowed
 */
export function studentTwoSided(t: number, degrees: number): number {
  if (degrees > NORMAL_FROM) return normalTwoSided(t);
  return betaRegularized(degrees / (degrees + t * t), degrees / 2, 0.5);
}

/**
 * From here on the normal distribution is used. Its relative error is 1 in 10,000 at a p-value of 0.05 and 0.3 % at
 * 1e-8.
 */
const NORMAL_FROM = 100_000;

/**
 * The t with P(|T| > t) = alpha: half the width of a two-sided interval, in standard errors. Uses Newton's method from
 * 0: the tail is decreasing and convex, so each step approaches the root from below.
 */
export function studentCritical(alpha: number, degrees: number): number {
  let t = 0;
  for (let step = 0; step < MOST_STEPS; step++) {
    const gain = (studentTwoSided(t, degrees) - alpha) / (2 * studentDensity(t, degrees));
    t += gain;
    if (gain <= t * 1e-14) break;
  }
  return t;
}

/** At alpha 0.05 seven steps are enough. With one degree of freedom the heavy tail only doubles t at every step. */
const MOST_STEPS = 200;

/** Density of the t distribution (Abramowitz and Stegun 26.7.1). */
function studentDensity(t: number, degrees: number): number {
  if (degrees > NORMAL_FROM) return Math.exp((-t * t) / 2) / Math.sqrt(2 * Math.PI);
  const scale = logGamma((degrees + 1) / 2) - logGamma(degrees / 2);
  return Math.exp(scale - ((degrees + 1) / 2) * Math.log1p((t * t) / degrees)) / Math.sqrt(degrees * Math.PI);
}

/**
 * P(F > f) of the F distribution: I_x(ν₂/2, ν₁/2), x = ν₂/(ν₂ + ν₁f) (Abramowitz and Stegun 26.6.2). With ν₁ = 1 it is
 * the two-sided tail of Student's t at √f.
 * @param numerator ν₁ ≥ 1, fractions allowed
 * @param denominator ν₂ > 0, fractions allowed
 */
export function fisherUpper(f: number, numerator: number, denominator: number): number {
  if (denominator > NORMAL_FROM) return gammaUpper(numerator / 2, (numerator * f) / 2);
  return betaRegularized(denominator / (denominator + numerator * f), denominator / 2, numerator / 2);
}

/** The f with P(F > f) = alpha, found by halving an interval: to the last digits of a double. */
export function fisherCritical(alpha: number, numerator: number, denominator: number): number {
  let low = 0;
  let high = 1;
  while (fisherUpper(high, numerator, denominator) > alpha && high < Number.MAX_VALUE / 4) high *= 2;
  for (let step = 0; step < MOST_STEPS && high - low > high * 1e-15; step++) {
    const middle = (low + high) / 2;
    if (fisherUpper(middle, numerator, denominator) > alpha) low = middle;
    else high = middle;
  }
  return high;
}

/** P(X > x) of the χ² distribution: Q(ν/2, x/2) (Abramowitz and Stegun 26.4.19). @param degrees a whole number ν ≥ 1 */
export function chiSquareUpper(x: number, degrees: number): number {
  return gammaUpper(degrees / 2, x / 2);
}
