import { isDeepStrictEqual } from 'node:util';
import {
  PROPERTIES_LEDGER,
  propertiesLedgerOf,
  type ActiveProperties,
  type PropertiesChanged,
  type PropertiesDropped,
  type PropertyFilled,
  type PropertySpec,
} from '../../../core/vocabulary/documents/computed.ts';
import { AGGREGATE_RULES } from '../../../core/vocabulary/state/aggregates.ts';
import type { DomainFact } from '../../../core/vocabulary/facts/facts.ts';
import type { Scope } from '../../../core/vocabulary/documents/scope.ts';
import type { EntityState, LedgerState, PlayerState } from '../../../core/vocabulary/state/state.ts';
import { type OwnDoing, withCampaigns } from './check-own-doings.ts';
import type { Wrong } from './check-segments.ts';
import type { PartitionLog } from './partition-log.ts';
import {
  countedNow,
  type Counted,
  countingOf,
  dayOf,
  type LivedEvent,
  naiveDays,
  naiveValue,
  valueIn,
  withCounting,
} from '../model/players/model-computed.ts';
import type { ModelDefinitions } from '../model/model-definitions.ts';
import { predictSegments } from '../model/model-segments.ts';
import type { World } from '../world.ts';

/** The game and environment of the simulation's definitions. */
const SCOPE: Scope = { game: 'demo', environment: 'live' };
const LEDGER = propertiesLedgerOf(SCOPE.game, SCOPE.environment);

type View = (entityId: string) => EntityState | undefined;

/** What a record's definitions need, and what it must therefore begin and end. */
export interface NeededNow {
  configRevision: number;
  /** By id. */
  needed: ReadonlyMap<string, PropertySpec>;
}

/**
 * The change of properties with which a record must begin: where those of the record before began, or what its
 * definitions need now. `undefined`: none.
 */
export function expectedChange(
  view: View,
  { configRevision, needed }: NeededNow,
): Partial<PropertiesChanged> | undefined {
  const ledger = view(LEDGER);
  const held = ledger?.kind === 'ledger' ? ledger.properties : undefined;
  const list = held?.list ?? [];
  if (list.some(({ from }) => from === 0)) {
    return { revision: held?.revision ?? 0, began: [], ended: [], from: ledger?.lastSeq ?? 0, filled: [] };
  }
  // Definitions older than those that the ledger follows change nothing.
  if ((held?.revision ?? 0) > configRevision) return undefined;
  const began = [...needed]
    .filter(([id]) => !list.some((property) => property.id === id))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([id, { event, where, aggregate, path, days }]) => ({
      id,
      spec: JSON.stringify({ event, where, aggregate, path, days }),
    }));
  const ended = list.filter(({ id }) => !needed.has(id)).map(({ id }) => id);
  if (began.length + ended.length === 0) return undefined;
  return { revision: configRevision, began, ended, from: 0, filled: [] };
}

/** The ledger after a change of properties. */
export function changedLedger(view: View, { revision, began, ended, from, filled }: PropertiesChanged): LedgerState {
  const state = view(LEDGER);
  const before: LedgerState =
    state?.kind === 'ledger' ? state : { kind: 'ledger', id: LEDGER, ...SCOPE, keys: [], lastSeq: 0 };
  const held: ActiveProperties = before.properties ?? { revision: 0, generation: 0, list: [] };
  const kept = held.list
    .filter(({ id }) => !ended.includes(id))
    .map((property) => ({
      ...property,
      from: property.from === 0 ? from : property.from,
      filled: property.filled || filled.includes(property.id),
    }));
  const fresh = began.map(({ id, spec }, place) => {
    const generation = held.generation + place + 1;
    return { id, spec, generation, from: 0, filled: false };
  });
  const properties = {
    revision: Math.max(held.revision, revision),
    generation: held.generation + began.length,
    list: [...kept, ...fresh],
  };
  return { ...before, properties };
}

/** Once a property is filled, no event of its window from before it is missing. */
export function checkFilled(
  fact: PropertiesChanged,
  view: View,
  players: Iterable<EntityState>,
  isComplete: boolean,
  wrong: Wrong,
): void {
  const active = countedNow(view, SCOPE).filter(({ id }) => fact.filled.includes(id));
  if (active.length < fact.filled.length) wrong('computed', `fills what does not count: ${fact.filled.join(' ')}`);
  if (!isComplete) return;
  for (const player of players) {
    if (player.kind !== 'player' || player.environment !== SCOPE.environment) continue;
    for (const { id, generation, from, spec } of active) {
      const held = countingOf(player).counted.get(id);
      if (held?.generation === generation && held.filled) continue;
      const missed = pastOf(player, spec, from).filter(({ at }) => isWithin(spec, at, fact.at));
      if (missed.length > 0) {
        wrong('computed', `${id} is filled, but ${player.id} lacks ${missed.length} events from before it`);
      }
    }
  }
}

const isWithin = ({ days }: PropertySpec, at: number, nowMs: number): boolean =>
  days === 0 || dayOf(at) > dayOf(nowMs) - days;

/** The player's events from before a property began. */
function pastOf(player: PlayerState, spec: PropertySpec, from: number): Counted[] {
  return matching(
    countingOf(player).lived.filter(({ sequence }) => sequence < from),
    spec,
  );
}

function matching(events: readonly LivedEvent[], spec: PropertySpec): Counted[] {
  return events.flatMap((event) => {
    const value = valueIn(spec, event);
    return value === undefined ? [] : [{ at: event.at, value }];
  });
}

/** Facts of past events of one player, from `first` on, with what they mean for segments and campaigns. */
export function explainFilled(
  facts: readonly DomainFact[],
  first: number,
  view: View,
  definitions: ModelDefinitions,
  nowMs: number,
  isComplete: boolean,
  wrong: Wrong,
): OwnDoing | undefined {
  const entityId = facts[first]?.entityId ?? '';
  const own: PropertyFilled[] = [];
  for (let fact = facts[first]; fact?.kind === 'PropertyFilled'; fact = facts[first + own.length]) {
    if (fact.entityId !== entityId || own.some(({ id }) => id === fact.id)) break;
    own.push(fact);
  }
  let state = view(entityId);
  for (const fact of own) {
    const next = state?.kind === 'player' ? afterFilled(fact, state, view, isComplete, wrong) : undefined;
    if (next === undefined) return undefined;
    state = next;
  }
  if (state?.kind !== 'player') return undefined;
  const at = Math.max(nowMs, state.lastSeenAt);
  return withCampaigns(own, predictSegments(state, definitions.segments, 'all', at), definitions, 'a fill');
}

/** The player after its past is added; `undefined`: the fact says something else than the events. */
function afterFilled(
  { id, generation, aggregate, days, buckets, at }: PropertyFilled,
  player: PlayerState,
  view: View,
  isComplete: boolean,
  wrong: Wrong,
): PlayerState | undefined {
  const property = countedNow(view, player).find((one) => one.id === id && one.generation === generation);
  if (property === undefined || property.from === 0) return undefined;
  const { spec, from } = property;
  if (spec.aggregate !== aggregate || spec.days !== days) return undefined;
  const { lived, counted } = countingOf(player);
  const held = counted.get(id);
  // Days before the window may be read or not.
  const { width } = AGGREGATE_RULES[aggregate];
  const read = buckets.filter((_, place) => place % width === 0).map(Number);
  const since = days === 0 ? -Infinity : Math.min(dayOf(at) - days + 1, ...read);
  const past = pastOf(player, spec, from).filter((event) => dayOf(event.at) >= since);
  const expected = naiveDays(spec, past);
  if (isComplete && !isDeepStrictEqual(expected, buckets)) {
    const text = JSON.stringify({ id, ...spec, from });
    wrong('computed', `the past of ${player.id} adds ${buckets.join()} to ${text}, not ${expected.join()}`);
  }
  const isHeld = held?.generation === generation;
  if (isHeld && held.filled) return player;
  const events = [...past, ...(isHeld ? held.events : [])];
  return withCounting(player, {
    lived,
    counted: new Map([...counted, [id, { generation, filled: true, spec, events }]]),
  });
}

/** The removal of values of properties that ended; `undefined`: others, or not all of them. */
export function explainDropped(fact: PropertiesDropped, view: View): OwnDoing | undefined {
  const state = view(fact.entityId);
  if (state?.kind !== 'player') return undefined;
  const { lived, counted } = countingOf(state);
  const active = countedNow(view, state);
  const isActive = (id: string, generation: number): boolean =>
    active.some((property) => property.id === id && property.generation === generation);
  const ended = [...counted].filter(([id, { generation }]) => !isActive(id, generation)).map(([id]) => id);
  if (!isDeepStrictEqual(new Set(fact.ids), new Set(ended))) return undefined;
  const left = new Map([...counted].filter(([id]) => !ended.includes(id)));
  const next = withCounting(state, { lived, counted: left });
  return { facts: [fact], update: { facts: [], next, evaluated: [], atMs: fact.at }, reason: 'an end' };
}

/** At the end every property equals its recomputation from all events of the player's life. */
export function checkComputed(world: World, log: PartitionLog, needed: NeededNow['needed']): void {
  const isComplete = !world.wasCaused('clickhouse restored', 0, Infinity);
  const states = log.timeline.upTo(Infinity);
  const active = countedNow((id) => states.get(id), SCOPE);
  const nowMs = world.clock.wallMs();
  const ids = (list: Iterable<string>): string => [...list].toSorted().join(' ');
  if (ids(active.map(({ id }) => id)) !== ids(needed.keys())) {
    world.violate('computed', `counts ${ids(active.map(({ id }) => id))}, not ${ids(needed.keys())}`);
  }
  for (const property of active) {
    if (!property.filled) world.violate('computed', `the past of ${property.id} is not counted`);
  }
  for (const player of states.values()) {
    if (player.kind !== 'player' || player.environment !== SCOPE.environment) continue;
    const { lived, counted } = countingOf(player);
    for (const id of counted.keys()) {
      if (!needed.has(id)) world.violate('computed', `${player.id} still holds ${id}, which ended`);
    }
    for (const { id, spec } of isComplete ? active : []) {
      const value = naiveValue(spec, counted.get(id)?.events ?? [], nowMs);
      const expected = naiveValue(spec, matching(lived, spec), nowMs);
      if (value !== expected) {
        const text = JSON.stringify(spec);
        world.violate(
          'computed',
          `${player.id} has ${id} ${text} ${JSON.stringify(value)}, not ${JSON.stringify(expected)}`,
        );
      }
      if (expected !== 0 && expected !== null) world.cover('computed: a value compared with all events');
    }
  }
}

/** The ledgers of properties in a partition that wait for something: their beginning, or their past. */
export function isComputing(states: Iterable<EntityState>): boolean {
  return [...states].some(
    (state) =>
      state.kind === 'ledger' &&
      state.id.startsWith(PROPERTIES_LEDGER) &&
      (state.properties?.list ?? []).some(({ from, filled }) => from === 0 || !filled),
  );
}
