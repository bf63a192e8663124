import { isDeepStrictEqual } from 'node:util';
import { hashed, unpackEvents } from '../../../actors/events/event-block.ts';
import type { EntityState } from '../../../actors/vocabulary/state.ts';

/** Whether two states hold the same: all events in full, as in the model, or older ones in blocks. */
export function isSameState(one: EntityState | undefined, other: EntityState | undefined): boolean {
  return isDeepStrictEqual(withHashedEvents(one), withHashedEvents(other));
}

function withHashedEvents(state: EntityState | undefined): unknown {
  if (state?.kind !== 'player') return state;
  const { recentEvents, olderEvents = { client: [], server: [] }, ...rest } = state;
  const recentBy = (isClient: boolean) => recentEvents.filter(({ by }) => (by === 'client') === isClient).map(hashed);
  return {
    ...rest,
    client: [...olderEvents.client.flatMap((block) => unpackEvents(block)), ...recentBy(true)],
    server: [...olderEvents.server.flatMap((block) => unpackEvents(block)), ...recentBy(false)],
  };
}
