/**
 * Bounds of definitions, and of the names that warnings about conditions know: a process holds 64 × 2,000 names, at
 * most 30 MB.
 */
export const DEFINITION_LIMITS = {
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

  /** Versions on a page of a history. With documents of 128 KiB, 6.5 MB are compared for one answer. */
  versionsOfPage: 50,
  versionsDefault: 20,
  /** Rows that are read for one version: changes whose outcome is not known may have the same number. */
  rowsOfVersion: 5,

  /** `description` of a definition, in characters. */
  descriptionLength: 1_000,
  /** Labels of a definition, in characters: with tags at most 3.5 kB. */
  ownerLength: 200,
  tags: 20,
  tagLength: 64,
  noteLength: 2_000,

  /** Changes of a definition that wait for their time: about as many as the steps of two roll-outs. */
  scheduledOfDefinition: 20,
  /** Those of a game and environment: with patches of 16 KiB at most 3.2 MB in CONFIG. */
  scheduledOfGame: 200,
  scheduledPatchBytes: 16 * 1024,
  /** How far back a time may be: clocks differ. One that is further back is a mistake, such as a wrong year. */
  scheduledBackMs: 60_000,
  /** How far ahead a change may be. */
  scheduledAheadMs: 366 * 24 * 3_600_000,
  /** Ended changes of a definition that are shown, and for how long. */
  scheduledEnded: 20,
  scheduledEndedMs: 90 * 24 * 3_600_000,
  /** How often changes are looked for that are due: with the write, a change is made within two seconds. */
  scheduledEveryMs: 1_000,
  /** How long a change is tried while the service cannot make it, before it has failed. */
  scheduledTriedMs: 3_600_000,

  /** `search` of a list, in characters. 10,000 flags, the most, are searched in about 20 ms. */
  searchLength: 200,
  /** Characters of a name that a list sorts by: they are in the cursor. */
  sortedLength: 64,
} as const;
