import { isObject, type Json, type JsonObject } from '../../core/kernel/text/json.ts';
import { COMPUTED_LIMITS } from './limits.ts';
import { STATE_LIMITS } from '../../core/vocabulary/limits.ts';
import { eventCountOf } from '../conditions/event-count.ts';
import type { PropertySpec } from '../../core/vocabulary/documents/computed.ts';
import { AGGREGATE_RULES } from '../../core/vocabulary/state/aggregates.ts';
import { propertyIdOf } from '../computed/property-spec.ts';

/** A named property. */
export interface NamedSpec {
  key: string;
  spec: PropertySpec;
}

/** Properties by their id. */
export type NeededProperties = ReadonlyMap<string, PropertySpec>;

/**
 * The properties that definitions need: the named ones, and those of `{"events": {…}}` in conditions at any depth. An
 * operand that is not of that form is skipped: its condition does not compile either.
 */
export function propertiesOf(named: Iterable<NamedSpec>, conditions: Iterable<Json>): NeededProperties {
  const found = new Map<string, PropertySpec>();
  for (const { key, spec } of named) found.set(propertyIdOf(spec, key), spec);
  for (const condition of conditions) {
    if (!isObject(condition)) continue;
    for (const [id, spec] of readBy(condition).counted) found.set(id, spec);
  }
  return found;
}

/** What a condition reads: counts of events by their id, and keys of named properties. */
interface Reads {
  counted: ReadonlyMap<string, PropertySpec>;
  named: ReadonlySet<string>;
}

/**
 * By condition: those of definitions are never changed, so each is walked once. Every write compares a definition with
 * all others of its game, and walking 500 long segments takes 40 ms.
 */
const known = new WeakMap<JsonObject, Reads>();

function readBy(condition: JsonObject): Reads {
  const held = known.get(condition);
  if (held !== undefined) return held;
  const counted = new Map<string, PropertySpec>();
  const named = new Set<string>();
  gather(condition, counted);
  gatherNamed(condition, named);
  const reads = { counted, named };
  known.set(condition, reads);
  return reads;
}

function gather(condition: Json, found: Map<string, PropertySpec>): void {
  if (typeof condition !== 'object' || condition === null) return;
  for (const [field, operand] of Object.entries(condition)) {
    if (field === 'events' && isObject(operand)) {
      const read = eventCountOf(operand);
      if (!('fault' in read)) found.set(propertyIdOf(read.spec), read.spec);
    } else if (holdsConditions(condition, field)) gather(operand, found);
  }
}

/** Conditions are in lists and below `$and`, `$or`, `$nor` and `$not`. The operand of a field holds values. */
function holdsConditions(condition: Json, field: string): boolean {
  return Array.isArray(condition) || field.startsWith('$');
}

/** Adds properties up to the bounds of a game and environment. */
export function createPropertyQuota() {
  const ofEvent = new Map<string, number>();
  let count = 0;
  let buckets = 0;
  return {
    /** Adds a property, or returns the bound that it would exceed. */
    add({ event, aggregate, days }: PropertySpec): 'properties' | 'of one event' | 'buckets' | undefined {
      const weight = AGGREGATE_RULES[aggregate].weight(days);
      const others = ofEvent.get(event) ?? 0;
      if (count >= COMPUTED_LIMITS.computedProperties) return 'properties';
      if (others >= STATE_LIMITS.computedPerEvent) return 'of one event';
      if (buckets + weight > STATE_LIMITS.computedBuckets) return 'buckets';
      count += 1;
      buckets += weight;
      ofEvent.set(event, others + 1);
      return undefined;
    },
  };
}

/**
 * The properties that fit the bounds of a game and environment, those that are counted already first. Definitions are
 * refused when they exceed the bounds, but two writes at the same moment may exceed them together.
 */
export function fittingProperties(needed: NeededProperties, isActive: (id: string) => boolean): NeededProperties {
  const inOrder = [...needed].sort(
    ([one], [other]) => Number(isActive(other)) - Number(isActive(one)) || (one < other ? -1 : 1),
  );
  const quota = createPropertyQuota();
  return new Map(inOrder.filter(([, spec]) => quota.add(spec) === undefined));
}

/** The keys of the named properties that conditions read, at any depth. */
export function namedIn(conditions: Iterable<Json>): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const condition of conditions) {
    if (isObject(condition)) for (const key of readBy(condition).named) keys.add(key);
  }
  return keys;
}

const NAMED = 'computed.';

function gatherNamed(condition: Json, keys: Set<string>): void {
  if (typeof condition !== 'object' || condition === null) return;
  for (const [field, operand] of Object.entries(condition)) {
    if (field.startsWith(NAMED)) keys.add(field.slice(NAMED.length));
    else if (holdsConditions(condition, field)) gatherNamed(operand, keys);
  }
}
