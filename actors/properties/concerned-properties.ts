import { isObject, type Json, type JsonObject } from '../../core/kernel/text/json.ts';
import { COMPUTED_LIMITS } from './limits.ts';
import { compileFilter } from '../conditions/compile-condition.ts';
import { pathReader } from '../conditions/values.ts';
import type { Draft } from '../decision/decision.ts';
import {
  propertiesLedgerOf,
  type ActiveProperties,
  type ComputedEvents,
  type ComputedUpdate,
  type PropertiesDropped,
  type PropertySpec,
} from '../../core/vocabulary/documents/computed.ts';
import type { Scope } from '../../core/vocabulary/documents/scope.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { propertiesDropped } from '../computed/evolve-properties.ts';
import { readProperty } from '../computed/property-text.ts';
import { AGGREGATE_RULES, type Aggregate, type ComputedScalar } from '../../core/vocabulary/state/aggregates.ts';

/**
 * What an event adds to the properties of its player. `undefined`: nothing. A player at the bound first loses its
 * values of properties that ended.
 */
export function computedBy(
  draft: Draft,
  player: PlayerState,
  eventName: string,
  properties: string,
  atMs: number,
): ComputedUpdate[] | undefined {
  const active = activeIn(draft, player);
  const concerned = active === undefined ? undefined : compiled(active).get(eventName);
  if (concerned === undefined) return undefined;
  const updates = updatesOf(concerned, properties);
  if (updates !== undefined && (player.computed?.length ?? 0) >= COMPUTED_LIMITS.computedProperties) {
    dropEnded(draft, player, atMs);
  }
  return updates;
}

/** The same for several events of a player. Those that concern no property by their name are not read. */
export function computedByAll(
  draft: Draft,
  player: PlayerState,
  names: readonly string[],
  events: () => readonly { eventName: string; properties: string; at: number }[],
  atMs: number,
): ComputedEvents | undefined {
  const active = activeIn(draft, player);
  const concerned = active === undefined ? undefined : compiled(active);
  if (concerned === undefined || !names.some((name) => concerned.has(name))) return undefined;
  const all: ComputedEvents = { properties: [], events: [] };
  for (const { eventName, properties, at } of events()) {
    const updates = updatesOf(concerned.get(eventName) ?? [], properties);
    if (updates === undefined) continue;
    const values = updates.map(({ value, ...property }): [number, ComputedScalar] => {
      const known = all.properties.findIndex(({ id }) => id === property.id);
      return [known < 0 ? all.properties.push(property) - 1 : known, value];
    });
    all.events.push({ at, values });
  }
  if (all.events.length === 0) return undefined;
  if ((player.computed?.length ?? 0) >= COMPUTED_LIMITS.computedProperties) dropEnded(draft, player, atMs);
  return all;
}

/** Emits the removal of a player's values of properties that ended, and returns the player without them. */
export function dropEnded(draft: Draft, player: PlayerState, atMs: number): PlayerState {
  const { id: entityId, game, environment, computed } = player;
  if (computed === undefined) return player;
  const active = new Map(activeIn(draft, player)?.list.map((property) => [property.id, property.generation]));
  const ids = computed.filter(({ id, generation }) => active.get(id) !== generation).map(({ id }) => id);
  if (ids.length === 0) return player;
  const fact: PropertiesDropped = { kind: 'PropertiesDropped', entityId, game, environment, at: atMs, ids };
  draft.emit(fact);
  return propertiesDropped(player, fact);
}

/** The properties that the partition counts for the player's game. */
function activeIn(draft: Draft, scope: Scope): ActiveProperties | undefined {
  const ledger = draft.get(ledgerOf(scope));
  return ledger?.kind === 'ledger' ? ledger.properties : undefined;
}

/** A property that one name of events concerns, compiled. */
export interface EventProperty {
  id: string;
  generation: number;
  aggregate: Aggregate;
  days: number;
  /** The value that an event adds; `undefined`: the event does not count. */
  valueIn: (event: EventReader) => ComputedScalar | undefined;
}

/** The properties of one event, parsed at the first read. `null`: too long to be read. */
export type EventReader = () => JsonObject | null;

function updatesOf(concerned: readonly EventProperty[], properties: string): ComputedUpdate[] | undefined {
  const read = eventReader(properties);
  let updates: ComputedUpdate[] | undefined;
  for (const { id, generation, aggregate, days, valueIn } of concerned) {
    const value = valueIn(read);
    if (value !== undefined) (updates ??= []).push({ id, generation, aggregate, days, value });
  }
  return updates;
}

export function eventReader(properties: string): EventReader {
  let parsed: JsonObject | null | undefined;
  return () => {
    parsed ??= properties.length > COMPUTED_LIMITS.computedJsonLength ? null : parse(properties);
    return parsed;
  };
}

function parse(properties: string): JsonObject {
  const value: Json = JSON.parse(properties);
  return isObject(value) ? value : {};
}

/** Compiles what a property takes from an event. `undefined`: it does not compile, and never counts. */
export function compileEventProperty({ where, aggregate, path }: PropertySpec): EventProperty['valueIn'] | undefined {
  const { take } = AGGREGATE_RULES[aggregate];
  if (path === undefined && take !== undefined) return undefined;
  const valueIn = path === undefined || take === undefined ? countOne : valueReader(path, take);
  if (where === undefined) return path === undefined ? countOne : (read) => withProperties(read, valueIn);
  const filter = compileFilter(where);
  if (filter.kind === 'invalid') return undefined;
  const { matches } = filter;
  return (read) => withProperties(read, (properties) => (matches(properties) ? valueIn(properties) : undefined));
}

/** What an event adds to a count. */
const countOne = (): number => 1;

function withProperties(
  read: EventReader,
  take: (properties: JsonObject) => ComputedScalar | undefined,
): ComputedScalar | undefined {
  const properties = read();
  return properties === null ? undefined : take(properties);
}

function valueReader(
  path: string,
  take: (value: Json) => ComputedScalar | undefined,
): (properties: JsonObject) => ComputedScalar | undefined {
  const read = pathReader(path.split('.'));
  return (properties) => take(read(properties));
}

/** By list: a change of a ledger makes a new one, so each is compiled once. */
const compiledLists = new WeakMap<ActiveProperties['list'], ReadonlyMap<string, readonly EventProperty[]>>();

/** The properties by the name of the events that concern them. */
function compiled({ list }: ActiveProperties): ReadonlyMap<string, readonly EventProperty[]> {
  const held = compiledLists.get(list);
  if (held !== undefined) return held;
  const byEvent = new Map<string, EventProperty[]>();
  for (const { id, generation, spec: text } of list) {
    const spec = readProperty(text);
    const valueIn = spec === undefined ? undefined : compileEventProperty(spec);
    if (spec === undefined || valueIn === undefined) continue;
    const { event, aggregate, days } = spec;
    const others = byEvent.get(event);
    const property = { id, generation, aggregate, days, valueIn };
    if (others === undefined) byEvent.set(event, [property]);
    else others.push(property);
  }
  compiledLists.set(list, byEvent);
  return byEvent;
}

/** Ids of ledgers by game: joining the texts for every event would cost more than the look-up. */
const ledgerIds = { live: new Map<string, string>(), test: new Map<string, string>() };
const MOST_IDS = 10_000;

function ledgerOf({ game, environment }: Scope): string {
  const known = ledgerIds[environment].get(game);
  if (known !== undefined) return known;
  const id = propertiesLedgerOf(game, environment);
  if (ledgerIds[environment].size >= MOST_IDS) ledgerIds[environment].clear();
  ledgerIds[environment].set(game, id);
  return id;
}
