import { isDeepStrictEqual } from 'node:util';
import { decodeReply } from '../../../core/codec/stored-reply.ts';
import type { DomainFact } from '../../../core/vocabulary/facts/facts.ts';
import { hashed, unpackEvents } from '../../../actors/events/event-block.ts';
import type { EntityState, PlayerState } from '../../../core/vocabulary/state/state.ts';
import { countingOf, naiveDays } from '../model/players/model-computed.ts';

/**
 * Whether a state of the service holds the same as one of the model, which has all events in full, not older ones in
 * blocks, and the events of computed properties, not their values.
 */
export function isSameState(state: EntityState | undefined, inModel: EntityState | undefined): boolean {
  return isDeepStrictEqual(withHashedEvents(state), withHashedEvents(withNaiveValues(inModel)));
}

/** Whether facts are the same. The bytes of two equal replies may differ by the order of their properties. */
export function areSameFacts(facts: readonly DomainFact[], inModel: readonly DomainFact[]): boolean {
  const read = (fact: DomainFact) => (fact.kind === 'IdempotencyKeyUsed' ? withReply(fact) : fact);
  return isDeepStrictEqual(facts.map(read), inModel.map(read));
}

const withReply = <T extends { reply: Uint8Array }>(keyed: T) => ({ ...keyed, reply: decodeReply(keyed.reply) });

function withNaiveValues(state: EntityState | undefined): EntityState | undefined {
  if (state?.kind !== 'player') return state;
  const { counting: _, ...player }: PlayerState & { counting?: unknown } = state;
  const computed = [...countingOf(state).counted].map(([id, { generation, filled, spec, events }]) => {
    const { aggregate, days } = spec;
    return { id, generation, aggregate, days, filled, buckets: naiveDays(spec, events) };
  });
  return { ...player, computed };
}

function withHashedEvents(state: EntityState | undefined): unknown {
  if (state === undefined) return undefined;
  const keys = state.keys.map(withReply);
  if (state.kind !== 'player') return { ...state, keys };
  const { recentEvents, olderEvents = { client: [], server: [] }, computed = [], ...rest } = state;
  const recentBy = (isClient: boolean) => recentEvents.filter(({ by }) => (by === 'client') === isClient).map(hashed);
  return {
    ...rest,
    keys,
    computed: computed.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    client: [...olderEvents.client.flatMap((block) => unpackEvents(block)), ...recentBy(true)],
    server: [...olderEvents.server.flatMap((block) => unpackEvents(block)), ...recentBy(false)],
  };
}
