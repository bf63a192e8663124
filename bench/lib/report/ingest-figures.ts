import type { StreamSeen } from '../ingest-stage.ts';
import type { Pair, Run } from '../run.ts';

/** One shape of load on both targets, round by round. */
export interface IngestComparison {
  name: string;
  rounds: Pair<Run | undefined, Run>[];
}

/** Everything that was measured; parts that were not asked for are missing. */
export interface IngestFigures {
  few: IngestComparison | undefined;
  many: IngestComparison | undefined;
  batches: IngestComparison | undefined;
  sustained: Run | undefined;
  /** On the bare server, an open loop shows the generator's own share. */
  open: (Pair<Run | undefined, Run> & { requestsPerSecond: number }) | undefined;
  soak: Run | undefined;
  /** Events acknowledged in the whole run, and rows in ClickHouse a moment after it; undefined without ClickHouse. */
  total: { acknowledged: number; rows: number } | undefined;
  stream: StreamSeen;
}
