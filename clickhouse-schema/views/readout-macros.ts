import {
  PLAYER_MEASURES,
  type PlayerMeasureName,
  VIEW_METRICS,
} from '../../core/vocabulary/metrics/experiment-metrics.ts';
import { measureOf, namesOf } from '../../core/vocabulary/metrics/metrics.ts';
import { PURCHASE_EVENT } from '../../core/vocabulary/service-events.ts';
import { awayFromMean, unitOf } from '../cluster-sql.ts';
import { countedPlayers } from '../counted-players.ts';
import { quoteString } from '../quoting.ts';
import type { Macros } from '../templates.ts';
import { addedSql, sumSql } from '../metrics/measure-sql.ts';
import { transactions } from '../metrics/transactions.ts';

/* What the view `experiment_readout` takes from the declarations of metrics. */

const KINDS = namesOf(PLAYER_MEASURES);
const measureOfKind = (kind: PlayerMeasureName) => PLAYER_MEASURES[kind].measure;
const isOf = (source: string) => (kind: PlayerMeasureName) => measureOf(measureOfKind(kind)).source === source;

const quoted = (kinds: readonly string[]): string => kinds.map(quoteString).join(', ');

/** The columns of a transaction: how often something was bought, and a column for each metric of purchases. */
const COLUMNS = [
  `${sumSql('purchases')} AS bought`,
  ...KINDS.filter(isOf('purchases')).map((kind) => `toFloat64(${sumSql(measureOfKind(kind))}) AS ${kind}`),
].join(', ');

export const READOUT_MACROS: Macros = {
  // Metrics that are measures: all, or those of a source.
  readout_kinds: (source) => quoted(source === '' ? KINDS : KINDS.filter(isOf(source))),
  // The kinds of metrics of events, such as `conversion`.
  readout_event_kinds: () => quoted(VIEW_METRICS.filter((kind) => !KINDS.some((one) => one === kind))),
  // Those whose value of a player is whether its sum is above 0.
  readout_shares: () => quoted(KINDS.filter((kind) => PLAYER_MEASURES[kind].unit === 'share')),
  unit: (player) => unitOf(player),
  // The distance of a cluster's sum of `column` from that of as many players with the mean.
  away: (column) =>
    awayFromMean({
      sum: column,
      sumOfAll: `sum(${column}) OVER arm`,
      weight: 'size',
      weightOfAll: 'sum(size) OVER arm',
      players: 'size',
      playersOfAll: 'sum(size) OVER arm',
      clusters: 'count() OVER arm',
    }),
  // The number of clusters times the variance of the mean, or the covariance of two, from their distances.
  of_means: (away) =>
    `sumIf(${away.split(' ').join(' * ')}, NOT excluded) / (countIf(NOT excluded) - 1) * pow(countIf(NOT excluded) / sumIf(size, NOT excluded), 2)`,
  // Transactions are read only for a metric of purchases.
  transactions: (where) =>
    transactions(
      COLUMNS,
      `${where} AND ${countedPlayers()}
        AND (has(names, ${quoteString(PURCHASE_EVENT)}) OR hasAny(kinds, [${quoted(KINDS.filter(isOf('purchases')))}]))`,
    ),
  // What a transaction or a session is for the metric `number`: conditions and amounts.
  readout_amounts: (source) =>
    KINDS.filter(isOf(source))
      .map((kind) => {
        const amount = source === 'purchases' ? kind : `toFloat64(${addedSql(measureOfKind(kind))})`;
        return `kinds[number] = ${quoteString(kind)}, ${amount}`;
      })
      .join(', '),
};
