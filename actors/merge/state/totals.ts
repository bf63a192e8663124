import { DAY_MS } from '../../../core/kernel/days.ts';
import { STATE_LIMITS } from '../../../core/vocabulary/limits.ts';
import type { RepeatedPurchase } from '../../../core/vocabulary/merge/merged.ts';
import { NO_ACTIVITY, type DailyActivity, type EventCounter } from '../../../core/vocabulary/state/player.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { COUNTER_LIMITS } from '../../computed/limits.ts';
import { played } from '../../sessions/activity.ts';

type Totals = Pick<
  PlayerState,
  | 'sessionCount'
  | 'sessionsInStage'
  | 'totalPlaytimeSeconds'
  | 'totalRevenue'
  | 'purchaseCount'
  | 'isPayer'
  | 'activity'
  | 'counters'
>;

/** What purchases add to the totals. */
type Sales = Pick<RepeatedPurchase, 'revenue' | 'purchases'>;

export function salesOf(repeated: readonly RepeatedPurchase[]): Sales {
  const sum = (of: (one: RepeatedPurchase) => number) => repeated.reduce((total, one) => total + of(one), 0);
  return { revenue: sum((one) => one.revenue), purchases: sum((one) => one.purchases) };
}

/** Sums add. A purchase of both counts once. */
export function unitedTotals(account: PlayerState, guest: PlayerState, { revenue, purchases }: Sales): Totals {
  return {
    sessionCount: account.sessionCount + guest.sessionCount,
    sessionsInStage: account.sessionsInStage + guest.sessionsInStage,
    totalPlaytimeSeconds: account.totalPlaytimeSeconds + guest.totalPlaytimeSeconds,
    totalRevenue: account.totalRevenue + guest.totalRevenue - revenue,
    purchaseCount: account.purchaseCount + guest.purchaseCount - purchases,
    isPayer: account.isPayer || guest.isPayer,
    activity: withActivity(account.activity, guest.activity, 1),
    counters: unitedCounters(account.counters, guest.counters),
  };
}

export function separatedTotals(account: PlayerState, guest: PlayerState, { revenue, purchases }: Sales): Totals {
  const purchaseCount = account.purchaseCount - guest.purchaseCount + purchases;
  return {
    sessionCount: account.sessionCount - guest.sessionCount,
    // It may have begun a stage since.
    sessionsInStage: Math.max(0, account.sessionsInStage - guest.sessionsInStage),
    totalPlaytimeSeconds: account.totalPlaytimeSeconds - guest.totalPlaytimeSeconds,
    totalRevenue: account.totalRevenue - guest.totalRevenue + revenue,
    purchaseCount,
    isPayer: purchaseCount > 0,
    activity: sinceLastPlay(withActivity(account.activity, guest.activity, -1)),
    counters: separatedCounters(account.counters, guest.counters),
  };
}

/** With the days of another player added, or taken away. */
function withActivity(activity: DailyActivity, other: DailyActivity, sign: 1 | -1): DailyActivity {
  let next = activity;
  // From the newest day on: it decides which days are kept.
  for (const [back, sessions] of other.sessions.entries()) {
    if (back >= STATE_LIMITS.activityDays) break;
    next = played(next, (other.day - back) * DAY_MS, sign * sessions, sign * (other.playtimeSeconds[back] ?? 0));
  }
  return next;
}

/** Without newer days on which only the guest played. */
function sinceLastPlay({ day, sessions, playtimeSeconds }: DailyActivity): DailyActivity {
  const newer = sessions.findIndex((count, back) => count !== 0 || playtimeSeconds[back] !== 0);
  if (newer === -1) return NO_ACTIVITY;
  return { day: day - newer, sessions: sessions.slice(newer), playtimeSeconds: playtimeSeconds.slice(newer) };
}

/** Most recently counted first. What does not fit is what was counted longest ago. */
function unitedCounters(account: readonly EventCounter[], guest: readonly EventCounter[]): readonly EventCounter[] {
  const ofGuest = new Map(guest.map((counter) => [counter.name, counter]));
  const joined = account.map((counter) => {
    const other = ofGuest.get(counter.name);
    ofGuest.delete(counter.name);
    return other === undefined ? counter : sum(counter, other, 1);
  });
  return [...joined, ...ofGuest.values()]
    .toSorted((one, other) => other.day - one.day)
    .slice(0, COUNTER_LIMITS.countedNames);
}

function separatedCounters(account: readonly EventCounter[], guest: readonly EventCounter[]): readonly EventCounter[] {
  const ofGuest = new Map(guest.map((counter) => [counter.name, counter]));
  return account.flatMap((counter) => {
    const other = ofGuest.get(counter.name);
    if (other === undefined) return [counter];
    const { name, day, counts } = sum(counter, other, -1);
    const newer = counts.findIndex((count) => count > 0);
    return newer === -1 ? [] : [{ name, day: day - newer, counts: counts.slice(newer) }];
  });
}

function sum(one: EventCounter, other: EventCounter, sign: 1 | -1): EventCounter {
  const day = Math.max(one.day, other.day);
  const [first, second] = [day - one.day, day - other.day];
  const length = Math.max(one.counts.length + first, other.counts.length + second);
  const counts = Array.from({ length: Math.min(length, COUNTER_LIMITS.countedDays) }, (_, back) =>
    Math.max(0, (one.counts[back - first] ?? 0) + sign * (other.counts[back - second] ?? 0)),
  );
  return { name: one.name, day, counts: trimmed(counts) };
}

/** Without the zeros of the oldest days. */
function trimmed(counts: readonly number[]): readonly number[] {
  let end = counts.length;
  while (end > 1 && counts[end - 1] === 0) end -= 1;
  return counts.slice(0, end);
}
