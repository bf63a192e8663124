import type { Latency } from '../measure/latency.ts';
import type { Target } from '../service/stage.ts';
import type { CatchUp } from '../service/row-watch.ts';

/** The figures of one stretch of load on one target. */
export interface Run {
  target: Target;
  connections: number;
  seconds: number;
  /** Successful answers, and the events in them, per second of load. */
  requestsPerSecond: number;
  eventsPerSecond: number;
  latency: Latency;
  /** How late the generator itself was; only the open loop knows. */
  lateness?: Latency;
  /** CPU seconds per 1,000 events by process, from the begin of the load until ClickHouse had caught up. */
  cpuSecondsPerThousandEvents: Record<string, number>;
  /** CPUs of the machine that were busy with something else meanwhile: far from 0, the figures say little. */
  othersCpus: number;
  /** Resident memory at the end, by process. */
  rssMiB: Record<string, number>;
  /** What went wrong, by kind; empty when nothing did. */
  errors: Record<string, number>;
  /** Answers by status; undefined when the target doesn't tell. */
  statuses?: Record<string, number>;
  clickhouse?: CatchUp;
  /** Events sent, and rows that became visible, per second in each bin of the load. */
  eventsPerSecondByBin: number[];
  rowsPerSecondByBin?: number[];
  /** Memory over time; kept for long runs only. */
  memory?: MemorySample[];
}

export interface MemorySample {
  atSeconds: number;
  rssMiB: Record<string, number>;
}
