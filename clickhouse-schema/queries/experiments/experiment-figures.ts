import { type Grouping, membersOf } from './experiment-groups.ts';
import { type FigureColumns, PLAYER_COLUMNS } from './figure-columns.ts';
import type { Measured } from './metric-columns.ts';

/* The figures of an experiment from the columns of its players, as SQL. Each step is a subquery of the next. */

/**
 * The figures of each metric for each group, variant and kind of players. Reads `measured`. Where each player was drawn
 * alone, it is a cluster, and `OF_PLAYERS` gives the figures of `OF_CLUSTERS` in a third of the time.
 */
export function groupedFigures(
  metrics: readonly Measured[],
  by: Grouping | 'day' | undefined,
  of: FigureColumns,
): string {
  const listed = (figureOf: (metric: Measured) => string): string => `[${metrics.map(figureOf).join(', ')}]`;
  const sources = [capped, adjusted].reduce((rows, step) => step(metrics, rows), valuesOf(metrics, by === 'day'));
  return `SELECT
  value,
  ${PLAYER_COLUMNS.join(', ')},
  ${of.columns(listed).join(',\n  ')}
FROM (${of.rows(metrics, inGroups(sources, by))})
GROUP BY value, ${PLAYER_COLUMNS.join(', ')}`;
}

/** The value of each player, whether it counts, and what is needed beside. */
function valuesOf(metrics: readonly Measured[], isByDay: boolean): string {
  const columns = metrics.flatMap(({ number, quantities, own, per, before, counts }) => [
    `${counts} AS counts_${number}`,
    `times_${quantities[0]?.number ?? 0} > 0 AS is_had_${number}`,
    `${own} AS own_${number}`,
    ...(per === undefined ? [] : [`${per} AS per_${number}`]),
    ...(before === undefined ? [] : [`${before} AS before_${number}`]),
  ]);
  const of = `player, ${PLAYER_COLUMNS.join(', ')}, cluster, named_other${isByDay ? ', day' : ''}`;
  return `(SELECT ${of}, ${columns.join(', ')} FROM measured)`;
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
function inGroups(rows: string, by: Grouping | 'day' | undefined): string {
  if (by === 'day') return `(SELECT *, toString(day) AS value FROM ${rows})`;
  if (by === undefined) return `(SELECT *, '' AS value FROM ${rows})`;
  return `(SELECT * EXCEPT (member) FROM ${rows} AS own LEFT JOIN (${membersOf(by)}) AS grouped ON grouped.member = own.player
    WHERE stratum > 0)`;
}
