import type { Scope } from '../../../core/vocabulary/documents/scope.ts';

/**
 * The state of the deployment, as one process reads it from the broker and ClickHouse, for operators. It has no
 * secrets, addresses or paths of machines; nodes have random names. Times are epoch milliseconds.
 */
export interface DeploymentStatus {
  measuredAt: number;
  partitions: readonly PartitionStatus[];
  processes: readonly ProcessStatus[];
  sinks: readonly SinkStatus[];
  streams: readonly StreamStatus[];
  format: { own: number; lowest: number };
}

export interface PartitionStatus {
  partition: number;
  /** Node of the process that holds the lease; undefined: no process does. */
  owner: string | undefined;
  /** Nodes that could take over at once. */
  standbys: readonly string[];
  /** Nodes that must not own it. */
  refusedBy: readonly string[];
}

export interface ProcessStatus {
  node: string;
  roles: readonly string[];
  /** undefined: a version before beats with a version. */
  version: string | undefined;
  startedAt: number | undefined;
  format: number;
  /** When its last beat was stored. */
  seenAt: number;
  /** Partitions that it owns, and those that it could take over at once. */
  owned: number;
  ready: number;
  /** Why it refuses partitions; undefined: it refuses none. */
  refusal: string | undefined;
}

export interface SinkStatus {
  sink: string;
  stream: string;
  /** Node of the process that runs it; undefined: none does. */
  holder: string | undefined;
  /** Records that it has not handled; undefined: it has no position yet. */
  behind: number | undefined;
  /** When the oldest record was stored that it has not handled; undefined: it has handled all. */
  oldestAt: number | undefined;
  /** ClickHouse lost rows that the sink had written. */
  lost: boolean;
}

export interface StreamStatus {
  name: string;
  records: number;
  bytes: number;
  /** undefined: without a bound. */
  maxBytes: number | undefined;
}

/** The queue of webhooks. */
export interface WebhookQueue {
  /** Records of 1 to 64 deliveries of all games. */
  records: number;
  bytes: number;
  /** Scheduled retries of the game and environment. */
  retries: number;
}

/** The disk and the log of the process that answers. */
export interface ProcessState {
  disk: { freeBytes: number; sizeBytes: number; reserveBytes: number; low: boolean };
  log:
    | {
        usedBytes: number;
        limitBytes: number;
        held: readonly { holder: string; bytes: number }[];
        /** Infinity: it does not fill. */
        fullInSeconds: number;
        oldestAt: number | undefined;
        warns: boolean;
      }
    | undefined;
  /** How far the process's clock is ahead of the broker's; undefined: not measured. */
  clock: { leastMs: number; mostMs: number; fault: string | undefined } | undefined;
  brokerConnected: boolean;
}

export interface Operations {
  /** undefined: the broker does not answer in time. */
  deployment(): Promise<DeploymentStatus | undefined>;
  webhooks(scope: Scope): Promise<WebhookQueue | undefined>;
  process(): ProcessState;
}
