import { momentsOf, TAG_BITS, tagIn } from './event-order.ts';

/*
 * What attempts at a funnel have in common: an attempt begins with an event in the range, all of its steps happen
 * within the window of that event, and each event is at most one of its steps. Of a player's attempts the best counts:
 * the furthest; of equally far ones the first to get there; of several that one event brings there, the last to begin.
 *
 * The engine has no loop over rows, and a fold over arrays is slow where few players have many events. So the state
 * after each event is written as arrays as long as the events, one operation on all of them at a time: what an event
 * sets is there, a mark (1) stands where it sets nothing, and `arrayFill` writes over the marks what stands before
 * them.
 */

/** The most steps: with the bits of exclusions they fill a tag. */
export const MOST_STEPS = 10;

/** The bit of an event that is excluded after a step; there is none after the last one. */
export const excludedAfter = (step: number): number => MOST_STEPS + step - 1;

/** The bit of an event that is excluded after any step, of funnels in any order. */
export const EXCLUDED = TAG_BITS - 1;

/** Where the events are, and their bounds: expressions of epoch milliseconds and of milliseconds. */
export interface AttemptSource {
  /** A statement with the columns `player_id`, `key`, and `keys`: sorted keys of events with their tags. */
  players: string;
  since: string;
  /** Attempts begin before it. */
  until: string;
  windowMs: string;
}

/**
 * What passes give: rows `{player_id, key, level, picked, open_since}`. `level` is the last step of the best attempt
 * (0: there is none), `picked` are the moments of its steps (0 beyond its last one), and `open_since` is the start of
 * the attempt that began last and may go on (at most 1: there is none).
 */
export type AttemptPass = (source: AttemptSource) => string;

/** The players with what all passes begin with: the moments and tags of their events. */
export function withMoments({ players, since }: AttemptSource): string {
  return `
    SELECT
      player_id,
      key,
      ${momentsOf('keys', since)} AS moments,
      arrayMap(k -> ${tagIn('k')}, keys) AS tags
    FROM (${players})`;
}

/** A statement over another one that has more columns. */
export const extended = (from: string, columns: string): string => `SELECT *, ${columns} FROM (${from})`;

/** What stood before each event. */
export const before = (array: string): string => `arrayShiftRight(${array}, 1, toUInt64(0))`;

/** The array with its marks replaced by what stands before them. */
export const carried = (array: string): string => `arrayFill(held -> held != 1, ${array})`;
