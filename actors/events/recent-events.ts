import { LIMITS } from '../../src/kernel/limits.ts';
import { appendInGroup } from '../../src/kernel/bounded.ts';
import { type CallerKind, mayBeSame } from '../vocabulary/scope.ts';
import type { RecentEvent } from '../vocabulary/player.ts';

/** The earlier event with this id from this kind of caller. Client and server keys have separate ids. */
export function recall(
  recent: readonly RecentEvent[],
  eventId: string,
  by: CallerKind | undefined,
): RecentEvent | undefined {
  return recent.find((event) => event.eventId === eventId && mayBeSame(event.by, by));
}

/** Adds an id to the recent ones. Ids sent by client keys have a bound of their own. */
export function remembered(recent: readonly RecentEvent[], event: RecentEvent): readonly RecentEvent[] {
  return appendInGroup(recent, event, LIMITS.recentEvents, ({ by }) => by === 'client');
}
