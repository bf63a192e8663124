import { PLAYER_COLUMNS } from './figure-columns.ts';
import { type Quantity, quantityColumns } from './measured-rows.ts';

/* The columns of players at the end of each of some days, as SQL: what they did up to then. */

/** Days without a gap. What was before the first one counts on it, and what is after the last one on that. */
export interface ByDay {
  /** Days since the Unix epoch, in the time zone of the query. */
  firstDay: number;
  days: number;
}

export const dayParameters = ({ firstDay, days }: ByDay): Record<string, unknown> => ({
  first_day: firstDay,
  last_place: days - 1,
});

const placeOf = (at: string, zone: string): string =>
  `least(greatest(toInt32(toDate(${at}, ${zone})) - {first_day:Int32}, 0), {last_place:Int32})`;

/**
 * Rows of each player and day from its exposure on, `day` from 0, with the columns of `quantityColumns` summed up to
 * the end of the day. The figures of a day are then those that results had at its end.
 * @param tracked SQL of the rows, joined to `exposed`
 */
export function measuredByDay(quantities: readonly Quantity[], zone: string, tracked: string): string {
  const sums = quantities.flatMap(({ number }) => [`times_${number}`, `total_${number}`]);
  const own = [...PLAYER_COLUMNS, 'cluster', 'named_other'];
  const entered = placeOf('exposed.first_place.1', zone);
  return `
  SELECT player, exposed_at, ${own.join(', ')}, day,
    ${sums.map((sum) => `arraySum(arrayMap((at, one) -> if(at <= day, one, 0), places, ${sum}_by_place)) AS ${sum}`).join(',\n    ')}
  FROM (
    SELECT player, any(exposed_at) AS exposed_at, ${own.map((column) => `any(${column}) AS ${column}`).join(', ')},
      any(entered) AS entered, groupArray(place) AS places,
      ${sums.map((sum) => `groupArray(${sum}) AS ${sum}_by_place`).join(', ')}
    FROM (
      SELECT
        exposed.player_id AS player,
        any(exposed.first_place.1) AS exposed_at,
        ${own.map((column) => `any(exposed.${column}) AS ${column}`).join(', ')},
        any(${entered}) AS entered,
        greatest(${placeOf('tracked.at', zone)}, ${entered}) AS place,
        ${quantities.flatMap((quantity) => quantityColumns(quantity, zone, false)).join(',\n        ')}
      FROM ${tracked}
      GROUP BY player, place
    )
    GROUP BY player
  )
  ARRAY JOIN range(entered, {last_place:Int32} + 1) AS day`;
}
