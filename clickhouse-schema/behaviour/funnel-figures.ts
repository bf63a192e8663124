import type { AttemptPass, AttemptSource } from './attempts.ts';
import { timeOfMoment } from './event-order.ts';

/*
 * What a funnel says of its players. The query API and the view `funnel` are both made of these texts.
 */

/**
 * Rows `{player_id, key, level, inside, times}`, one for each player with an attempt: the step that its best attempt
 * reached, whether it may still get further, and the times of the steps that it reached, epoch milliseconds.
 */
export function playersOf(pass: AttemptPass, source: AttemptSource, of: { steps: string; now: string }): string {
  const openSince = timeOfMoment('open_since', source.since);
  return `
  SELECT
    player_id,
    key,
    level,
    level < ${of.steps} AND open_since > 1 AND ${openSince} + ${source.windowMs} > ${of.now} AS inside,
    arrayMap(moment -> ${timeOfMoment('moment', source.since)}, arraySlice(picked, 1, level)) AS times
  FROM (${pass(source)})`;
}

/** Rows `{key, total, …}` of such players: see `figureColumns`. */
export function funnelFigures(players: string, steps: string): string {
  return `
SELECT
  key,
  ${figureColumns(steps)}
FROM (${players})
GROUP BY key`;
}

/**
 * `total` players, and arrays with an element for each step: `reached`, the players who reached it; `waiting`, those of
 * them who stopped there and may still get further; `from_previous` and `from_first`, median and 90th percentile of the
 * milliseconds from the step before, and from the first one. The last two end with the last step that a player reached.
 */
export function figureColumns(steps: string): string {
  const all = `range(1, ${steps} + 1)`;
  return [
    'count() AS total',
    `sumForEach(arrayMap(nth -> toUInt64(level >= nth), ${all})) AS reached`,
    `sumForEach(arrayMap(nth -> toUInt64(level = nth AND inside), ${all})) AS waiting`,
    'quantilesExactInclusiveForEach(0.5, 0.9)(arrayDifference(times)) AS from_previous',
    'quantilesExactInclusiveForEach(0.5, 0.9)(arrayMap(time -> time - times[1], times)) AS from_first',
  ].join(',\n  ');
}
