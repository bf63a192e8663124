import { type Grouping, membersOf } from './experiment-groups.ts';
import type { Measured } from './metric-columns.ts';

/* The figures of an experiment from the columns of its players, as SQL. Each step is a subquery of the next. */

/** What the players of one row have in common. */
export const PLAYER_COLUMNS = ['variant', 'stratum', 'earlier', 'excluded', 'arrived'] as const;

/** The figures of each metric for each group, variant and kind of players. Reads `measured`. */
export function groupedFigures(metrics: readonly Measured[], by: Grouping | undefined): string {
  const listed = (figureOf: (metric: Measured) => string): string => `[${metrics.map(figureOf).join(', ')}]`;
  const sources = [valuesOf, capped, adjusted].reduce((rows, step) => step(metrics, rows), 'measured');
  return `SELECT
  value,
  ${PLAYER_COLUMNS.join(', ')},
  count() AS players,
  countIf(named_other) AS mismatches,
  ${listed(({ number }) => `countIf(counts_${number})`)} AS counted,
  ${listed(({ number }) => `countIf(counts_${number} AND had_${number})`)} AS conversions,
  ${listed(({ number }) => `sumIf(own_${number}, counts_${number})`)} AS sums,
  ${listed(meanOf)} AS means,
  ${listed(varianceOf)} AS variances,
  ${listed((metric) => momentOf('skewPopIf', metric))} AS skews,
  ${listed((metric) => momentOf('kurtPopIf', metric))} AS kurtoses,
  ${listed(({ metric, number }) => (metric.winsorize === undefined ? 'NULL' : `toNullable(any(cap_${number}))`))} AS caps,
  ${listed((metric) => ofCuped(metric, 'any(theta_N)'))} AS thetas,
  ${listed((metric) => ofCuped(metric, 'avgIf(before_N, counts_N)'))} AS covariate_means,
  ${listed((metric) => ofCuped(metric, 'varSampStableIf(before_N, counts_N)'))} AS covariate_variances,
  ${listed((metric) => ofCuped(metric, 'varSampStableIf(own_N, counts_N)'))} AS plain_variances
FROM (${divided(metrics, inGroups(sources, by))})
GROUP BY value, ${PLAYER_COLUMNS.join(', ')}`;
}

/** The value of each player, whether it counts, and what is needed beside. */
function valuesOf(metrics: readonly Measured[], rows: string): string {
  const columns = metrics.flatMap(({ number, quantities, own, per, before, counts }) => [
    `${counts} AS counts_${number}`,
    `times_${quantities[0]?.number ?? 0} > 0 AS had_${number}`,
    `${own} AS own_${number}`,
    ...(per === undefined ? [] : [`${per} AS per_${number}`]),
    ...(before === undefined ? [] : [`${before} AS before_${number}`]),
  ]);
  return `(SELECT player, ${PLAYER_COLUMNS.join(', ')}, named_other, ${columns.join(', ')} FROM ${rows})`;
}

/** Values above a quantile of all players of all variants become that quantile. */
function capped(metrics: readonly Measured[], rows: string): string {
  const winsorized = metrics.flatMap(({ number, metric: { winsorize }, before }) =>
    winsorize === undefined ? [] : [{ number, level: winsorize, isBefore: before !== undefined }],
  );
  if (winsorized.length === 0) return rows;
  const caps = winsorized.flatMap(({ number, level, isBefore }) =>
    [`own`, ...(isBefore ? ['before'] : [])].map(
      (column) =>
        `quantileExactIf(${level})(${column}_${number}, counts_${number}) OVER (PARTITION BY excluded, stratum) AS ` +
        (column === 'own' ? `cap_${number}` : `before_cap_${number}`),
    ),
  );
  const replaced = winsorized.flatMap(({ number, isBefore }) => [
    `least(own_${number}, cap_${number}) AS own_${number}`,
    ...(isBefore ? [`least(before_${number}, before_cap_${number}) AS before_${number}`] : []),
  ]);
  return `(SELECT * REPLACE (${replaced.join(', ')}) FROM (SELECT *, ${caps.join(', ')} FROM ${rows}))`;
}

/**
 * θ of CUPED: the covariance of the metric with itself before the exposure, divided by the variance of the latter, both
 * within variants (Deng, Xu, Kohavi and Walker, "Improving the Sensitivity of Online Controlled Experiments by
 * Utilizing Pre-Experiment Data", WSDM 2013).
 */
function adjusted(metrics: readonly Measured[], rows: string): string {
  const numbers = metrics.flatMap(({ number, before }) => (before === undefined ? [] : [number]));
  if (numbers.length === 0) return rows;
  const within = numbers.map(
    (n) => `covarPop(own_${n}, before_${n}) OVER arm AS shared_${n}, varPop(before_${n}) OVER arm AS spread_${n}`,
  );
  const thetas = numbers.map(
    (n) =>
      `if(avg(spread_${n}) OVER kind > 0, avg(shared_${n}) OVER kind / avg(spread_${n}) OVER kind, 0) AS theta_${n}`,
  );
  return `(SELECT *, ${thetas.join(', ')}
    FROM (SELECT *, ${within.join(', ')} FROM ${rows} WINDOW arm AS (PARTITION BY excluded, stratum, variant))
    WINDOW kind AS (PARTITION BY excluded, stratum))`;
}

/** Each player with the values of its groups: a row for each. */
function inGroups(rows: string, by: Grouping | undefined): string {
  if (by === undefined) return `(SELECT *, '' AS value FROM ${rows})`;
  return `(SELECT * EXCEPT (member) FROM ${rows} AS own LEFT JOIN (${membersOf(by)}) AS grouped ON grouped.member = own.player
    WHERE stratum > 0)`;
}

/** The quotient of the sums of each group and variant, of metrics that are one. */
function divided(metrics: readonly Measured[], rows: string): string {
  const ratios = metrics.flatMap(({ number, per }) =>
    per === undefined ? [] : [`sum(own_${number}) OVER cell / sum(per_${number}) OVER cell AS ratio_${number}`],
  );
  if (ratios.length === 0) return `SELECT * FROM ${rows}`;
  return `SELECT *, ${ratios.join(', ')} FROM ${rows} WINDOW cell AS (PARTITION BY value, ${PLAYER_COLUMNS.join(', ')})`;
}

/** What varies between players: the value, what CUPED leaves of it, or the distance of a quotient's parts. */
function varying({ number, before, per }: Measured): string {
  if (before !== undefined) return `own_${number} - theta_${number} * before_${number}`;
  return per === undefined ? `own_${number}` : `own_${number} - ratio_${number} * per_${number}`;
}

function meanOf(metric: Measured): string {
  const { number, per } = metric;
  if (metric.metric.aggregate.kind === 'quantile') return orderStatistic(number, atQuantile(metric));
  if (per !== undefined) return `sumIf(own_${number}, counts_${number}) / sumIf(per_${number}, counts_${number})`;
  return `avgIf(${varying(metric)}, counts_${number})`;
}

/**
 * The sample variance of the metric per player. Of a quotient R = Σy / Σx that of (y − Rx) / mean of x, by the delta
 * method with the player as the unit (Deng, Knoblich and Lu, "Applying the Delta Method in Metric Analytics", KDD
 * 2018).
 */
function varianceOf(metric: Measured): string {
  const { number, per } = metric;
  if (metric.metric.aggregate.kind === 'quantile') return quantileVariance(metric);
  const variance = `varSampStableIf(${varying(metric)}, counts_${number})`;
  return per === undefined ? variance : `${variance} / pow(avgIf(per_${number}, counts_${number}), 2)`;
}

function momentOf(moment: string, metric: Measured): string {
  if (metric.metric.aggregate.kind === 'quantile') return 'nan';
  return `${moment}(${varying(metric)}, counts_${metric.number})`;
}

const ofCuped = ({ before, number }: Measured, figure: string): string =>
  before === undefined ? 'NULL' : `toNullable(${figure.replaceAll('_N', `_${number}`)})`;

/** The value at a place of the sorted values, from 1. */
const orderStatistic = (number: number, place: string): string =>
  `arraySort(groupArrayIf(own_${number}, counts_${number}))[toUInt64(greatest(1, ${place}))]`;

const levelOf = ({ metric: { aggregate } }: Measured): number =>
  aggregate.kind === 'quantile' ? aggregate.quantile : 0.5;

const atQuantile = (metric: Measured): string => `ceil(countIf(counts_${metric.number}) * ${levelOf(metric)})`;

/**
 * n times the variance of a sample quantile, by the distance of the order statistics 1.96 deviations of the rank around
 * it (McKean and Schrader, "A Comparison of Methods for Studentizing the Sample Median", Communications in Statistics B
 * 13, 1984). NaN if one of them is beyond the values.
 */
function quantileVariance(metric: Measured): string {
  const { number } = metric;
  const players = `countIf(counts_${number})`;
  const deviation = `sqrt(${players} * ${levelOf(metric) * (1 - levelOf(metric))})`;
  const [low, high] = [
    `(${atQuantile(metric)} - ceil(1.96 * ${deviation}))`,
    `(${atQuantile(metric)} + ceil(1.96 * ${deviation}))`,
  ];
  const distance = `(${orderStatistic(number, high)} - ${orderStatistic(number, low)})`;
  return `if(${low} < 1 OR ${high} > ${players}, nan, ${players} * pow(${deviation} * ${distance} / (${high} - ${low}), 2))`;
}
