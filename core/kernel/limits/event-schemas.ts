/** Bounds of event schemas, of checking events against them, and of the quarantine. */
export const EVENT_SCHEMA_LIMITS = {
  /** Event schemas of one game and environment. An event is checked against one of them. */
  eventSchemasPerEnvironment: 500,
  /** A schema as JSON text in UTF-8. A gateway compiles each schema at its first event, in a few milliseconds. */
  eventSchemaBytes: 32 * 1024,
  /** Nesting of a schema. A compiled schema calls one function inside another for each level. */
  eventSchemaDepth: 16,
  /** Keywords and required names of a schema, with references expanded. Compiling takes about 0.3 ms each: 0.3 s. */
  eventSchemaKeywords: 1_000,
  /** Patterns of a schema. Compiling the largest takes 20 ms. */
  eventSchemaPatterns: 32,

  /**
   * Keywords of a schema times characters of an event: each keyword may apply to each value. An event beyond it counts
   * as faulty. The worst event below it takes 10 ms of a gateway (lengths of long texts); typical events take
   * microseconds.
   */
  eventSchemaWork: 4_000_000,
  /**
   * Keywords of a schema times values of an event. A failed branch of `oneOf` creates an error in 130 ns, so the worst
   * event takes 13 ms. A schema of 500 keywords still accepts events of 200 values.
   */
  eventSchemaVisits: 100_000,
  /** Steps of patterns and comparisons for one event, about 10 ns each: 10 ms. Beyond it the event counts as faulty. */
  eventSchemaSteps: 1_000_000,
  /** Keywords times characters up to which all faults of an event are collected instead of only the first. */
  eventSchemaAllFaults: 100_000,
  /** How long one request checks events before it yields to others. The check of one more event may exceed it. */
  validationTurnMs: 5,

  /** Faults reported and stored for one event, and characters of each path and message. */
  quarantineFaults: 8,
  quarantineFaultLength: 200,
  /** Ranges of released events in one player's quarantine: 8,000 faulty events of which every second was fixed. */
  quarantineRanges: 4_000,
  /**
   * Quarantined events that one replay request reads, and bytes of their properties. The event that exceeds it is the
   * last.
   */
  replayEvents: 500,
  replayBytes: 4 * 1024 * 1024,
  /** Events that one dry run of a schema checks, bytes of their properties, and how long it may check them. */
  dryRunEvents: 1_000,
  dryRunEventsDefault: 500,
  dryRunBytes: 4 * 1024 * 1024,
  dryRunMs: 5_000,
  /** Faulty events that its answer shows, and different faults. */
  dryRunExamples: 10,
  dryRunFaults: 50,
  /** How long a replay checks events before it yields to others. */
  replayTurnMs: 5,
  /** Quarantined events in one command of a replay (as in a batch request), and characters of their properties. */
  replayCommandEvents: 100,
  replayCommandChars: 512 * 1024,
} as const;
