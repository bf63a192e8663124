import { awayFromMean, unitOf } from '../../cluster-sql.ts';
import {
  CELLS,
  type FigureColumns,
  isQuantile,
  levelOf,
  ofCuped,
  PLAYER_COLUMNS,
  type QuantileParts,
  quantileOf,
  quantileVariance,
} from './figure-columns.ts';
import type { Measured } from './metric-columns.ts';

/**
 * The figures of players of whom some were drawn together.
 *
 * Players of one cluster got their variant together, so that not they but the clusters are independent: means are those
 * of players, and variances and moments those of clusters, each player without one being its own. With Y the sum of a
 * metric over the players of a cluster and m their number, the mean is the quotient R = ΣY / Σm. Its variance is that
 * of (Y − Rm) / mean of m, divided by the number of clusters, by the delta method (Deng, Knoblich and Lu, "Applying the
 * Delta Method in Metric Analytics", KDD 2018). A metric that is itself a quotient has its divisor as m.
 */
export const OF_CLUSTERS: FigureColumns = {
  rows: (metrics, players) => centered(metrics, clustered(metrics, players)),
  columns: (listed) => [
    'sum(all_players) AS players',
    'sum(pow(all_players, 2)) AS squares',
    'sum(named_others) AS mismatches',
    'max(is_shared) AS shared',
    `${listed(({ number }) => `sum(size_${number})`)} AS counted`,
    `${listed(({ number }) => `sum(had_${number})`)} AS conversions`,
    `${listed(({ number }) => `countIf(size_${number} > 0)`)} AS clusters`,
    `${listed(({ number }) => `sum(pow(size_${number}, 2))`)} AS cluster_squares`,
    `${listed(({ number }) => `countIf(had_${number} > 0)`)} AS converted`,
    `${listed(({ number }) => `countIf(had_${number} < size_${number})`)} AS unconverted`,
    `${listed(({ number }) => `sum(sum_${number})`)} AS sums`,
    `${listed(meanOf)} AS means`,
    `${listed(varianceOf)} AS variances`,
    `${listed((metric) => momentOf('skewPopIf', metric))} AS skews`,
    `${listed((metric) => momentOf('kurtPopIf', metric))} AS kurtoses`,
    `${listed(({ metric, number }) => (metric.winsorize === undefined ? 'NULL' : `toNullable(any(most_${number}))`))} AS caps`,
    `${listed((metric) => ofCuped(metric, 'any(slope_N)'))} AS thetas`,
    `${listed((metric) => ofCuped(metric, 'sum(covariate_N) / sum(size_N)'))} AS covariate_means`,
    `${listed((metric) => ofCuped(metric, deltaVariance('covariate_away_N', 'N')))} AS covariate_variances`,
    `${listed((metric) => ofCuped(metric, deltaVariance('plain_away_N', 'N')))} AS plain_variances`,
  ],
};

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
  return `(SELECT value, ${PLAYER_COLUMNS.join(', ')}, ${unitOf('player')} AS unit,
      count() AS all_players, any(cluster) > 0 AS is_shared, countIf(named_other) AS named_others, ${columns.join(', ')}
    FROM ${source} GROUP BY value, ${PLAYER_COLUMNS.join(', ')}, unit)`;
}

/** The distance of each cluster from the mean. */
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
    const awayOf = (sum: string): string =>
      awayFromMean({
        sum,
        sumOfAll: inCell(sum),
        weight: `weight_${n}`,
        weightOfAll: weight,
        players: size,
        playersOfAll: inCell(size),
        clusters,
      });
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
  return isQuantile(metric) ? quantileOf(metric, partsOf(metric)) : `sum(total_${number}) / sum(weight_${number})`;
}

/** The number of clusters times the variance of the mean. */
function varianceOf(metric: Measured): string {
  return isQuantile(metric)
    ? quantileVariance(metric, partsOf(metric))
    : deltaVariance(`away_${metric.number}`, `${metric.number}`);
}

/** @param away the distances of clusters */
const deltaVariance = (away: string, number: string): string =>
  `sumIf(pow(${away}, 2), size_${number} > 0) / (countIf(size_${number} > 0) - 1)` +
  ` * pow(countIf(size_${number} > 0) / sum(weight_${number}), 2)`;

const momentOf = (moment: string, metric: Measured): string =>
  isQuantile(metric) ? 'nan' : `${moment}(away_${metric.number}, size_${metric.number} > 0)`;

const partsOf = ({ number }: Measured): QuantileParts => ({
  values: `groupArrayArray(values_${number})`,
  players: `sum(size_${number})`,
  units: `countIf(size_${number} > 0)`,
  designEffect: designEffect(number),
});

/** The variance of the number of players below a quantile, in units of that of as many independent players. */
function designEffect(number: number): string {
  const [players, share] = [`sum(size_${number})`, `(sum(below_${number}) / sum(size_${number}))`];
  const squares =
    `(sum(pow(below_${number}, 2)) - 2 * ${share} * sum(below_${number} * size_${number})` +
    ` + pow(${share}, 2) * sum(pow(size_${number}, 2)))`;
  const isAlone = `countIf(size_${number} > 0) = ${players}`;
  return `if(${isAlone} OR ${share} IN (0, 1), 1, ${squares} / (${players} * ${share} * (1 - ${share})))`;
}
