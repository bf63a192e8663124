import { LATE_DAYS } from '../../event-time.ts';
import { PURCHASE_EVENT } from '../../../core/vocabulary/service-events.ts';

/** What a metric reads: rows of one kind and, if a property is named, their amounts. */
export interface Quantity {
  number: number;
  source: 'event' | 'purchase' | 'session' | 'day';
  /** Name of the events; '' for sessions and days. */
  name: string;
  /** The property that is summed; undefined: none. */
  property?: string | undefined;
  /** The day that counts, after the day of the exposure. */
  day?: number;
}

/**
 * Rows that experiments measure: `(player_id, row_of, name, at, place, day, times)` and the amount of each quantity.
 * Parameters: `game`, `environment`, `names`, the bounds `rows_since` and `until`, and those of `amountParameters`.
 *
 * Recorded purchases come from `purchases`, one row per transaction, with the time of its first report and the amount
 * less what was refunded of it, whenever that was: its event has what the first report said. Events named `purchase`
 * that callers sent or files brought count as any other event, and imported purchases as revenue alone. A session
 * counts by its start.
 *
 * @param zone SQL of the game's time zone
 */
export function measuredRows(quantities: readonly Quantity[], zone: string): string {
  const isRead = (source: Quantity['source']) => quantities.some((quantity) => quantity.source === source);
  const isOfPurchases = quantities.some(isPurchase);
  const parts = [
    ...(isRead('event') ? [eventRows(quantities, isOfPurchases)] : []),
    ...(isOfPurchases ? [purchaseRows(quantities)] : []),
    ...(isRead('session') ? [sessionRows(quantities)] : []),
    ...(isRead('day') ? [dayRows(quantities, zone)] : []),
  ];
  return parts.join('\n    UNION ALL\n    ');
}

/** Whether a quantity has recorded purchases. */
const isPurchase = ({ source, name }: Quantity): boolean =>
  source === 'purchase' || (source === 'event' && name === PURCHASE_EVENT);

/** The columns of amounts. */
const amounts = (quantities: readonly Quantity[], amountOf: (quantity: Quantity) => string): string =>
  quantities.map((quantity) => `${amountOf(quantity)} AS amount_${quantity.number}`).join(', ');

const NO_DAY = "toDate('1970-01-01')";

const SCOPE = 'game_id = {game:String} AND environment = {environment:String}';

function eventRows(quantities: readonly Quantity[], withoutRecorded: boolean): string {
  return `SELECT player_id, 'event' AS row_of, event_name AS name, received_at AS at,
      (received_at, facts_sequence, facts_index) AS place, ${NO_DAY} AS day, toInt64(1) AS times,
      ${amounts(quantities, amountOfEvent)}
    FROM events
    WHERE ${SCOPE} AND event_name IN {names:Array(String)} AND received_at >= ${SINCE} AND received_at < ${UNTIL}
      ${withoutRecorded ? `AND NOT (event_name = '${PURCHASE_EVENT}' AND source = 'service')` : ''}`;
}

function purchaseRows(quantities: readonly Quantity[]): string {
  const paid = (quantity: Quantity): string =>
    isPurchase(quantity) && quantity.property === 'amount' ? 'paid' : 'toFloat64(0)';
  return `SELECT player_id, if(is_imported, 'imported', 'purchase') AS row_of, '${PURCHASE_EVENT}' AS name,
      first_place.1 AS at, first_place AS place, ${NO_DAY} AS day, bought AS times, ${amounts(quantities, paid)}
    FROM (
      SELECT
        player_id,
        min((received_at, facts_sequence, facts_index)) AS first_place,
        toFloat64(sum(amount)) AS paid,
        sumIf(counts, kind != 'refund') AS bought,
        argMin(recorded_by, (received_at, facts_sequence, facts_index)) = 'import' AS is_imported
      FROM purchases
      WHERE ${SCOPE} AND received_at >= ${SINCE}
      GROUP BY player_id, transaction_id, if(transaction_id IS NULL, (facts_sequence, facts_index), (0, 0))
      HAVING countIf(kind = 'purchase') > 0 AND first_place.1 < ${UNTIL}
    )`;
}

function sessionRows(quantities: readonly Quantity[]): string {
  return `SELECT player_id, 'session' AS row_of, '' AS name, happened_at AS at,
      (happened_at, toUInt64(0), toUInt32(0)) AS place, ${NO_DAY} AS day, toInt64(1) AS times,
      ${amounts(quantities, () => 'toFloat64(0)')}
    FROM sessions
    WHERE ${SCOPE} AND happened_at >= ${SINCE} AND happened_at < ${UNTIL}
      AND received_at >= ${SINCE} AND received_at < ${UNTIL} + toIntervalDay(${LATE_DAYS})`;
}

function dayRows(quantities: readonly Quantity[], zone: string): string {
  return `SELECT player_id, 'day' AS row_of, '' AS name, toDateTime64(day, 3, 'UTC') AS at,
      (toDateTime64(day, 3, 'UTC'), toUInt64(0), toUInt32(0)) AS place, day, toInt64(1) AS times,
      ${amounts(quantities, () => 'toFloat64(0)')}
    FROM player_days FINAL
    WHERE ${SCOPE} AND day >= toDate(${SINCE}, ${zone})`;
}

/** The amount of an event, as SQL. */
function amountOfEvent({ number, source, property }: Quantity): string {
  if (source !== 'event' || property === undefined) return 'toFloat64(0)';
  const keys = property.split('.');
  const whole = numberAt(`{property_${number}:String}`);
  const nested = numberAt(keys.map((_, place) => `{key_${number}_${place}:String}`).join(', '));
  return keys.length === 1 ? `coalesce(${whole}, 0.)` : `coalesce(${whole}, ${nested}, 0.)`;
}

/** The parameters of the amounts, and the names of the events. */
export function amountParameters(quantities: readonly Quantity[]): Record<string, unknown> {
  const names = quantities.flatMap(({ source, name }) => (source === 'event' ? [name] : []));
  const parameters: Record<string, unknown> = { names };
  for (const { number, name, property } of quantities) {
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
export function quantityColumns({ number, source, day }: Quantity, zone: string, isBefore: boolean): string[] {
  const isIts =
    source === 'event'
      ? `tracked.row_of IN ('event', 'purchase') AND tracked.name = {name_${number}:String}`
      : `tracked.row_of IN (${source === 'purchase' ? "'purchase', 'imported'" : `'${source}'`})`;
  if (source === 'day') {
    return [
      `countIf(${isIts} AND tracked.day = toDate(exposed.first_place.1, ${zone}) + ${day ?? 0}) AS times_${number}`,
    ];
  }
  const columns = (when: string, name: string): string[] => [
    `sumIf(tracked.times, ${isIts} AND ${when}) AS times_${name}${number}`,
    `sumIf(tracked.amount_${number}, ${isIts} AND ${when}) AS total_${name}${number}`,
  ];
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
