import { eventReader, type EventProperty } from '../../properties/concerned-properties.ts';
import { bucketsOf, merged } from '../../../core/vocabulary/state/computed-buckets.ts';
import type { PropertyFilled } from '../../../core/vocabulary/documents/computed.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import type { PastEvent } from '../../../core/vocabulary/event-history.ts';
import type { Buckets } from '../../../core/vocabulary/state/aggregates.ts';

/** A property whose past is read. */
export interface FillProperty extends EventProperty {
  /** Name of the events. */
  event: string;
  /** FACTS sequence of the record in which it began: the events of that record and later ones are counted live. */
  from: number;
}

/** What a player's past events make of properties. */
export interface PlayerPast {
  readonly playerId: string;
  /** The life that the events belong to: the player's `bornSeq`, or 0. */
  readonly bornSeq: number;
  /** Adds an event. Events come in the order of the log, at least within one millisecond. */
  add(event: PastEvent): void;
  /** Without properties that no event concerns. */
  facts(atMs: number): PropertyFilled[];
}

export function createPlayerPast(player: PlayerState, properties: readonly FillProperty[]): PlayerPast {
  const { id: entityId, game, environment, bornSeq = 0 } = player;
  const past = new Map<FillProperty, Buckets>();
  return {
    playerId: entityId,
    bornSeq,
    add({ eventName, properties: text, atMs, sequence }) {
      if (sequence < bornSeq) return;
      const read = eventReader(text);
      for (const property of properties) {
        if (property.event !== eventName || sequence >= property.from) continue;
        const value = property.valueIn(read);
        if (value === undefined) continue;
        const { aggregate, days } = property;
        const own = bucketsOf({ aggregate, days, value }, atMs);
        past.set(property, merged(aggregate, days, past.get(property) ?? [], own));
      }
    },
    facts: (at) =>
      [...past].map(([{ id, generation, aggregate, days }, buckets]): PropertyFilled => {
        const base = { kind: 'PropertyFilled', entityId, game, environment, at } as const;
        return { ...base, id, generation, aggregate, days, buckets };
      }),
  };
}
