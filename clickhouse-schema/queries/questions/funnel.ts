import { type Bindings, inScope, type Statement } from './bindings.ts';
import { textOf } from './dimensions.ts';
import { passing } from './filters.ts';
import type { FunnelQuestion, FunnelStep, Scope } from './question.ts';

/**
 * Rows `{key, level, inside, players}`: how many players reached which step, and whether they may still reach the next
 * one, because their latest first step is younger than the window. The first step lies in the range, the others up to
 * one window behind it. Of a player's attempts the best counts. Steps of one millisecond count in any order: their
 * order within it is not kept by `windowFunnel`.
 */
export function funnelStatement(question: FunnelQuestion, bindings: Bindings): Statement {
  const { bind, moment } = bindings;
  const { steps, toMs, nowMs, by, limit } = question;
  const windowMs = wholeNumber(question.windowSeconds) * 1_000;
  const untilMs = toMs + windowMs;
  const isStep = steps.map((step, place) => {
    const began = place === 0 ? ` AND happened_at < ${moment(toMs)}` : '';
    return conditionOf(bindings, step, { ...question, toMs: untilMs }) + began;
  });
  const [first = '0'] = isStep;
  const key =
    by === undefined ? `''` : `argMinIf(${textOf(bindings, by, question)}, (happened_at, facts_sequence), ${first})`;
  const players = `
SELECT
  ${key} AS key,
  windowFunnel(${windowMs})(toUInt64(toUnixTimestamp64Milli(happened_at)), ${isStep.join(', ')}) AS level,
  toUnixTimestamp64Milli(maxIf(happened_at, ${first})) + ${windowMs} > ${bind('Int64', nowMs)} AS inside
FROM events
WHERE ${inScope(bindings, { ...question, toMs: untilMs })}
  AND event_name IN ${bind('Array(String)', [...new Set(steps.map(({ eventName }) => eventName))])}
GROUP BY player_id
HAVING level > 0`;
  const sql = `
SELECT key, arrayJoin(found) AS one, one.1 AS level, one.2 AS inside, one.3 AS players
FROM (
  SELECT key, groupArray((level, inside, number)) AS found, sum(number) AS total
  FROM (SELECT key, level, inside, count() AS number FROM (${players}) GROUP BY key, level, inside)
  GROUP BY key
  ORDER BY total DESC, key
  LIMIT ${bind('UInt32', limit)}
)
ORDER BY total DESC, key, level, inside`;
  return { sql, parameters: bindings.parameters };
}

function conditionOf(bindings: Bindings, { eventName, where }: FunnelStep, scope: Scope): string {
  return `event_name = ${bindings.bind('String', eventName)}${passing(bindings, where, scope)}`;
}

/** A parameter of an aggregate function must be a literal, which no placeholder is. */
function wholeNumber(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${value} is no whole number`);
  return value;
}
