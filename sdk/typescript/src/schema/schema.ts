/* The types of a game's events and flags. `npx @player-analytics/sdk types` writes them from the service. */

/** What a game tracks and reads: `createGame<MyGame>(…)` holds every call to it. */
export interface GameSchema {
  /** Properties by event name. */
  events: object;
  /** Values by flag key. */
  flags: object;
}

/** Any event, and any flag. */
export interface AnyGame {
  events: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  flags: Readonly<Record<string, unknown>>;
}

export type EventName<S extends GameSchema> = keyof S['events'] & string;
export type FlagKey<S extends GameSchema> = keyof S['flags'] & string;

/** The properties may be left out where none is required. */
export type Properties<Wanted> = object extends Wanted ? [properties?: Wanted] : [properties: Wanted];

/** What `flag` answers: the type of the schema, or for a flag of any kind that of the fallback. */
export type FlagValue<Declared, Fallback> =
  | (unknown extends Declared ? Widened<Fallback> : Declared)
  | (Fallback extends null ? null : never);

/** Null says nothing of a flag's type. */
type Widened<Value> = Value extends boolean
  ? boolean
  : Value extends number
    ? number
    : Value extends string
      ? string
      : Value extends null
        ? unknown
        : Value;
