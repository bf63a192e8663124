import { QUERY_LIMITS } from '../limits.ts';
import { type ExposedParts, exposedPlayers } from '../../exposed-players.ts';
import { type Grouping, largestGroups, membersOf } from './experiment-groups.ts';
import { IN_TIME, measuredRows, type RowMetric } from './measured-rows.ts';

/** The inputs of an experiment's results for one metric. */
export interface ExperimentQuery extends ExperimentPeriod, Metric {}

/** The inputs of an experiment's results for several metrics, of all players or of groups of them. */
export interface ReadoutQuery extends ExperimentPeriod {
  metrics: readonly Metric[];
  /** What groups have in common; undefined: one group with all players. */
  by: Grouping | undefined;
  /** Groups in the answer, the largest. */
  groups: number;
}

export interface Metric {
  /** Name of the events measured. */
  metric: string;
  aggregate: Aggregate;
}

/** The period of a flag, and the players and events that count. */
export interface ExperimentPeriod {
  game: string;
  environment: string;
  flagKey: string;
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
}

/**
 * Metric of one player: whether it has an event (0 or 1), the number of events, or the sum of a number in their
 * properties. A property is a key, or a path of keys joined by dots; a value that is not a number counts as 0.
 */
export type Aggregate = { kind: 'conversion' } | { kind: 'count' } | { kind: 'sum'; property: string };

/**
 * The statement that measures an experiment. Callers' values are parameters; the text depends only on the number and
 * kinds of metrics, on the number of keys of a path and on what groups have in common.
 *
 * An event counts if it follows the player's first exposure: later by the server's clock or, in the same millisecond,
 * later in the log (an event's own exposure precedes it). Device times do not matter, because they may be wrong. Whom
 * an experiment has: see `exposedPlayers`. Result rows: see `MeasuredGroup`.
 */
export function experimentQuery(query: ReadoutQuery): { sql: string; parameters: Record<string, unknown> } {
  const metrics = query.metrics.map(measureOf);
  const listed = (part: (metric: Measure) => string): string => metrics.map(part).join(', ');
  const sql = `
WITH exposed AS (${exposedPlayers(IN_QUERY)}),
measured AS (
  SELECT
    exposed.player_id AS player,
    any(exposed.variant) AS variant,
    any(exposed.stratum) AS stratum,
    any(exposed.earlier) AS earlier,
    any(exposed.excluded) AS excluded,
    any(exposed.arrived) AS arrived,
    any(exposed.named_other) AS named_other,
    ${listed(({ events, total }) => `${events}, ${total}`)}
  FROM (
    ${measuredRows(metrics)}
  ) AS tracked
  RIGHT JOIN exposed ON tracked.player_id = exposed.player_id
  GROUP BY player
)
${largestGroups(
  query.by,
  `SELECT
  ${query.by === undefined ? `''` : 'grouped.value'} AS value,
  variant,
  stratum,
  earlier,
  excluded,
  arrived,
  count() AS players,
  countIf(named_other) AS mismatches,
  [${listed(({ number }) => `countIf(events_${number} > 0)`)}] AS conversions,
  [${listed(({ own }) => `sum(${own})`)}] AS sums,
  [${listed(({ own }) => `avg(${own})`)}] AS means,
  [${listed(({ own }) => `varSampStable(${own})`)}] AS variances,
  [${listed(({ own }) => `skewPop(${own})`)}] AS skews,
  [${listed(({ own }) => `kurtPop(${own})`)}] AS kurtoses
FROM measured${
    query.by === undefined
      ? ''
      : ` LEFT JOIN (${membersOf(query.by)}) AS grouped ON grouped.member = measured.player
WHERE stratum > 0`
  }
GROUP BY value, variant, stratum, earlier, excluded, arrived`,
)}
LIMIT ${QUERY_LIMITS.analyticsVariantRows * QUERY_LIMITS.resultsGroups}`;
  return {
    sql,
    parameters: {
      ...Object.fromEntries(metrics.flatMap(({ parameters }) => Object.entries(parameters))),
      game: query.game,
      environment: query.environment,
      flag: query.flagKey,
      from: query.fromVersion,
      before: query.beforeVersion,
      variants: query.variants,
      metrics: query.metrics.map(({ metric }) => metric),
      groups: query.groups,
      window: query.windowDays,
      since: query.sinceMs,
      until: query.untilMs,
      earlier: query.earlierSinceMs,
    },
  };
}

const IN_QUERY: ExposedParts = {
  scope: 'game_id = {game:String} AND environment = {environment:String} AND flag_key = {flag:String}',
  variants: '{variants:Array(String)}',
  isBefore: 'flag_version < {before:UInt32}',
  isCurrent: 'flag_version >= {from:UInt32}',
  inTime: IN_TIME,
  sinceEarlier: 'received_at >= fromUnixTimestamp64Milli({earlier:Int64})',
};

const AFTER_EXPOSURE = `tracked.place > exposed.first_place
      AND tracked.received_at < exposed.first_place.1 + toIntervalDay({window:UInt16})`;

/** A metric as parts of the statement. */
interface Measure extends RowMetric {
  number: number;
  /** Columns of a player: events in the window, and the sum of their amounts. */
  events: string;
  total: string;
  /** The metric of one player. */
  own: string;
  parameters: Record<string, string>;
}

function measureOf({ metric, aggregate }: Metric, number: number): Measure {
  const { value, parameters } = eventValue(aggregate, number);
  const counts = `tracked.event_name = {metric_${number}:String} AND ${AFTER_EXPOSURE}`;
  const own: Readonly<Record<Aggregate['kind'], string>> = {
    conversion: `toFloat64(events_${number} > 0)`,
    count: `toFloat64(events_${number})`,
    sum: `total_${number}`,
  };
  return {
    number,
    metric,
    property: aggregate.kind === 'sum' ? aggregate.property : undefined,
    events: `sumIf(tracked.counts, ${counts}) AS events_${number}`,
    total: `sumIf(tracked.amount_${number}, ${counts}) AS total_${number}`,
    amount: value,
    column: `amount_${number}`,
    own: own[aggregate.kind],
    parameters: { ...parameters, [`metric_${number}`]: metric },
  };
}

/** The amount of one event for a sum, as SQL with parameters. */
function eventValue(aggregate: Aggregate, number: number): { value: string; parameters: Record<string, string> } {
  if (aggregate.kind !== 'sum') return { value: 'toFloat64(0)', parameters: {} };
  const keys = aggregate.property.split('.');
  const nameOf = (place: number): string => `key_${number}_${place}`;
  const parameters = Object.fromEntries(keys.map((key, place) => [nameOf(place), key]));
  const property = `property_${number}`;
  const whole = numberAt(`{${property}:String}`);
  const nested = numberAt(keys.map((_, place) => `{${nameOf(place)}:String}`).join(', '));
  return {
    value: keys.length === 1 ? `coalesce(${whole}, 0.)` : `coalesce(${whole}, ${nested}, 0.)`,
    parameters: { ...parameters, [property]: aggregate.property },
  };
}

/** The number at a path of `properties`, else NULL. A text like "12" is not a number. */
function numberAt(path: string): string {
  const isNumber = `JSONType(properties, ${path}) IN ('Int64', 'UInt64', 'Double')`;
  return `if(${isNumber}, toNullable(JSONExtractFloat(properties, ${path})), NULL)`;
}
