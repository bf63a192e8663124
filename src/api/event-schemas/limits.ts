/** Bounds of event schemas, of their dry runs and of replays of quarantined events. */
export const EVENT_SCHEMA_API_LIMITS = {
  /** Event schemas of one game and environment. An event is checked against one of them. */
  eventSchemasPerEnvironment: 500,
  /**
   * Quarantined events that one replay request reads, and bytes of their properties. The event that exceeds it is the
   * last.
   */
  replayEvents: 500,
  replayBytes: 4 * 1024 * 1024,
  /** Faulty events that its answer shows, and different faults. */
  dryRunExamples: 10,
  dryRunFaults: 50,
  /** How long a replay checks events before it yields to others. */
  replayTurnMs: 5,
  /** Quarantined events in one command of a replay (as in a batch request), and characters of their properties. */
  replayCommandEvents: 100,
  replayCommandChars: 512 * 1024,
} as const;
