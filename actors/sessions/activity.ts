import { STATE_LIMITS } from '../../core/vocabulary/limits.ts';
import { dayOf } from '../../core/kernel/days.ts';
import type { DailyActivity } from '../../core/vocabulary/state/player.ts';

/**
 * Adds sessions and playtime at `atMs` (epoch milliseconds) to the daily buckets. A time before the newest day counts
 * on its own day; a time before all buckets is ignored.
 */
export function played(
  activity: DailyActivity,
  atMs: number,
  sessions: number,
  playtimeSeconds: number,
): DailyActivity {
  const day = dayOf(atMs);
  const newest = activity.sessions.length === 0 ? day : Math.max(day, activity.day);
  const back = newest - day;
  if (back >= STATE_LIMITS.activityDays) return activity;
  const gap = newest - activity.day;
  return {
    ...activity,
    day: newest,
    sessions: plus(activity.sessions, gap, back, sessions),
    playtimeSeconds: plus(activity.playtimeSeconds, gap, back, playtimeSeconds),
  };
}

function plus(days: readonly number[], gap: number, back: number, amount: number): number[] {
  const next = shifted(days, gap);
  while (next.length <= back) next.push(0);
  next[back] = (next[back] ?? 0) + amount;
  return next;
}

/** Shifts the buckets by `gap` newer days. */
function shifted(days: readonly number[], gap: number): number[] {
  if (days.length === 0) return [];
  const zeros = Array.from({ length: Math.min(gap, STATE_LIMITS.activityDays) }, () => 0);
  return [...zeros, ...days].slice(0, STATE_LIMITS.activityDays);
}
