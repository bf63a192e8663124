import { type AttemptPass, type AttemptSource, before, carried, EXCLUDED, extended, withMoments } from './attempts.ts';
import { between, momentAt } from './event-order.ts';

/*
 * Funnels in any order. An attempt begins with an event of any step, and its level is the number of its steps that were
 * done. An event counts for one step: the first in the list that it satisfies; equal steps want as many events. An
 * event that satisfies no step ends all attempts if it is excluded.
 *
 * At each event the attempt counts that began first among those whose window is open: it has most steps. A slot has,
 * for one of the steps of a group, the latest event of the group, the one before that, and so on for as many as there
 * are equal steps. A step is done if the event of its slot lies in the window.
 *
 * Tags: bit `group` for the group of equal steps that the event counts for, or the bit `EXCLUDED`.
 */

/** @param sizes how many equal steps each group has */
export function anyOrderAttempts(sizes: readonly number[]): AttemptPass {
  const groups = sizes.map((size, group) => ({ group, size }));
  const slots = groups.flatMap(({ group, size }) => Array.from({ length: size }, (_, turn) => ({ group, turn })));
  const nameOf = ({ group, turn }: { group: number; turn: number }): string => `slot_${group}_${turn}`;
  const isOfStep = `tag > 0 AND NOT bitTest(tag, ${EXCLUDED})`;
  return (source) => {
    const begins = `${isOfStep} AND moment < ${untilOf(source)}`;
    let rows = extended(withMoments(source), `${held(begins, 'moment')} AS opened`);
    for (const slot of slots) {
      const { group, turn } = slot;
      const previous = turn === 0 ? 'moments' : before(nameOf({ group, turn: turn - 1 }));
      rows = extended(
        rows,
        `${held(`bitTest(tag, ${group})`, 'if(previous > 1, previous, 0)', previous)} AS ${nameOf(slot)}`,
      );
    }
    const names = slots.map(nameOf);
    const isDone = (moment: string, slot: string) => `(${slot} > 1 AND ${between(slot, moment)} <= ${source.windowMs})`;
    const done = names.map((name) => isDone('moment', name)).join(' + ');
    const counted = `arrayMap((moment, opened, ${names.join(', ')}) -> if(${isDone('moment', 'opened')}, ${done}, 0), moments, opened, ${names.join(', ')})`;
    rows = extended(rows, `${counted} AS counts, arrayMax(counts) AS level, indexOf(counts, level) AS best`);
    rows = extended(rows, 'moments[best] AS ending');
    const bestSlots = `[${names.map((name) => `${name}[best]`).join(', ')}]`;
    const earliest = `arrayMin(arrayFilter(slot -> ${isDone('ending', 'slot')}, ${bestSlots}))`;
    rows = extended(
      rows,
      `${earliest} AS earliest, if(earliest < ${untilOf(source)}, earliest, opened[best]) AS start`,
    );
    const firsts = groups.map(
      ({ group, size }) =>
        `arraySlice(arrayFilter((moment, tag) -> moment >= start AND bitTest(tag, ${group}), moments, tags), 1, ${size})`,
    );
    const picked = `arraySlice(arraySort(arrayConcat(${firsts.join(', ')})), 1, level)`;
    return `
    SELECT player_id, key, level, arrayResize(${picked}, ${slots.length}, toUInt64(0)) AS picked, opened[-1] AS open_since
    FROM (${rows})`;
  };
}

const untilOf = ({ until, since }: AttemptSource): string => momentAt(until, since);

/** What the latest event that sets something has set, at each event; 0 from an excluded event on. */
function held(sets: string, value: string, previous = 'moments'): string {
  const set = `multiIf(${sets}, ${value}, bitTest(tag, ${EXCLUDED}), 0, 1)`;
  return carried(`arrayMap((moment, tag, previous) -> ${set}, moments, tags, ${previous})`);
}
