import { studentCritical, studentTwoSided } from './distributions.ts';

/** A metric over the players of one variant. */
export interface Sample {
  players: number;
  /** Of the metric per player. For a conversion, the share of players that converted. */
  mean: number;
  /** Of the metric per player, with players − 1 below the line. */
  variance: number;
}

/** A lift as far as it can be known. */
export interface Lift {
  /** (treatment − control) / |control|. */
  lift: number;
  /** Standard error of the lift. */
  standardError: number;
  degreesOfFreedom: number;
  /** Of both variants. */
  players: number;
}

/** A two-sided interval around a lift, and the p-value of the lift being 0. The interval excludes 0 exactly when p < alpha. */
export interface Interval {
  low: number;
  high: number;
  pValue: number;
}

/**
 * Relative difference of two means. Its variance is that of the delta method for a ratio of independent means,
 * s²_t/(n_t m_c²) + s²_c m_t²/(n_c m_c⁴) (Deng, Knoblich and Lu, "Applying the Delta Method in Metric Analytics", KDD 2018,
 * section 2.2); the degrees of freedom are Welch and Satterthwaite's for these two terms (Welch, Biometrika 34, 1947). Shares
 * of converting players are means of 0 and 1, so the same holds for them.
 * @returns undefined when the control's mean is 0, when a variant has fewer than two players, or when nothing varies
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

/** (treatment − control) / |control|, so that more is positive also where the control's mean is negative. */
export function relativeLift(control: Pick<Sample, 'mean'>, treatment: Pick<Sample, 'mean'>): number | undefined {
  const lift = (treatment.mean - control.mean) / Math.abs(control.mean);
  return control.mean !== 0 && Number.isFinite(lift) ? lift : undefined;
}

/** Degrees of freedom of a sum of estimated variances, each of a mean over so many players (Welch and Satterthwaite). */
export function welchDegrees(terms: readonly { variance: number; players: number }[]): number {
  const largest = Math.max(...terms.map(({ variance }) => variance));
  // Over the largest, so that squares of tiny variances don't vanish.
  const parts = terms.map(({ variance, players }) => ({ part: variance / largest, players }));
  const sum = parts.reduce((total, { part }) => total + part, 0);
  return (sum * sum) / parts.reduce((total, { part, players }) => total + (part * part) / (players - 1), 0);
}

/** Welch's t interval and test: valid for one look, at a time chosen beforehand. */
export function fixedInterval({ lift, standardError, degreesOfFreedom }: Lift, alpha: number): Interval {
  const width = studentCritical(alpha, degreesOfFreedom) * standardError;
  return { low: lift - width, high: lift + width, pValue: studentTwoSided(lift / standardError, degreesOfFreedom) };
}
