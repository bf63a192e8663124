import { type AttemptPass, before, carried, excludedAfter, withMoments } from './attempts.ts';
import { between, momentAt } from './event-order.ts';

/*
 * Funnels in order. The next step of an attempt is the next event that satisfies it. Another event ends the attempt if
 * it is excluded after the step that the attempt has reached; in a strict funnel every other event does.
 *
 * Of attempts that have reached the same step, the one that began last can do all that the others can. So one attempt
 * is held for each step. `reached_N` has, at the events that bring an attempt to step N, its start; `held_N` has the
 * attempt that is at step N after each event.
 *
 * Tags: bit `step - 1` if the event satisfies the step, and the bits of `excludedAfter`.
 */

/** The pass over funnels of so many steps. */
export function orderedAttempts(steps: number, isStrict: boolean): AttemptPass {
  const all = Array.from({ length: steps }, (_, place) => place + 1);
  return (source) => {
    const first = `bitTest(tag, 0) AND moment < ${momentAt(source.until, source.since)}`;
    const columns = [`arrayMap((moment, tag) -> if(${first}, moment, 0), moments, tags) AS reached_1`];
    for (const step of all.slice(0, -1)) {
      columns.push(`${isStrict ? `reached_${step}` : heldAt(step)} AS held_${step}`);
      const arrives = `start > 1 AND bitTest(tag, ${step}) AND ${between('start', 'moment')} <= ${source.windowMs}`;
      const starts = before(`held_${step}`);
      columns.push(
        `arrayMap((moment, tag, start) -> if(${arrives}, start, 0), moments, tags, ${starts}) AS reached_${step + 1}`,
      );
    }
    const passed = `
    SELECT
      player_id,
      key,
      moments,
      tags,
      ${columns.join(',\n      ')},
      [${all.map((step) => `arrayFirst(start -> start > 0, reached_${step})`).join(', ')}] AS starts,
      arrayMax([${all
        .slice(0, -1)
        .map((step) => `held_${step}[-1]`)
        .join(', ')}]) AS open_since
    FROM (${withMoments(source)})`;
    // The steps of the best attempt are found by going through its events once more.
    const picked = all.slice(1).map((step) => {
      const isNext = `moment > picked_${step - 1} AND bitTest(tag, ${step - 1})`;
      const next = `arrayFirst((moment, tag) -> ${isNext}, moments, tags)`;
      return `if(level < ${step}, toUInt64(0), ${next}) AS picked_${step}`;
    });
    return `
    SELECT
      player_id,
      key,
      arrayCount(start -> start > 0, starts) AS level,
      starts[level] AS picked_1,
      ${picked.join(',\n      ')},
      [${all.map((step) => `picked_${step}`).join(', ')}] AS picked,
      open_since
    FROM (${passed})`;
  };
}

function heldAt(step: number): string {
  const ends = `bitTest(tag, ${step}) OR bitTest(tag, ${excludedAfter(step)})`;
  return carried(`arrayMap((start, tag) -> multiIf(start > 0, start, ${ends}, 0, 1), reached_${step}, tags)`);
}
