import { QUERY_LIMITS } from '../limits.ts';
import { type ExposedParts, exposedPlayers } from '../../exposed-players.ts';
import { DAY_MS } from '../../../core/kernel/days.ts';
import { type Grouping, largestGroups } from './experiment-groups.ts';
import { groupedFigures } from './experiment-figures.ts';
import { type FigureColumns, PLAYER_COLUMNS } from './figure-columns.ts';
import { type ByDay, dayParameters, measuredByDay } from './measured-by-day.ts';
import { amountParameters, IN_TIME, measuredRows, type Quantity, quantityColumns } from './measured-rows.ts';
import { measuredMetrics } from './metric-columns.ts';
import type { Metric } from './metric.ts';

/** The inputs of an experiment's results for one metric. */
export interface ExperimentQuery extends ExperimentPeriod, Metric {}

/** The inputs of an experiment's results for several metrics, of all players or of groups of them. */
export interface ReadoutQuery extends ExperimentPeriod {
  metrics: readonly Metric[];
  /** What groups have in common; undefined: one group with all players. */
  by: Grouping | undefined;
  /** Groups in the answer, the largest. */
  groups: number;
  /**
   * Groups are days instead, by their places from 0: each has the figures up to its end. Not of a retention, and
   * without CUPED and caps.
   */
  byDay?: ByDay | undefined;
}

/** The period of a flag, and the players and events that count. */
export interface ExperimentPeriod {
  game: string;
  environment: string;
  /** The game's time zone: retention and groups go by its days. */
  zone: string;
  flagKey: string;
  /** The experiment on the flag, and its phase, instead of a period of the flag. */
  phaseOf?: { experiment: string; phase: number } | undefined;
  /** The flag versions of the period: from the first (inclusive) to the second (exclusive). */
  fromVersion: number;
  beforeVersion: number;
  /** Variants that count. Players who saw only other values are not in the experiment. */
  variants: readonly string[];
  /** Days after a player's first exposure in which its events count. */
  windowDays: number;
  /** Bounds of `received_at` of the period's exposures and events, epoch milliseconds, the upper one exclusive. */
  sinceMs: number;
  untilMs: number;
  /** Exposures of earlier periods count from this time on, epoch milliseconds. */
  earlierSinceMs: number;
  /** Players first exposed from then on do not count, epoch milliseconds; undefined: all count. */
  exposedBeforeMs?: number | undefined;
}

/**
 * The statement that measures an experiment. Callers' values are parameters; the text depends only on the number and
 * kinds of metrics, on the number of keys of a path, on what groups have in common and on the units.
 *
 * An event counts if it follows the player's first exposure: later by the server's clock or, in the same millisecond,
 * later in the log (an event's own exposure precedes it). Device times do not matter, because they may be wrong. Whom
 * an experiment has: see `exposedPlayers`. Result rows: see `MeasuredGroup`.
 * @param units whether players or clusters are independent
 */
export function experimentQuery(query: ReadoutQuery, units: FigureColumns): Statement {
  const { sql, parameters } = figuresQuery(exposedIn(query), query, query.exposedBeforeMs ?? query.untilMs, units);
  return { sql, parameters: { ...parameters, ...exposedParameters(query) } };
}

/** The players of a period or phase, by `exposedParameters`. */
export function exposedIn({ phaseOf }: ExperimentPeriod): string {
  return exposedPlayers(phaseOf === undefined ? IN_PERIOD : IN_PHASE);
}

export function exposedParameters(period: ExperimentPeriod): Record<string, unknown> {
  return {
    game: period.game,
    environment: period.environment,
    zone: period.zone,
    flag: period.flagKey,
    ...(period.phaseOf === undefined ? {} : period.phaseOf),
    from: period.fromVersion,
    before: period.beforeVersion,
    variants: period.variants,
    since: period.sinceMs,
    until: period.untilMs,
    earlier: period.earlierSinceMs,
  };
}

export interface Statement {
  sql: string;
  parameters: Record<string, unknown>;
}

/** What figures need of a query, whoever the players are. */
export type FiguresQuery = Pick<
  ReadoutQuery,
  'game' | 'environment' | 'zone' | 'windowDays' | 'sinceMs' | 'untilMs' | 'metrics' | 'by' | 'groups' | 'byDay'
>;

/**
 * The figures of some players from a moment of each on.
 * @param exposed SQL of the players: `player_id`, `first_place`, the columns of `PLAYER_COLUMNS` and `named_other`
 * @param exposedBeforeMs players whose moment is not before it do not count, epoch milliseconds
 * @param units whether players or clusters are independent
 */
export function figuresQuery(
  exposed: string,
  query: FiguresQuery,
  exposedBeforeMs: number,
  units: FigureColumns,
): Statement {
  const metrics = measuredMetrics(query.metrics, ZONE);
  const quantities = metrics.flatMap((metric) => metric.quantities);
  const isBefore = metrics.some(({ before }) => before !== undefined);
  const { by, byDay } = query;
  const tracked = `(
    ${measuredRows(quantities, ZONE)}
  ) AS tracked
  RIGHT JOIN exposed ON tracked.player_id = exposed.player_id
  WHERE exposed.first_place.1 < fromUnixTimestamp64Milli({exposed_before:Int64})`;
  const measured =
    byDay === undefined ? measuredAtEnd(quantities, isBefore, tracked) : measuredByDay(quantities, ZONE, tracked);
  const groups = byDay === undefined ? by : 'day';
  const sql = `
WITH exposed AS (${exposed}),
measured AS (${measured}
)
${largestGroups(by, groupedFigures(metrics, groups, units))}
LIMIT ${QUERY_LIMITS.analyticsVariantRows * (byDay?.days ?? QUERY_LIMITS.resultsGroups)}`;
  return {
    sql,
    parameters: {
      ...amountParameters(quantities),
      game: query.game,
      environment: query.environment,
      groups: query.groups,
      window: query.windowDays,
      covariate: QUERY_LIMITS.resultsCovariateDays,
      zone: query.zone,
      rows_since: isBefore ? query.sinceMs - QUERY_LIMITS.resultsCovariateDays * DAY_MS : query.sinceMs,
      until: query.untilMs,
      exposed_before: exposedBeforeMs,
      ...(byDay === undefined ? {} : dayParameters(byDay)),
    },
  };
}

/** What players did up to now. */
const measuredAtEnd = (quantities: readonly Quantity[], isBefore: boolean, tracked: string): string => `
  SELECT
    exposed.player_id AS player,
    any(exposed.first_place.1) AS exposed_at,
    ${PLAYER_COLUMNS.map((column) => `any(exposed.${column}) AS ${column}`).join(', ')},
    any(exposed.cluster) AS cluster,
    any(exposed.named_other) AS named_other,
    ${quantities.flatMap((quantity) => quantityColumns(quantity, ZONE, isBefore)).join(',\n    ')}
  FROM ${tracked}
  GROUP BY player`;

const ZONE = '{zone:String}';

const FLAG = 'game_id = {game:String} AND environment = {environment:String} AND flag_key = {flag:String}';

const IN_PERIOD: ExposedParts = {
  scope: `${FLAG} AND experiment = ''`,
  variants: '{variants:Array(String)}',
  isBefore: 'flag_version < {before:UInt32}',
  isCurrent: 'flag_version >= {from:UInt32}',
  inTime: IN_TIME,
  sinceEarlier: 'received_at >= fromUnixTimestamp64Milli({earlier:Int64})',
};

/** Players count in the phase in which they were assigned, whenever they saw the variant. */
const IN_PHASE: ExposedParts = {
  ...IN_PERIOD,
  scope: `${FLAG} AND experiment = {experiment:String}`,
  isBefore: 'period <= {phase:UInt32}',
  isCurrent: 'period = {phase:UInt32}',
};
