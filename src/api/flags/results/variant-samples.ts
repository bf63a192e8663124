import type {
  MeasuredMetric,
  MeasuredPlayers,
} from '../../../../clickhouse-schema/queries/experiments/experiment-readout.ts';
import type { FlagArm } from '../../../../core/vocabulary/documents/documents.ts';
import type { VariantSample } from '../../../analysis/experiment-results.ts';

/* The samples of the variants, of the rows that were measured. */

/** What was done with a metric. */
export interface Treated {
  /** The value to which larger ones were capped; null: none were. */
  cap: number | null;
  cuped: { theta: number; varianceReduction: number | null } | null;
}

type Row = MeasuredPlayers & MeasuredMetric;

export interface MetricSamples extends Treated {
  samples: readonly VariantSample[];
}

/** The samples in the order of the variants; an empty sample where no player was exposed. */
export function metricSamples(measured: readonly Row[], arms: readonly FlagArm[]): MetricSamples {
  const counted = measured.filter(({ excluded }) => !excluded);
  const [first] = counted;
  const theta = first?.cuped.theta ?? Number.NaN;
  const isCuped = Number.isFinite(theta);
  const common = isCuped ? commonCovariate(counted, theta) : NO_COVARIATE;
  return {
    samples: arms.map((arm) => sampleOf(measured, arm, common)),
    cap: first === undefined || !Number.isFinite(first.cap) ? null : first.cap,
    cuped: isCuped ? { theta, varianceReduction: reductionOf(counted) } : null,
  };
}

interface CommonCovariate {
  /** θ times the mean of the covariate over all variants. */
  added: number;
  /** The variance of it. */
  variance: number;
}

const NO_COVARIATE: CommonCovariate = { added: 0, variance: 0 };

/**
 * CUPED compares y − θ(x − mean of x). The mean is that of all variants together: it moves them alike, so a difference
 * has no error of it, but a lift has.
 */
function commonCovariate(rows: readonly Row[], theta: number): CommonCovariate {
  const players = totalOf(rows, ({ counted }) => counted);
  const mean = totalOf(rows, ({ counted, cuped }) => counted * cuped.covariateMean) / players;
  return {
    added: theta * mean,
    variance: (theta ** 2 * pooled(rows, ({ cuped }) => cuped.covariateVariance)) / totalOf(rows, unitsIn),
  };
}

/** 1 − the variance that is left: the square of the correlation with the metric before the exposure. */
function reductionOf(rows: readonly Row[]): number | null {
  const plain = pooled(rows, ({ cuped }) => cuped.plainVariance);
  return plain > 0 ? 1 - pooled(rows, ({ variance }) => variance) / plain : null;
}

/** The mean of the variances within variants. */
function pooled(rows: readonly Row[], varianceOf: (row: Row) => number): number {
  const several = rows.filter(({ clusters }) => clusters.count > 1);
  return (
    totalOf(several, (row) => (row.clusters.count - 1) * varianceOf(row)) /
    totalOf(several, ({ clusters }) => clusters.count - 1)
  );
}

const unitsIn = ({ clusters }: Row): number => clusters.count;

const totalOf = (rows: readonly Row[], valueOf: (row: Row) => number): number =>
  rows.reduce((sum, row) => sum + valueOf(row), 0);

function sampleOf(measured: readonly Row[], { variantKey, weight }: FlagArm, common: CommonCovariate): VariantSample {
  const rows = measured.filter(({ variant }) => variant === variantKey);
  const came = rows.filter((row) => row.arrived);
  const arrived = came.reduce((sum, { players }) => sum + players, 0);
  const arrivedSquares = came.reduce((sum, { squares }) => sum + squares, 0);
  const base = { variantKey, weight, arrived, arrivedSquares };
  const found = rows.find(({ excluded }) => !excluded);
  if (found === undefined || found.counted === 0) return { ...base, ...NOTHING };
  const { counted: players, conversions, sum, mean, variance, skewness, kurtosis, clusters } = found;
  const figures = { players, conversions, sum, mean: mean + common.added, variance, skewness, kurtosis };
  return { ...base, ...figures, clusters, shared: common.variance };
}

const NOTHING = {
  players: 0,
  conversions: 0,
  sum: 0,
  mean: Number.NaN,
  variance: Number.NaN,
  skewness: Number.NaN,
  kurtosis: Number.NaN,
};
