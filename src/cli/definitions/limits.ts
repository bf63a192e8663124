/** Bounds of the commands that keep definitions in files. */
export const DEFINITION_FILE_LIMITS = {
  /** One request. A definition is in effect in milliseconds; a schema of events compiles for seconds. */
  requestMs: 30_000,
  /** How often a request that the service refuses for its rate is sent again, after the time that it names. */
  rateRetries: 10,
  /** The longest that a service may ask to wait. */
  rateWaitSeconds: 60,
  /** Versions of a definition that were made elsewhere, of which the newest is shown. */
  driftVersions: 50,
  /** Bytes of the name of a file. File systems allow 255. */
  fileNameBytes: 200,
} as const;
