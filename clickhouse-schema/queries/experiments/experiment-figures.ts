import { type Grouping, membersOf } from './experiment-groups.ts';
import type { Measured } from './metric-columns.ts';

/* The figures of an experiment from the columns of its players, as SQL. Each step is a subquery of the next. */

/** What the players of one row have in common. */
export const PLAYER_COLUMNS = ['variant', 'stratum', 'earlier', 'excluded', 'arrived'] as const;

/**
 * The figures of each metric for each group, variant and kind of players. Reads `measured`.
 *
 * Players of one cluster got their variant together, so that not they but the clusters are independent: means are those
 * of players, and variances and moments those of clusters, each player without one being its own. With Y the sum of a
 * metric over the players of a cluster and m their number, the mean is the quotient R = ΣY / Σm. Its variance is that
 * of (Y − Rm) / mean of m, divided by the number of clusters, by the delta method (Deng, Knoblich and Lu, "Applying the
 * Delta Method in Metric Analytics", KDD 2018). A metric that is itself a quotient has its divisor as m.
 */
export function groupedFigures(metrics: readonly Measured[], by: Grouping | undefined): string {
  const listed = (figureOf: (metric: Measured) => string): string => `[${metrics.map(figureOf).join(', ')}]`;
  const sources = [valuesOf, capped, adjusted].reduce((rows, step) => step(metrics, rows), 'measured');
  return `SELECT
  value,
  ${PLAYER_COLUMNS.join(', ')},
  sum(all_players) AS players,
  sum(pow(all_players, 2)) AS squares,
  sum(named_others) AS mismatches,
  ${listed(({ number }) => `sum(size_${number})`)} AS counted,
  ${listed(({ number }) => `sum(had_${number})`)} AS conversions,
  ${listed(({ number }) => `countIf(size_${number} > 0)`)} AS clusters,
  ${listed(({ number }) => `sum(pow(size_${number}, 2))`)} AS cluster_squares,
  ${listed(({ number }) => `countIf(had_${number} > 0)`)} AS converted,
  ${listed(({ number }) => `countIf(had_${number} < size_${number})`)} AS unconverted,
  ${listed(({ number }) => `sum(sum_${number})`)} AS sums,
  ${listed(meanOf)} AS means,
  ${listed(varianceOf)} AS variances,
  ${listed((metric) => momentOf('skewPopIf', metric))} AS skews,
  ${listed((metric) => momentOf('kurtPopIf', metric))} AS kurtoses,
  ${listed(({ metric, number }) => (metric.winsorize === undefined ? 'NULL' : `toNullable(any(most_${number}))`))} AS caps,
  ${listed((metric) => ofCuped(metric, 'any(slope_N)'))} AS thetas,
  ${listed((metric) => ofCuped(metric, 'sum(covariate_N) / sum(size_N)'))} AS covariate_means,
  ${listed((metric) => ofCuped(metric, deltaVariance('covariate_away_N', 'N')))} AS covariate_variances,
  ${listed((metric) => ofCuped(metric, deltaVariance('plain_away_N', 'N')))} AS plain_variances
FROM (${centered(metrics, clustered(metrics, inGroups(sources, by)))})
GROUP BY value, ${PLAYER_COLUMNS.join(', ')}`;
}

/** The value of each player, whether it counts, and what is needed beside. */
function valuesOf(metrics: readonly Measured[], rows: string): string {
  const columns = metrics.flatMap(({ number, quantities, own, per, before, counts }) => [
    `${counts} AS counts_${number}`,
    `times_${quantities[0]?.number ?? 0} > 0 AS is_had_${number}`,
    `${own} AS own_${number}`,
    ...(per === undefined ? [] : [`${per} AS per_${number}`]),
    ...(before === undefined ? [] : [`${before} AS before_${number}`]),
  ]);
  const of = `player, ${PLAYER_COLUMNS.join(', ')}, cluster, named_other`;
  return `(SELECT ${of}, ${columns.join(', ')} FROM ${rows})`;
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

/** The clusters of each group, variant and kind of players. A player without one is its own. */
function clustered(metrics: readonly Measured[], rows: string): string {
  const quantiles = metrics.filter(isQuantile);
  const ranked = quantiles.map(
    (metric) =>
      `quantileExactIf(${levelOf(metric)})(own_${metric.number}, counts_${metric.number}) OVER cell AS rank_${metric.number}`,
  );
  const columns = metrics.flatMap((metric) => {
    const { number: n, before, per, metric: asked } = metric;
    return [
      `countIf(counts_${n}) AS size_${n}`,
      `countIf(counts_${n} AND is_had_${n}) AS had_${n}`,
      `sumIf(own_${n}, counts_${n}) AS sum_${n}`,
      `sumIf(${before === undefined ? `own_${n}` : `own_${n} - theta_${n} * before_${n}`}, counts_${n}) AS total_${n}`,
      `${per === undefined ? `toFloat64(size_${n})` : `sumIf(per_${n}, counts_${n})`} AS weight_${n}`,
      ...(asked.winsorize === undefined ? [] : [`any(cap_${n}) AS most_${n}`]),
      ...(before === undefined
        ? []
        : [`any(theta_${n}) AS slope_${n}`, `sumIf(before_${n}, counts_${n}) AS covariate_${n}`]),
      ...(isQuantile(metric)
        ? [
            `groupArrayIf(own_${n}, counts_${n}) AS values_${n}`,
            `countIf(counts_${n} AND own_${n} <= rank_${n}) AS below_${n}`,
          ]
        : []),
    ];
  });
  const source = ranked.length === 0 ? rows : `(SELECT *, ${ranked.join(', ')} FROM ${rows} ${CELLS})`;
  return `(SELECT value, ${PLAYER_COLUMNS.join(', ')}, if(cluster = 0, cityHash64(player), toUInt64(cluster)) AS unit,
      count() AS all_players, countIf(named_other) AS named_others, ${columns.join(', ')}
    FROM ${source} GROUP BY value, ${PLAYER_COLUMNS.join(', ')}, unit)`;
}

const CELLS = `WINDOW cell AS (PARTITION BY value, ${PLAYER_COLUMNS.join(', ')})`;

/**
 * How far the total of a cluster is from that of as many players with the mean. The mean is nearer to large clusters,
 * which are part of it: divided by 1 − their share of the players, as the jackknife does (Bell and McCaffrey, "Bias
 * Reduction in Standard Errors for Linear Regression with Multi-Stage Samples", Survey Methodology 28, 2002). Of
 * clusters of one size it is the distance itself.
 */
function centered(metrics: readonly Measured[], rows: string): string {
  const summed = new Set<string>();
  const inCell = (column: string): string => {
    summed.add(column);
    return `\`cell_${column}\``;
  };
  const columns = metrics.flatMap(({ number: n, before, per, counts }) => {
    // Of most metrics all players count: the fewer windows, the faster is the query.
    const size = counts === 'true' ? 'all_players' : `size_${n}`;
    const [weight, clusters] = [inCell(per === undefined ? size : `weight_${n}`), inCell(`sign(${size})`)];
    const awayOf = (column: string): string =>
      `(${column} - ${inCell(column)} / ${weight} * weight_${n}) / (1 - ${size} / ${inCell(size)}) * (1 - 1 / ${clusters})`;
    return [
      `${awayOf(`total_${n}`)} AS away_${n}`,
      ...(before === undefined
        ? []
        : [`${awayOf(`covariate_${n}`)} AS covariate_away_${n}`, `${awayOf(`sum_${n}`)} AS plain_away_${n}`]),
    ];
  });
  const sums = [...summed].map((column) => `sum(${column}) OVER cell AS \`cell_${column}\``);
  return `SELECT *, ${columns.join(', ')} FROM (SELECT *, ${sums.join(', ')} FROM ${rows} ${CELLS})`;
}

function meanOf(metric: Measured): string {
  const { number } = metric;
  return isQuantile(metric)
    ? orderStatistic(number, atQuantile(metric))
    : `sum(total_${number}) / sum(weight_${number})`;
}

/** The number of clusters times the variance of the mean. */
function varianceOf(metric: Measured): string {
  return isQuantile(metric) ? quantileVariance(metric) : deltaVariance(`away_${metric.number}`, `${metric.number}`);
}

/** @param away the distances of clusters */
const deltaVariance = (away: string, number: string): string =>
  `sumIf(pow(${away}, 2), size_${number} > 0) / (countIf(size_${number} > 0) - 1)` +
  ` * pow(countIf(size_${number} > 0) / sum(weight_${number}), 2)`;

function momentOf(moment: string, metric: Measured): string {
  return isQuantile(metric) ? 'nan' : `${moment}(away_${metric.number}, size_${metric.number} > 0)`;
}

const ofCuped = ({ before, number }: Measured, figure: string): string =>
  before === undefined ? 'NULL' : `toNullable(${figure.replaceAll('_N', `_${number}`)})`;

const isQuantile = ({ metric: { aggregate } }: Measured): boolean => aggregate.kind === 'quantile';

/** The value at a place of the sorted values, from 1. */
const orderStatistic = (number: number, place: string): string =>
  `arraySort(groupArrayArray(values_${number}))[toUInt64(greatest(1, ${place}))]`;

const levelOf = ({ metric: { aggregate } }: Measured): number =>
  aggregate.kind === 'quantile' ? aggregate.quantile : 0.5;

const atQuantile = (metric: Measured): string => `ceil(sum(size_${metric.number}) * ${levelOf(metric)})`;

/**
 * The variance of a sample quantile, times the number of clusters, by the distance of the order statistics 1.96
 * deviations of the rank around it (McKean and Schrader, "A Comparison of Methods for Studentizing the Sample Median",
 * Communications in Statistics B 13, 1984). NaN if one of them is beyond the values. The rank is the number of players
 * below, whose variance is that of clusters (Deng, Knoblich and Lu, as above).
 */
function quantileVariance(metric: Measured): string {
  const { number } = metric;
  const players = `sum(size_${number})`;
  const deviation = `sqrt(${players} * ${levelOf(metric) * (1 - levelOf(metric))} * ${designEffect(number)})`;
  const [low, high] = [
    `(${atQuantile(metric)} - ceil(1.96 * ${deviation}))`,
    `(${atQuantile(metric)} + ceil(1.96 * ${deviation}))`,
  ];
  const distance = `(${orderStatistic(number, high)} - ${orderStatistic(number, low)})`;
  const variance = `countIf(size_${number} > 0) * pow(${deviation} * ${distance} / (${high} - ${low}), 2)`;
  return `if(${low} < 1 OR ${high} > ${players}, nan, ${variance})`;
}

/** The variance of the number of players below a quantile, in units of that of as many independent players. */
function designEffect(number: number): string {
  const [players, share] = [`sum(size_${number})`, `(sum(below_${number}) / sum(size_${number}))`];
  const squares =
    `(sum(pow(below_${number}, 2)) - 2 * ${share} * sum(below_${number} * size_${number})` +
    ` + pow(${share}, 2) * sum(pow(size_${number}, 2)))`;
  const isAlone = `countIf(size_${number} > 0) = ${players}`;
  return `if(${isAlone} OR ${share} IN (0, 1), 1, ${squares} / (${players} * ${share} * (1 - ${share})))`;
}
