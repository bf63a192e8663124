import type { Clock } from '../../../core/kernel/clock.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import { OWNER_LIMITS } from '../limits.ts';
import type { OwnerMetrics } from '../metrics.ts';
import type { SegmentSweep } from '../sweep/segment-sweep.ts';
import type { BulkWork } from '../term/bulk-work.ts';
import type { Entities } from '../term/entities.ts';
import { StoreFaultError } from './checked-store.ts';

/** A log message. The simulation reads it. */
export const STORE_UNWRITABLE = 'the local store cannot be written; the owner keeps its players in memory for a while';

export interface StoreWriterOptions {
  partition: number;
  clock: Clock;
  logger: Logger;
  metrics: Pick<OwnerMetrics, 'storeWriteFailures'>;
  entities: Pick<Entities, 'behind' | 'flush' | 'trim'>;
  sweep: Pick<SegmentSweep, 'storing'>;
  /** `stored` is called when the store has written. */
  bulk: Pick<BulkWork, 'stored'>;
  /** Gets the error when writes to the store have failed for `storeFailureMs`; undefined when they succeed. */
  onStoreState: (error: unknown) => void;
  /** The store is faulty. */
  onFault: (error: StoreFaultError) => void;
}

/** Writes the local store, and reports when that fails for a while. */
export interface StoreWriter {
  /** Writes the store now, or waits for the write in progress. */
  flush(): Promise<void>;
  /** Whether the last write failed. */
  readonly fails: boolean;
  /** Failures are no longer reported. */
  stop(): void;
}

export function createStoreWriter(options: StoreWriterOptions): StoreWriter {
  const { partition, clock, logger, metrics, entities, sweep, bulk } = options;
  const onStored = (): void => bulk.stored();
  let writing: Promise<void> | undefined;
  let failingSinceMs: number | undefined;
  let reported = false;
  let stopped = false;

  async function write(): Promise<void> {
    const stored = sweep.storing();
    try {
      if (entities.behind) await entities.flush(onStored);
      entities.trim();
      stored();
      succeeded();
    } catch (cause) {
      if (cause instanceof StoreFaultError) options.onFault(cause);
      else failed(cause);
    }
  }

  function failed(cause: unknown): void {
    metrics.storeWriteFailures.inc();
    if (failingSinceMs === undefined) logger.error({ err: cause, partition }, STORE_UNWRITABLE);
    failingSinceMs ??= clock.monotonicMs();
    if (reported || stopped || clock.monotonicMs() - failingSinceMs < OWNER_LIMITS.storeFailureMs) return;
    reported = true;
    options.onStoreState(cause);
  }

  function succeeded(): void {
    if (failingSinceMs === undefined) return;
    failingSinceMs = undefined;
    logger.info({ partition }, 'the local store can be written again');
    if (reported) options.onStoreState(undefined);
    reported = false;
  }

  return {
    flush() {
      writing ??= write().finally(() => {
        writing = undefined;
        if (failingSinceMs === undefined) onStored();
      });
      return writing;
    },
    get fails() {
      return failingSinceMs !== undefined;
    },
    stop() {
      stopped = true;
    },
  };
}
