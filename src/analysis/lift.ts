import { studentCritical, studentTwoSided } from './distributions.ts';

/** A metric over the players of one variant. */
export interface Sample {
  players: number;
  /** Mean of the metric per player. For a conversion, the share of players that converted. */
  mean: number;
  /** Sample variance of the metric per player (divided by players − 1). */
  variance: number;
}

/** An estimated lift. */
export interface Lift {
  /** (treatment − control) / |control|. */
  lift: number;
  /** Standard error of the lift. */
  standardError: number;
  degreesOfFreedom: number;
  /** Players of both variants together. */
  players: number;
}

/** A two-sided interval around a lift, and the p-value of a lift of 0. The interval excludes 0 exactly if p < alpha. */
export interface Interval {
  low: number;
  high: number;
  pValue: number;
}

/**
 * Relative difference of two means. The variance is that of the delta method for a ratio of independent means,
 * s²_t/(n_t m_c²) + s²_c m_t²/(n_c m_c⁴) (Deng, Knoblich and Lu, "Applying the Delta Method in Metric Analytics", KDD
 * 2018, section 2.2). The degrees of freedom are those of Welch and Satterthwaite for these two terms (Welch,
 * Biometrika 34, 1947). The share of converting players is a mean of values 0 and 1, so the formulas apply to it as
 * well.
 * @returns undefined if the control's mean is 0, a variant has fewer than two players, or no value varies
 */
export function liftOf(control: Sample, treatment: Sample): Lift | undefined {
  const lift = relativeLift(control, treatment);
  if (lift === undefined || control.players < 2 || treatment.players < 2) return undefined;
  const square = control.mean * control.mean;
  const ofTreatment = treatment.variance / (treatment.players * square);
  const ratio = treatment.mean / control.mean;
  const ofControl = (control.variance * ratio * ratio) / (control.players * square);
  const standardError = Math.sqrt(ofTreatment + ofControl);
  if (!(standardError > 0) || !Number.isFinite(standardError)) return undefined;
  const degreesOfFreedom = welchDegrees([
    { variance: ofControl, players: control.players },
    { variance: ofTreatment, players: treatment.players },
  ]);
  return { lift, standardError, degreesOfFreedom, players: control.players + treatment.players };
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

/** Welch's t interval and test: valid for one look at a time chosen in advance. */
export function fixedInterval({ lift, standardError, degreesOfFreedom }: Lift, alpha: number): Interval {
  const width = studentCritical(alpha, degreesOfFreedom) * standardError;
  return { low: lift - width, high: lift + width, pValue: studentTwoSided(lift / standardError, degreesOfFreedom) };
}
