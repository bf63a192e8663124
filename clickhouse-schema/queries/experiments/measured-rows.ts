import { LATE_DAYS } from '../../event-time.ts';
import { addedSql, sumSql } from '../../metrics/measure-sql.ts';
import { transactions } from '../../metrics/transactions.ts';
import type { MeasureName } from '../../../core/vocabulary/metrics/measures.ts';
import type { Source } from '../../../core/vocabulary/metrics/metric.ts';
import { measureOf } from '../../../core/vocabulary/metrics/metrics.ts';
import { PURCHASE_EVENT } from '../../../core/vocabulary/service-events.ts';

/** What a metric reads: events with a name and, if a property is named, their amounts; or the rows of a measure. */
export type Quantity = EventQuantity | MeasureQuantity;

interface EventQuantity {
  number: number;
  of: 'event';
  name: string;
  /** The property that is summed; undefined: none. */
  property: string | undefined;
}

interface MeasureQuantity {
  number: number;
  of: 'measure';
  /** A measure of purchases, sessions or days. */
  measure: MeasureName;
  /** Of days: the one that counts, after the day of the exposure. */
  day?: number | undefined;
}

/**
 * Rows that experiments measure: `(player_id, row_of, name, at, place, day, times)` and the amount of each quantity.
 * Parameters: `game`, `environment`, `names`, the bounds `rows_since` and `until`, and those of `amountParameters`.
 *
 * What counts is said by the measures; here is only when, which is the window of each player. Events count by their
 * receipt, as exposures do; see `transactions` for purchases. Events named `purchase` that callers sent or files
 * brought count as any other event, and imported purchases in measures alone.
 *
 * @param zone SQL of the game's time zone
 */
export function measuredRows(quantities: readonly Quantity[], zone: string): string {
  const isRead = (source: Source) => quantities.some((quantity) => sourceOf(quantity) === source);
  const isOfPurchases = isRead('purchases') || quantities.some(isPurchaseEvent);
  const parts = [
    ...(isRead('events') ? [eventRows(quantities, isOfPurchases)] : []),
    ...(isOfPurchases ? [purchaseRows(quantities)] : []),
    ...(isRead('sessions') ? [sessionRows(quantities)] : []),
    ...(isRead('player_days') ? [dayRows(quantities, zone)] : []),
  ];
  return parts.join('\n    UNION ALL\n    ');
}

const sourceOf = (quantity: Quantity): Source =>
  quantity.of === 'event' ? 'events' : measureOf(quantity.measure).source;

const isPurchaseEvent = (quantity: Quantity): boolean => quantity.of === 'event' && quantity.name === PURCHASE_EVENT;

/** The columns of amounts. */
const amounts = (quantities: readonly Quantity[], amountOf: (quantity: Quantity) => string | undefined): string =>
  quantities.map((quantity) => `toFloat64(${amountOf(quantity) ?? '0'}) AS amount_${quantity.number}`).join(', ');

/** Those of measures of a source. */
const measured = (quantities: readonly Quantity[], source: Source): string =>
  amounts(quantities, (quantity) =>
    quantity.of === 'measure' && sourceOf(quantity) === source ? addedSql(quantity.measure) : undefined,
  );

const NO_DAY = "toDate('1970-01-01')";

const SCOPE = 'game_id = {game:String} AND environment = {environment:String}';

function eventRows(quantities: readonly Quantity[], withoutRecorded: boolean): string {
  return `SELECT player_id, 'events' AS row_of, event_name AS name, received_at AS at,
      (received_at, facts_sequence, facts_index) AS place, ${NO_DAY} AS day, toInt64(1) AS times,
      ${amounts(quantities, (quantity) => (quantity.of === 'event' ? amountOfEvent(quantity) : undefined))}
    FROM events
    WHERE ${SCOPE} AND event_name IN {names:Array(String)} AND received_at >= ${SINCE} AND received_at < ${UNTIL}
      ${withoutRecorded ? `AND NOT (event_name = '${PURCHASE_EVENT}' AND source = 'service')` : ''}`;
}

function purchaseRows(quantities: readonly Quantity[]): string {
  const paid = (quantity: Quantity): string | undefined => {
    if (quantity.of === 'measure') return sourceOf(quantity) === 'purchases' ? sumSql(quantity.measure) : undefined;
    return isPurchaseEvent(quantity) && quantity.property === 'amount' ? sumSql('revenue') : undefined;
  };
  const columns = `${sumSql('purchases')} AS times, ${amounts(quantities, paid)}`;
  return `SELECT player_id, 'purchases' AS row_of, if(is_imported, '', '${PURCHASE_EVENT}') AS name,
      first_place.1 AS at, first_place AS place, ${NO_DAY} AS day, times, ${listed(quantities)}
    FROM (${transactions(columns, `${SCOPE} AND received_at >= ${SINCE}`)})
    WHERE at < ${UNTIL}`;
}

const listed = (quantities: readonly Quantity[]): string =>
  quantities.map(({ number }) => `amount_${number}`).join(', ');

function sessionRows(quantities: readonly Quantity[]): string {
  return `SELECT player_id, 'sessions' AS row_of, '' AS name, happened_at AS at,
      (happened_at, toUInt64(0), toUInt32(0)) AS place, ${NO_DAY} AS day, toInt64(${addedSql('sessions')}) AS times,
      ${measured(quantities, 'sessions')}
    FROM sessions
    WHERE ${SCOPE} AND happened_at >= ${SINCE} AND happened_at < ${UNTIL}
      AND received_at >= ${SINCE} AND received_at < ${UNTIL} + toIntervalDay(${LATE_DAYS})`;
}

function dayRows(quantities: readonly Quantity[], zone: string): string {
  return `SELECT player_id, 'player_days' AS row_of, '' AS name, toDateTime64(day, 3, 'UTC') AS at,
      (toDateTime64(day, 3, 'UTC'), toUInt64(0), toUInt32(0)) AS place, day, toInt64(${addedSql('active_players')}) AS times,
      ${measured(quantities, 'player_days')}
    FROM player_days FINAL
    WHERE ${SCOPE} AND day >= toDate(${SINCE}, ${zone})`;
}

/** The amount of an event, as SQL. */
function amountOfEvent({ number, property }: EventQuantity): string | undefined {
  if (property === undefined) return undefined;
  const keys = property.split('.');
  const whole = numberAt(`{property_${number}:String}`);
  const nested = numberAt(keys.map((_, place) => `{key_${number}_${place}:String}`).join(', '));
  return keys.length === 1 ? `coalesce(${whole}, 0.)` : `coalesce(${whole}, ${nested}, 0.)`;
}

/** The parameters of the amounts, and the names of the events. */
export function amountParameters(quantities: readonly Quantity[]): Record<string, unknown> {
  const events = quantities.filter((quantity) => quantity.of === 'event');
  const parameters: Record<string, unknown> = { names: events.map(({ name }) => name) };
  for (const { number, name, property } of events) {
    parameters[`name_${number}`] = name;
    if (property === undefined) continue;
    parameters[`property_${number}`] = property;
    for (const [place, key] of property.split('.').entries()) parameters[`key_${number}_${place}`] = key;
  }
  return parameters;
}

/** The number at a path of `properties`, else NULL. A text like "12" is not a number. */
function numberAt(path: string): string {
  const isNumber = `JSONType(properties, ${path}) IN ('Int64', 'UInt64', 'Double')`;
  return `if(${isNumber}, toNullable(JSONExtractFloat(properties, ${path})), NULL)`;
}

/**
 * The columns `times_N` and `total_N` of a player from the rows after its exposure, `…_before_N` from those before.
 */
export function quantityColumns(quantity: Quantity, zone: string, isBefore: boolean): string[] {
  const { number } = quantity;
  const isIts =
    quantity.of === 'event' ? `tracked.name = {name_${number}:String}` : `tracked.row_of = '${sourceOf(quantity)}'`;
  const columns = (when: string, name: string): string[] => [
    `sumIf(tracked.times, ${isIts} AND ${when}) AS times_${name}${number}`,
    `sumIf(tracked.amount_${number}, ${isIts} AND ${when}) AS total_${name}${number}`,
  ];
  if (quantity.of === 'measure' && quantity.day !== undefined) {
    return columns(`tracked.day = toDate(exposed.first_place.1, ${zone}) + ${quantity.day}`, '');
  }
  return [...columns(AFTER_EXPOSURE, ''), ...(isBefore ? columns(BEFORE_EXPOSURE, 'before_') : [])];
}

const AFTER_EXPOSURE = `tracked.place > exposed.first_place
      AND tracked.at < exposed.first_place.1 + toIntervalDay({window:UInt16})`;
const BEFORE_EXPOSURE = `tracked.place < exposed.first_place
      AND tracked.at >= exposed.first_place.1 - toIntervalDay({covariate:UInt16})`;

const SINCE = 'fromUnixTimestamp64Milli({rows_since:Int64})';
const UNTIL = 'fromUnixTimestamp64Milli({until:Int64})';

/** Whether an exposure was received between `since` and `until`. */
export const IN_TIME = `received_at >= fromUnixTimestamp64Milli({since:Int64}) AND received_at < ${UNTIL}`;
