import type { Measured } from './metric-columns.ts';

/* What the figures of players and those of clusters share, as SQL. */

/** What the players of one row have in common. */
export const PLAYER_COLUMNS = ['variant', 'stratum', 'earlier', 'excluded', 'arrived'] as const;

/** The players of a row of figures. */
export const CELLS = `WINDOW cell AS (PARTITION BY value, ${PLAYER_COLUMNS.join(', ')})`;

/** The figures of a group, variant and kind of players. */
export interface FigureColumns {
  /** A statement with the rows of units, of SQL with the rows of players. */
  rows: (metrics: readonly Measured[], players: string) => string;
  /** The columns of a row of figures. @param listed the array of a figure of each metric */
  columns: (listed: (figureOf: (metric: Measured) => string) => string) => string[];
}

export const isQuantile = ({ metric: { aggregate } }: Measured): boolean => aggregate.kind === 'quantile';

export const levelOf = ({ metric: { aggregate } }: Measured): number =>
  aggregate.kind === 'quantile' ? aggregate.quantile : 0.5;

/** Of a metric with CUPED. */
export const ofCuped = ({ before, number }: Measured, figure: string): string =>
  before === undefined ? 'NULL' : `toNullable(${figure.replaceAll('_N', `_${number}`)})`;

/** The values of players of a metric that is a quantile. */
export interface QuantileParts {
  values: string;
  players: string;
  units: string;
  /** How many times the variance of the rank is that of independent players; undefined: they are. */
  designEffect: string | undefined;
}

/** The value at a place of the sorted values, from 1. */
const orderStatistic = (values: string, place: string): string =>
  `arraySort(${values})[toUInt64(greatest(1, ${place}))]`;

const placeOf = (metric: Measured, { players }: QuantileParts): string => `ceil(${players} * ${levelOf(metric)})`;

export const quantileOf = (metric: Measured, parts: QuantileParts): string =>
  orderStatistic(parts.values, placeOf(metric, parts));

/**
 * The variance of a sample quantile, times the number of units, by the distance of the order statistics 1.96 deviations
 * of the rank around it (McKean and Schrader, "A Comparison of Methods for Studentizing the Sample Median",
 * Communications in Statistics B 13, 1984). NaN if one of them is beyond the values. The rank is the number of players
 * below, whose variance is that of clusters (Deng, Knoblich and Lu, "Applying the Delta Method in Metric Analytics",
 * KDD 2018).
 */
export function quantileVariance(metric: Measured, parts: QuantileParts): string {
  const { values, players, units, designEffect } = parts;
  const level = levelOf(metric);
  const deviation = `sqrt(${[`${players} * ${level * (1 - level)}`, ...(designEffect === undefined ? [] : [designEffect])].join(' * ')})`;
  const place = placeOf(metric, parts);
  const [low, high] = [`(${place} - ceil(1.96 * ${deviation}))`, `(${place} + ceil(1.96 * ${deviation}))`];
  const distance = `(${orderStatistic(values, high)} - ${orderStatistic(values, low)})`;
  const variance = `${units} * pow(${deviation} * ${distance} / (${high} - ${low}), 2)`;
  return `if(${low} < 1 OR ${high} > ${players}, nan, ${variance})`;
}
