import { propertyIdOf } from '../../../../actors/computed/property-spec.ts';
import {
  propertiesLedgerOf,
  type ComputedUpdate,
  type PropertySpec,
} from '../../../../core/vocabulary/documents/computed.ts';
import type { Scope } from '../../../../core/vocabulary/documents/scope.ts';
import type { EntityState, PlayerState } from '../../../../core/vocabulary/state/state.ts';
import type { Json, JsonObject } from '../../../../core/kernel/text/json.ts';
import { STATE_LIMITS } from '../../../../core/vocabulary/limits.ts';
import { numberOfText } from '../../../../core/kernel/text/text-number.ts';
import { AGGREGATES, type Aggregate, type ComputedScalar } from '../../../../core/vocabulary/state/aggregates.ts';

/**
 * Computed properties as documented. The model keeps every event of a player's present life, and of each property the
 * events that count so far; values are computed anew from these lists whenever they are read. Only ids of properties
 * come from the service.
 */

/** An event of a player, in the order of the log. */
export interface LivedEvent {
  /** Sequence of its record. */
  sequence: number;
  name: string;
  /** JSON. */
  properties: string;
  at: number;
}

export interface Counted {
  at: number;
  value: ComputedScalar;
}

/** The events of one property that count so far, in the order of the log. */
export interface CountedProperty {
  generation: number;
  filled: boolean;
  spec: PropertySpec;
  events: readonly Counted[];
}

export interface Counting {
  lived: readonly LivedEvent[];
  /** By id. */
  counted: ReadonlyMap<string, CountedProperty>;
}

/** A player in the model. Every other part of the model passes `counting` on. */
type CountingState = PlayerState & { counting?: Counting };

const NOTHING: Counting = { lived: [], counted: new Map() };

export function countingOf(state: CountingState): Counting {
  return state.counting ?? NOTHING;
}

export function withCounting(state: PlayerState, counting: Counting): PlayerState {
  const next: CountingState = { ...state, counting };
  return next;
}

/** A property that a partition counts. */
export interface CountedNow {
  id: string;
  generation: number;
  /** 0: not known yet. */
  from: number;
  filled: boolean;
  spec: PropertySpec;
}

/** The properties that count for a game and environment. */
export function countedNow(view: (id: string) => EntityState | undefined, scope: Scope): CountedNow[] {
  const ledger = view(propertiesLedgerOf(scope.game, scope.environment));
  const list = ledger?.kind === 'ledger' ? (ledger.properties?.list ?? []) : [];
  return list.map(({ spec, ...property }) => ({ ...property, spec: specIn(spec) }));
}

function specIn(text: string): PropertySpec {
  const spec: PropertySpec = JSON.parse(text);
  return spec;
}

/** The player after one more event, and what the event adds to its properties. */
export function lives(
  state: PlayerState,
  event: LivedEvent,
  active: readonly CountedNow[],
): { next: PlayerState; updates: ComputedUpdate[] } {
  const { lived, counted } = countingOf(state);
  const updates = active.flatMap(({ id, generation, spec }): ComputedUpdate[] => {
    const value = valueIn(spec, event);
    return value === undefined ? [] : [{ id, generation, aggregate: spec.aggregate, days: spec.days, value }];
  });
  const next = new Map(counted);
  for (const { id, generation, value } of updates) {
    const held = next.get(id);
    const one = { at: event.at, value };
    const spec = active.find((property) => property.id === id)?.spec;
    if (spec === undefined) continue;
    if (held?.generation === generation) next.set(id, { ...held, events: [...held.events, one] });
    else next.set(id, { generation, filled: false, spec, events: [one] });
  }
  return { next: withCounting(state, { lived: [...lived, event], counted: next }), updates };
}

/** What an event adds to a property; `undefined`: nothing. */
export function valueIn(
  { event, where, aggregate, path }: PropertySpec,
  { name, properties }: Pick<LivedEvent, 'name' | 'properties'>,
): ComputedScalar | undefined {
  if (name !== event) return undefined;
  const read = new Map<string, Json>(Object.entries(JSON.parse(properties)));
  const passes = Object.entries(where ?? {}).every(([field, wanted]) => {
    const value = read.get(field.slice('properties.'.length));
    if (!isObject(wanted)) return value === wanted;
    return typeof value === 'number' && value >= Number(wanted['$gte']);
  });
  if (!passes) return undefined;
  if (aggregate === 'count') return 1;
  const value = read.get(path ?? '');
  if (typeof value === 'number') return value;
  const isAny = aggregate === 'first' || aggregate === 'last' || aggregate === 'distinct';
  return isAny && (typeof value === 'string' || typeof value === 'boolean') ? value : undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;
export const dayOf = (ms: number): number => Math.floor(ms / DAY_MS);

/** A player's value as of a time: of the events of the last days, today included. */
export function naiveValue({ aggregate, days }: PropertySpec, events: readonly Counted[], nowMs: number): Json {
  const today = dayOf(nowMs);
  const within = days === 0 ? events : events.filter(({ at }) => dayOf(at) > today - days);
  const numbers = within.map(({ value }) => Number(value));
  const [first] = inTime(within);
  switch (aggregate) {
    case 'count':
      return within.length;
    case 'sum':
      return sumOf(numbers) / 10_000;
    case 'average':
      return first === undefined ? null : sumOf(numbers) / within.length / 10_000;
    case 'max':
      return first === undefined ? null : Math.max(...numbers);
    case 'min':
      return first === undefined ? null : Math.min(...numbers);
    case 'first':
      return first?.value ?? null;
    case 'last':
      return inTime(within).at(-1)?.value ?? null;
    case 'distinct':
      return new Set(within.map(({ value }) => JSON.stringify(value))).size;
  }
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + Math.round(value * 10_000), 0);

/** By time; in the order of the log within a millisecond. */
const inTime = (events: readonly Counted[]): Counted[] => events.toSorted((one, other) => one.at - other.at);

/** The days that a state holds, newest first, from the events that count. */
export function naiveDays({ aggregate, days }: PropertySpec, events: readonly Counted[]): readonly ComputedScalar[] {
  const dayOfEvent = ({ at }: Counted): number => (days === 0 ? 0 : dayOf(at));
  const newest = Math.max(...events.map(dayOfEvent));
  // A day more than the window, because a clock may have been ahead.
  const kept = inTime(events).filter((event) => dayOfEvent(event) >= newest - days);
  if (aggregate === 'last') {
    const last = kept.at(-1);
    return last === undefined ? [] : [dayOfEvent(last), last.at, last.value];
  }
  if (aggregate === 'distinct') return distinctDays(kept, dayOfEvent);
  const byDay = Map.groupBy(kept, dayOfEvent);
  return [...byDay.keys()]
    .toSorted((one, other) => other - one)
    .flatMap((day) => [day, ...dayValues(aggregate, byDay.get(day) ?? [])]);
}

function dayValues(aggregate: Exclude<Aggregate, 'last' | 'distinct'>, events: readonly Counted[]): ComputedScalar[] {
  const numbers = events.map(({ value }) => Number(value));
  switch (aggregate) {
    case 'count':
      return [events.length];
    case 'sum':
      return [sumOf(numbers)];
    case 'average':
      return [sumOf(numbers), events.length];
    case 'max':
      return [Math.max(...numbers)];
    case 'min':
      return [Math.min(...numbers)];
    case 'first': {
      const [first] = events;
      return first === undefined ? [] : [first.at, first.value];
    }
  }
}

function distinctDays(events: readonly Counted[], dayOfEvent: (event: Counted) => number): ComputedScalar[] {
  const lastDays = new Map<number, number>();
  for (const event of events) {
    const hash = numberOfText(JSON.stringify(event.value));
    lastDays.set(hash, Math.max(dayOfEvent(event), lastDays.get(hash) ?? -Infinity));
  }
  return [...lastDays]
    .toSorted(([one, oneDay], [other, otherDay]) => otherDay - oneDay || one - other)
    .slice(0, STATE_LIMITS.distinctValues)
    .flatMap(([hash, day]) => [day, hash]);
}

/** A named property of a definition. */
export interface NamedProperty {
  key: string;
  id: string;
  spec: PropertySpec;
}

export type NamedProperties = ReadonlyMap<string, NamedProperty>;

export function namedProperty(key: string, document: JsonObject): NamedProperty {
  const { event, where, aggregate, value, withinDays } = document;
  const spec: PropertySpec = {
    event: textOf(event),
    ...(isObject(where) ? { where } : {}),
    aggregate: aggregateIn(aggregate),
    ...(typeof value === 'string' ? { path: value.slice('properties.'.length) } : {}),
    days: typeof withinDays === 'number' ? withinDays : 0,
  };
  return { key, id: propertyIdOf(spec, key), spec };
}

function aggregateIn(value: unknown): Aggregate {
  const found = AGGREGATES.find((aggregate) => aggregate === value);
  if (found === undefined) throw new Error(`the model knows no aggregate ${JSON.stringify(value)}`);
  return found;
}

/** The property of `{"events": {…}}`, and the condition on its value. */
export function eventCount(operand: Json): { id: string; spec: PropertySpec; count: Json } {
  if (!isObject(operand)) throw new Error('not a count of events');
  const { name, where, within_days: days, count = null } = operand;
  const spec: PropertySpec = {
    event: textOf(name),
    ...(isObject(where) ? { where } : {}),
    aggregate: 'count',
    days: typeof days === 'number' ? days : 0,
  };
  return { id: propertyIdOf(spec), spec, count };
}

/** The value of a property in a condition. */
export function valueNow(state: PlayerState, id: string, spec: PropertySpec, at: number): Json {
  return naiveValue(spec, countingOf(state).counted.get(id)?.events ?? [], at);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
