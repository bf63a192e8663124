/** Bounds of the names that warnings about conditions know. A process holds 64 × 2,000 names, at most 30 MB. */
export const NAME_LIMITS = {
  /** Names of one kind: more events or attributes are names by mistake. Comparing one with all takes 10 ms. */
  namesKnown: 2_000,
  /** Players or events whose names are read: 20 ms of ClickHouse. */
  namesSampled: 2_000,
  /** Lists of names that a process holds, and for how long. */
  namesHeld: 64,
  namesFreshMs: 60_000,
  /** Age of a list from which it is read again before a name that it lacks is called unknown. */
  namesAskedAgainMs: 2_000,
  /** Time that a write waits for names. After it there are no warnings. */
  namesMs: 500,
  /** Names of one definition that are checked, and warnings in one answer. */
  namesChecked: 20,
  nameWarnings: 10,
  /** Known names that a warning suggests. */
  nameSuggestions: 3,
} as const;
