import type { JsonObject, JsonText } from '../../kernel/text/json.ts';
import type { FactBase } from '../facts/fact-base.ts';
import type { Aggregate, Buckets, ComputedScalar } from '../state/aggregates.ts';

/* Computed properties: what is computed from a player's events, and the values that a player's state holds. */

/** What a computed property computes. Two properties with the same content are one. */
export interface PropertySpec {
  /** Name of the events. */
  event: string;
  /** Condition on `properties.<path>` of the event. Absent: all events of that name. */
  where?: JsonObject;
  aggregate: Aggregate;
  /** Path below the event's properties. Absent for `count`. */
  path?: string;
  /** UTC days of the window, today included; 0: for ever. */
  days: number;
}

/** A property that a partition counts. */
export interface ActiveProperty {
  /** `propertyIdOf` its content; with its key if it has one. */
  id: string;
  /** A `PropertySpec` as JSON: its filter has keys of a caller. */
  spec: JsonText;
  /** Counts the properties that ever began in this ledger, from 1. A value of another generation is outdated. */
  generation: number;
  /** FACTS sequence of the record in which it began: later events are counted live. 0: not known yet. */
  from: number;
  /** Whether the events before `from` are counted too. */
  filled: boolean;
}

/** The properties that a partition counts for one game and environment. */
export interface ActiveProperties {
  /** CONFIG revision of the definitions that it follows. */
  revision: number;
  /** The latest generation. */
  generation: number;
  list: readonly ActiveProperty[];
}

/** The value that one event adds to a property. */
export interface ComputedUpdate {
  id: string;
  generation: number;
  aggregate: Aggregate;
  days: number;
  /** 1 for `count`. */
  value: ComputedScalar;
}

/** What several events add to the properties of one player. */
export interface ComputedEvents {
  properties: Omit<ComputedUpdate, 'value'>[];
  /** Of each event that adds something: its time, and the values with the index of their property. */
  events: { at: number; values: [property: number, value: ComputedScalar][] }[];
}

/** A computed property of one player. */
export interface ComputedValue {
  id: string;
  generation: number;
  aggregate: Aggregate;
  days: number;
  /** Whether the past is included. */
  filled: boolean;
  /** Flat, newest day first; see aggregates.ts. */
  buckets: Buckets;
}

/** A named property, and the id of its key and content. */
export function namedPropertyId(key: string, contentId: string): string {
  return `${key}${KEY_END}${contentId}`;
}

/** The key of a named property; `undefined`: it has none, a condition made it. */
export function propertyKeyOf(id: string): string | undefined {
  const end = id.lastIndexOf(KEY_END);
  return end < 0 ? undefined : id.slice(0, end);
}

/** No key contains it. */
const KEY_END = '@';

export const NO_COMPUTED: readonly ComputedValue[] = [];

/**
 * The properties that a partition counts for a game and environment changed. `entityId` is their ledger. Events after
 * this fact are counted by it.
 */
export interface PropertiesChanged extends FactBase {
  kind: 'PropertiesChanged';
  /** CONFIG revision of the definitions that need them. */
  revision: number;
  began: { id: string; spec: JsonText }[];
  /** Ids. */
  ended: string[];
  /** FACTS sequence of the record in which the properties began that have none yet; 0: not known yet. */
  from: number;
  /** Ids of the properties whose past is complete. */
  filled: string[];
}

/** The value that a player's earlier events add to a property. */
export interface PropertyFilled extends FactBase {
  kind: 'PropertyFilled';
  id: string;
  generation: number;
  aggregate: Aggregate;
  days: number;
  buckets: Buckets;
}

/** A player's values of properties that ended are removed. */
export interface PropertiesDropped extends FactBase {
  kind: 'PropertiesDropped';
  ids: string[];
}

export type ComputedFact = PropertiesChanged | PropertyFilled | PropertiesDropped;

/** The ledger of a game's and environment's properties, one in each partition. No API key's id contains a colon. */
export function propertiesLedgerOf(game: string, environment: string): string {
  return `${PROPERTIES_LEDGER}${environment}:${game}`;
}

export const PROPERTIES_LEDGER = 'ledger:properties:';
