import { byPlayer, type PastEvent } from './histories.ts';
import { intervalOf, laterInterval, type OracleInterval } from './oracle-intervals.ts';

/* Lifecycle and days of activity by brute force: the intervals of each player, one after the other. */

export interface OracleActivity {
  interval: OracleInterval;
  /** First dates of the intervals that are looked at, in order. */
  starts: readonly string[];
  /** The date on which a player was seen before all of its events; null: it was not. */
  seenBefore: (player: number) => string | null;
}

/** The players of each state in each interval. */
export function lifecycleOf(events: readonly PastEvent[], zone: string, asked: OracleActivity) {
  const { interval, starts, seenBefore } = asked;
  const found = starts.map((start) => ({
    start,
    states: { new: [] as number[], current: [] as number[], resurrected: [] as number[], dormant: [] as number[] },
  }));
  for (const own of byPlayer(events)) {
    const player = own[0]?.player ?? 0;
    const active = new Set(own.map(({ happenedMs }) => intervalOf(interval, zone, happenedMs)));
    const first = [...active].toSorted()[0];
    for (const { start, states } of found) {
      const wasActive = [...active].some((each) => laterInterval(interval, each, 1) === start);
      if (active.has(start)) {
        const isNew = start === first && seenBefore(player) === null;
        states[isNew ? 'new' : wasActive ? 'current' : 'resurrected'].push(player);
      } else if (wasActive) states.dormant.push(player);
    }
  }
  return found;
}

/** The players of each number of active days in each interval. */
export function activeDaysOf(events: readonly PastEvent[], zone: string, asked: OracleActivity) {
  return asked.starts.map((start) => {
    const byDays = new Map<number, number[]>();
    for (const own of byPlayer(events)) {
      const within = own.filter(({ happenedMs }) => intervalOf(asked.interval, zone, happenedMs) === start);
      const days = new Set(within.map(({ happenedMs }) => intervalOf('day', zone, happenedMs))).size;
      if (days > 0) byDays.set(days, [...(byDays.get(days) ?? []), own[0]?.player ?? 0]);
    }
    return { start, byDays };
  });
}
