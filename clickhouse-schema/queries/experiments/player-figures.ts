import {
  CELLS,
  type FigureColumns,
  isQuantile,
  ofCuped,
  type QuantileParts,
  quantileOf,
  quantileVariance,
} from './figure-columns.ts';
import type { Measured } from './metric-columns.ts';

/**
 * The figures of players who were drawn each alone. `shared` says of a row that some were not, and that its variances
 * and moments are wrong: those of `OF_CLUSTERS` are right. It has no columns of clusters: they are the players.
 */
export const OF_PLAYERS: FigureColumns = {
  rows: divided,
  columns: (listed) => [
    'count() AS players',
    'countIf(named_other) AS mismatches',
    'max(cluster) > 0 AS shared',
    `${listed(({ number }) => `countIf(counts_${number})`)} AS counted`,
    `${listed(({ number }) => `countIf(counts_${number} AND is_had_${number})`)} AS conversions`,
    `${listed(({ number }) => `sumIf(own_${number}, counts_${number})`)} AS sums`,
    `${listed(meanOf)} AS means`,
    `${listed(varianceOf)} AS variances`,
    `${listed((metric) => momentOf('skewPopIf', metric))} AS skews`,
    `${listed((metric) => momentOf('kurtPopIf', metric))} AS kurtoses`,
    `${listed(({ metric, number }) => (metric.winsorize === undefined ? 'NULL' : `toNullable(any(cap_${number}))`))} AS caps`,
    `${listed((metric) => ofCuped(metric, 'any(theta_N)'))} AS thetas`,
    `${listed((metric) => ofCuped(metric, 'avgIf(before_N, counts_N)'))} AS covariate_means`,
    `${listed((metric) => ofCuped(metric, 'varSampStableIf(before_N, counts_N)'))} AS covariate_variances`,
    `${listed((metric) => ofCuped(metric, 'varSampStableIf(own_N, counts_N)'))} AS plain_variances`,
  ],
};

/** The quotient of the sums of each group and variant, of metrics that are one. */
function divided(metrics: readonly Measured[], players: string): string {
  const ratios = metrics.flatMap(({ number, per }) =>
    per === undefined ? [] : [`sum(own_${number}) OVER cell / sum(per_${number}) OVER cell AS ratio_${number}`],
  );
  return ratios.length === 0 ? `SELECT * FROM ${players}` : `SELECT *, ${ratios.join(', ')} FROM ${players} ${CELLS}`;
}

/** What varies between players: the value, what CUPED leaves of it, or the distance of a quotient's parts. */
function varying({ number, before, per }: Measured): string {
  if (before !== undefined) return `own_${number} - theta_${number} * before_${number}`;
  return per === undefined ? `own_${number}` : `own_${number} - ratio_${number} * per_${number}`;
}

function meanOf(metric: Measured): string {
  const { number, per } = metric;
  if (isQuantile(metric)) return quantileOf(metric, partsOf(metric));
  if (per !== undefined) return `sumIf(own_${number}, counts_${number}) / sumIf(per_${number}, counts_${number})`;
  return `avgIf(${varying(metric)}, counts_${number})`;
}

/** The sample variance, of a quotient that of its distances divided by the mean of the divisor. */
function varianceOf(metric: Measured): string {
  const { number, per } = metric;
  if (isQuantile(metric)) return quantileVariance(metric, partsOf(metric));
  const variance = `varSampStableIf(${varying(metric)}, counts_${number})`;
  return per === undefined ? variance : `${variance} / pow(avgIf(per_${number}, counts_${number}), 2)`;
}

const momentOf = (moment: string, metric: Measured): string =>
  isQuantile(metric) ? 'nan' : `${moment}(${varying(metric)}, counts_${metric.number})`;

function partsOf({ number }: Measured): QuantileParts {
  const players = `countIf(counts_${number})`;
  return { values: `groupArrayIf(own_${number}, counts_${number})`, players, units: players, designEffect: undefined };
}
