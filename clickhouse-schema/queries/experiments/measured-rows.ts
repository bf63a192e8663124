import { PURCHASE_EVENT } from '../../../core/vocabulary/service-events.ts';

/** What one metric reads of an event. */
export interface RowMetric {
  /** Name of the events measured. */
  metric: string;
  /** The property that is summed; undefined: none. */
  property: string | undefined;
  /** SQL of the event's amount, as a float. */
  amount: string;
  /** The column of the amount. */
  column: string;
}

/** Days after a client key recorded a purchase in which the record of a server key still corrects it here. */
const CORRECTED_DAYS = 7;

/**
 * Rows that experiments measure: `(player_id, event_name, received_at, place, counts)` and the amount of each metric.
 * Parameters: `game`, `environment`, `metrics`, and the bounds `since` and `until`.
 *
 * Recorded purchases come from `purchases`, one row per transaction. Its events would count a transaction twice that a
 * client key and a server key recorded with different amounts. The row has the time of the first record, and the amount
 * less what was refunded of it, whenever that was. Events named `purchase` that callers sent or files brought count as
 * any other event.
 */
export function measuredRows(metrics: readonly RowMetric[]): string {
  const events = `SELECT
      player_id,
      event_name,
      received_at,
      (received_at, facts_sequence, facts_index) AS place,
      ${metrics.map(({ amount, column }) => `${amount} AS ${column}`).join(', ')},
      toInt64(1) AS counts
    FROM events
    WHERE game_id = {game:String} AND environment = {environment:String} AND event_name IN {metrics:Array(String)}
      AND ${IN_TIME}`;
  if (!metrics.some(isOfPurchases)) return events;
  const amounts = metrics.map((metric) => (isOfPurchases(metric) && metric.property === 'amount' ? 'paid' : '0.'));
  return `${events} AND NOT (event_name = '${PURCHASE_EVENT}' AND source = 'service')
    UNION ALL
    SELECT player_id, '${PURCHASE_EVENT}', first_place.1, first_place, ${amounts.join(', ')}, bought
    FROM (
      SELECT
        player_id,
        min((received_at, facts_sequence, facts_index)) AS first_place,
        toFloat64(sumIf(amount, recorded_by != 'import')) AS paid,
        sumIf(counts, recorded_by != 'import' AND kind != 'refund') AS bought
      FROM purchases
      WHERE game_id = {game:String} AND environment = {environment:String}
        AND received_at >= ${SINCE} - toIntervalDay(${CORRECTED_DAYS})
      GROUP BY player_id, transaction_id, if(transaction_id IS NULL, (facts_sequence, facts_index), (0, 0))
      HAVING first_place.1 >= ${SINCE} AND first_place.1 < ${UNTIL}
    )`;
}

const isOfPurchases = ({ metric }: RowMetric): boolean => metric === PURCHASE_EVENT;

const SINCE = 'fromUnixTimestamp64Milli({since:Int64})';
const UNTIL = 'fromUnixTimestamp64Milli({until:Int64})';
/** Whether a row was received between `since` and `until`. */
export const IN_TIME = `received_at >= ${SINCE} AND received_at < ${UNTIL}`;
