import { ledgerOf } from '../decision/evolve-player.ts';
import {
  NO_COMPUTED,
  type ActiveProperties,
  type ActiveProperty,
  type ComputedEvents,
  type ComputedUpdate,
  type ComputedValue,
  type PropertiesChanged,
  type PropertiesDropped,
  type PropertyFilled,
} from '../../core/vocabulary/documents/computed.ts';
import type { EntityState, LedgerState, PlayerState } from '../../core/vocabulary/state/state.ts';
import { bucketsOf, merged } from '../../core/vocabulary/state/computed-buckets.ts';
import type { Buckets } from '../../core/vocabulary/state/aggregates.ts';

/* The states after the facts of computed properties. None of these steps reads a definition. */

export function propertiesChanged(state: EntityState | undefined, fact: PropertiesChanged): LedgerState {
  const ledger = ledgerOf(state, fact);
  return { ...ledger, properties: changed(ledger.properties ?? NO_PROPERTIES, fact) };
}

export const NO_PROPERTIES: ActiveProperties = { revision: 0, generation: 0, list: [] };

function changed(before: ActiveProperties, fact: PropertiesChanged): ActiveProperties {
  const { revision, began, ended, from, filled } = fact;
  const kept = before.list
    .filter(({ id }) => !ended.includes(id))
    .map((property): ActiveProperty => {
      const placed = property.from === 0 && from !== 0 ? { ...property, from } : property;
      return filled.includes(property.id) ? { ...placed, filled: true } : placed;
    });
  let { generation } = before;
  for (const { id, spec } of began) {
    generation += 1;
    kept.push({ id, spec, generation, from: 0, filled: false });
  }
  return { revision: Math.max(before.revision, revision), generation, list: kept };
}

/** The player's values after several events. */
export function withAllComputed(
  values: readonly ComputedValue[] | undefined,
  { properties, events }: ComputedEvents,
): readonly ComputedValue[] {
  let after = values ?? NO_COMPUTED;
  for (const { at, values: added } of events) {
    const updates = added.flatMap(([place, value]): ComputedUpdate[] => {
      const property = properties[place];
      return property === undefined ? [] : [{ ...property, value }];
    });
    after = withComputed(after, updates, at);
  }
  return after;
}

/** The player's values after an event at `atMs` (epoch milliseconds) that concerns properties. */
export function withComputed(
  values: readonly ComputedValue[] = NO_COMPUTED,
  updates: readonly ComputedUpdate[],
  atMs: number,
): readonly ComputedValue[] {
  const next = values.slice();
  for (const update of updates) {
    const { id, generation, aggregate, days } = update;
    const place = next.findIndex((value) => value.id === id);
    const held = next[place];
    const buckets = bucketsOf(update, atMs);
    if (held !== undefined && held.generation === generation) {
      next[place] = { ...held, buckets: merged(aggregate, days, held.buckets, buckets) };
    } else {
      put(next, place, { id, generation, aggregate, days, filled: false, buckets });
    }
  }
  return next;
}

function put(values: ComputedValue[], place: number, value: ComputedValue): void {
  if (place === -1) values.push(value);
  else values[place] = value;
}

/** Adds the past once. */
export function propertyFilled(state: PlayerState, fact: PropertyFilled): PlayerState {
  const { id, generation, aggregate, days, buckets: past } = fact;
  const next = (state.computed ?? NO_COMPUTED).slice();
  const place = next.findIndex((value) => value.id === id);
  const held = next[place];
  const isHeld = held !== undefined && held.generation === generation;
  if (isHeld && held.filled) return state;
  const live: Buckets = isHeld ? held.buckets : [];
  const buckets = merged(aggregate, days, past, live);
  put(next, place, { id, generation, aggregate, days, filled: true, buckets });
  return { ...state, computed: next };
}

export function propertiesDropped(state: PlayerState, { ids }: PropertiesDropped): PlayerState {
  const { computed = NO_COMPUTED, ...others } = state;
  const kept = computed.filter(({ id }) => !ids.includes(id));
  return kept.length === 0 ? others : { ...others, computed: kept };
}
