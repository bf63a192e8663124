import { LIMITS } from '../../src/kernel/limits.ts';
import { appendInGroup } from '../../src/kernel/bounded.ts';
import { type CallerKind, mayBeSame } from '../vocabulary/scope.ts';
import type { RecentEvent } from '../vocabulary/player.ts';

/** The event that this kind of caller sent under an id before; ids of client and server keys never meet. */
export function recall(
  recent: readonly RecentEvent[],
  eventId: string,
  by: CallerKind | undefined,
): RecentEvent | undefined {
  return recent.find((event) => event.eventId === eventId && mayBeSame(event.by, by));
}

/** The remembered ids with one more. Ids that client keys sent are bounded apart from all others. */
export function remembered(recent: readonly RecentEvent[], event: RecentEvent): readonly RecentEvent[] {
  return appendInGroup(recent, event, LIMITS.recentEvents, ({ by }) => by === 'client');
}
