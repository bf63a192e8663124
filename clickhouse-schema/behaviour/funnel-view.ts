import { MOST_STEPS } from './attempts.ts';
import { sortedKeys } from './event-order.ts';
import { figureColumns, playersOf } from './funnel-figures.ts';
import { orderedAttempts } from './ordered-attempts.ts';

/* What the file of the view `funnel` stands for in SQL. It is the query's text, with names of events as its steps. */

const places = Array.from({ length: MOST_STEPS }, (_, place) => place);

/** The players with an attempt. @param events a relation of the events that the steps name, with `steps` and `until` */
function viewPlayers(events: string): string {
  // Beyond the last step a name is '', which no event has.
  const tag = places
    .map((place) => `if(event_name = steps[${place + 1}], ${2 ** place}, 0)`)
    .reduce((one, other) => `bitOr(${one}, ${other})`);
  const players = `
    SELECT player_id, '' AS key, ${sortedKeys(tag)} AS keys
    FROM ${events}
    GROUP BY player_id
    HAVING countIf(event_name = steps[1] AND happened_at < until) > 0`;
  const source = {
    players,
    since: 'toUnixTimestamp64Milli(since)',
    until: 'toUnixTimestamp64Milli(until)',
    windowMs: '(window_seconds * 1000)',
  };
  return playersOf(orderedAttempts(MOST_STEPS, false), source, {
    steps: 'length(steps)',
    now: "toUnixTimestamp64Milli(now64(3, 'UTC'))",
  });
}

export const FUNNEL_MACROS = {
  funnel_players: viewPlayers,
  funnel_figures: figureColumns,
} as const;
