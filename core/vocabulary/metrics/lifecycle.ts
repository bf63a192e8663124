import { namesOf } from './metrics.ts';

/**
 * What a player is in an interval. A player is active on a day with an event, a session or a purchase. Who is active is
 * in one state: the first of these that is true.
 */
export const LIFECYCLE_STATES = {
  new: { title: 'New', words: 'Active in the interval, in which their first activity lies.' },
  current: { title: 'Current', words: 'Active in the interval and in the one before it.' },
  resurrected: { title: 'Resurrected', words: 'Active in the interval, not in the one before it, and seen earlier.' },
  dormant: { title: 'Dormant', words: 'Active in the interval before, and not in this one.' },
} as const;

export type LifecycleState = keyof typeof LIFECYCLE_STATES;
export const LIFECYCLE_STATE_NAMES: readonly LifecycleState[] = namesOf(LIFECYCLE_STATES);
