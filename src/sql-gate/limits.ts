/** Bounds of the statements of readers. */
export const SQL_GATE_LIMITS = {
  /** Running time of one statement of a reader. */
  clickhouseReaderSeconds: 60,
  /** Temporary files of one statement of a reader. */
  clickhouseReaderDiskBytes: 4 * 1024 * 1024 * 1024,
  /**
   * Words, literals and signs of one statement. Checking this many takes up to 100 ms on a busy core. The service's
   * longest statement erases `erasuresAtOnce` players and has about 2,000.
   */
  clickhouseStatementTokens: 20_000,
  /** Time zones of one statement that are not the canonical name: each takes up to 0.1 ms to look up. */
  clickhouseStatementZones: 50,
  /** Nested brackets of one statement. The check recurses; the engine's own bound is 1,000. */
  clickhouseStatementDepth: 200,
} as const;
