import { type Bindings, inScope, ofGame, type Statement } from '../bindings.ts';
import { eventsOf } from '../dimensions.ts';
import { passing } from '../filters.ts';
import type { PathsQuestion } from '../question.ts';
import { sortedKeys, TAG_BITS, tagIn, timeIn } from '../../../behaviour/event-order.ts';

/** The bit of a start event in a tag; the bits below have the place of the event's name among all names, from 1. */
const START = TAG_BITS - 1;
const MOST_NAMES = 2 ** START - 1;
/** Players of the set that finds their events: a million took 250 MiB beside their events, half of the memory. */
const MOST_IN_SET = 250_000;

/**
 * Rows `{first, second, times, players, paths, total}`: the events that followed a start event, or with `backward`
 * those that came before it, the nearest first, and '' where none was near enough; the last two over all paths. Events
 * are in the order of `sortedKeys`: the neighbours of an event are those of its array. Names are all of the game, which
 * the projection `of_name` knows without a read of its rows.
 */
export function pathsStatement(question: PathsQuestion, bindings: Bindings, mostInSet = MOST_IN_SET): Statement {
  const { names, steps } = stepsOf(question, bindings, mostInSet);
  const sql = `
${names}
SELECT first, second, times, players, count() OVER () AS paths, sum(times) OVER () AS total
FROM (
  SELECT names[near] AS first, names[far] AS second, count() AS times, uniq(player_id) AS players
  FROM (${steps})
  GROUP BY near, far
)
ORDER BY times DESC, first, second
LIMIT ${bindings.bind('UInt32', question.limit)}`;
  return { sql, parameters: bindings.parameters };
}

/** The players with a path; '' where nothing was near enough. */
export function pathPlayers(
  question: PathsQuestion,
  { first, second }: { first: string; second: string },
  bindings: Bindings,
): string {
  const { names, steps } = stepsOf(question, bindings, MOST_IN_SET);
  const { bind } = bindings;
  return `
${names}
SELECT DISTINCT player_id FROM (${steps})
WHERE names[near] = ${bind('String', first)} AND names[far] = ${bind('String', second)}`;
}

/**
 * The array `names` of a WITH, and the statement of rows `{player_id, near, far}`: for each start event the places in
 * it of the two events beside it, 0 where none was near enough.
 */
function stepsOf(question: PathsQuestion, bindings: Bindings, mostInSet: number): { names: string; steps: string } {
  const { bind } = bindings;
  const within = bind('UInt32', question.withinSeconds);
  const start = `event_name = ${bind('String', question.eventName)}${passing(bindings, question.where, question)}`;
  const scope = inScope(bindings, question);
  const shift = question.direction === 'backward' ? 'arrayShiftRight' : 'arrayShiftLeft';
  const isNear = (one: string, other: string): string =>
    `${other} > 0 AND abs(${timeIn(other)} - ${timeIn(one)}) <= ${within} * 1000`;
  const nameIn = (key: string): string => `bitAnd(${tagIn(key)}, ${MOST_NAMES})`;
  const starts = `FROM ${eventsOf(bindings, question)} WHERE ${scope} AND ${start}`;
  // The engine folds the condition: beyond the bound it reads the events of all players, and needs no set.
  const isOfThem = `((SELECT uniq(player_id) ${starts}) > ${mostInSet} OR player_id IN (SELECT player_id ${starts}))`;
  const tag = `bitOr(transform(toString(event_name), names, arrayEnumerate(names), 0), if(${start}, ${2 ** START}, 0))`;
  const names = `WITH (
  SELECT groupArray(name) AS found
  FROM (
    SELECT toString(event_name) AS name FROM events
    WHERE ${ofGame(bindings, question)}
    GROUP BY game_id, environment, event_name
  )
  HAVING throwIf(length(found) > ${MOST_NAMES}, 'The game has too many names of events') = 0
) AS names`;
  const steps = `
  SELECT
    player_id,
    if(${isNear('own', 'one')}, ${nameIn('one')}, 0) AS near,
    if(near > 0 AND ${isNear('one', 'other')}, ${nameIn('other')}, 0) AS far
  FROM (
    SELECT player_id, ${sortedKeys(tag)} AS keys
    FROM ${eventsOf(bindings, question)}
    WHERE ${scope} AND ${isOfThem}
    GROUP BY player_id
  )
  ARRAY JOIN keys AS own, ${shift}(keys, 1, toUInt128(0)) AS one, ${shift}(keys, 2, toUInt128(0)) AS other
  WHERE bitTest(${tagIn('own')}, ${START})`;
  return { names, steps };
}
