/**
 * Bounds of imports of history (`cli import`) and of exports (`cli export`). An import holds at most
 * `importWaitingBytes` of lines, what one read of the file adds, and 2 × `importWindow` commands of one partition.
 */
export const IMPORT_LIMITS = {
  /** One line of a file. The largest body of a request: an event that the API takes fits. */
  importLineBytes: 1024 * 1024,
  /** Columns of a CSV file: a line of 1 MiB could name 500,000, which each line would then be compared with. */
  importColumns: 10_000,
  /**
   * The file with rejected lines, beside the service's data. A file that is not what its name says has as many rejected
   * lines as lines, and control characters take six bytes each.
   */
  importRejectedBytes: 256 * 1024 * 1024,
  /** 2000-01-01: games have no older history, and each month of rows is an insert of its own. */
  importEarliestMs: 946_684_800_000,
  /** Lines whose ids are looked up together, and bytes of their properties. */
  importBatchLines: 20_000,
  importBatchBytes: 16 * 1024 * 1024,
  /** Commands of one partition in flight, if replies are fast. */
  importWindow: 4,
  /** Bytes of lines that wait in all partitions. */
  importWaitingBytes: 32 * 1024 * 1024,
  /** Time between two saves of how far a file is imported. What follows the last one is read again. */
  importSaveMs: 500,
} as const;
