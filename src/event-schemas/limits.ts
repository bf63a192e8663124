/** Bounds of the JSON Schema of an event and of the work to check an event with it. */
export const EVENT_SCHEMA_LIMITS = {
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
} as const;
