import { type Clock, sleep, within } from '../../../../core/kernel/clock.ts';
import { RECOVERY_LIMITS } from './limits.ts';
import { SHARED_LIMITS } from '../../../../core/kernel/limits.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import { decodeJson } from '../../../../core/codec/codec.ts';
import type { Erasures } from '../../../facts/erasures.ts';
import { contend } from '../../../leases/lease.ts';
import type { BucketEntry, Log } from '../../../log/log.ts';
import { createStoredValue } from '../../../stored-value.ts';
import { recover } from './recover.ts';
import { parseRecovery, RECOVERY_PREFIX } from './recoveries.ts';
import type { WebhookConfig } from '../record/webhook-config.ts';

export interface RecovererOptions {
  log: Log;
  config: WebhookConfig;
  clock: Clock;
  logger: Logger;
  erasures: Erasures;
  /** Name of this process for the lease; unique per process incarnation. */
  holder: string;
}

export interface Recoverer {
  /** Releases the lease once the running recoveries have stopped; the next holder continues them. */
  stop(): Promise<void>;
}

const LEASE_KEY = 'sink.webhooks-recovery';
const RETRY_MS = 1_000;
const UNWANTED_MS = 60_000;

/**
 * Owns the lease of recoveries, and runs the requested ones (recoveries.ts) while it holds the lease. The lease is
 * wanted only while a recovery is open.
 *
 * Invariants
 * 1. At most `recoveriesAtOnce` recoveries run, in the order of their requests.
 * 2. Each job's document moves by compare-and-set: if two processes believe that they hold the lease, one of them
 *    stops.
 */
export function createRecoverer(options: RecovererOptions): Recoverer {
  const { log, config, clock, logger, erasures } = options;
  const bucket = log.bucket('WEBHOOKS');
  /** Keys of the jobs in state `running`, in the order of their requests. */
  const open = new Set<string>();
  /** Jobs that this process works on. */
  const working = new Map<string, Promise<void>>();
  /** Counts the lease's changes: work with an older number stops at its next step. */
  let leaseCount = 0;
  let holdsLease = false;
  let stopped = false;

  const stopWatch = bucket.watch({ onEntry, onCurrent: () => {} });
  const lease = contend({
    bucket: log.bucket('OWNERS'),
    key: LEASE_KEY,
    holder: options.holder,
    clock,
    // Renewals cost an fsync each, and recoveries are rare.
    wanted: () => open.size > 0 || working.size > 0,
    unwantedMs: UNWANTED_MS,
    onAcquired() {
      leaseCount += 1;
      holdsLease = true;
      startMore();
    },
    onLost() {
      leaseCount += 1;
      holdsLease = false;
    },
  });

  function onEntry({ key, value }: BucketEntry): void {
    if (!key.startsWith(RECOVERY_PREFIX)) return;
    const job = value === undefined ? undefined : parseRecovery(decodeJson(value));
    if (job?.state === 'running') open.add(key);
    else open.delete(key);
    if (!holdsLease && open.size > 0) lease.wake();
    startMore();
  }

  function startMore(): void {
    for (const key of open) {
      if (!holdsLease || stopped || working.size >= RECOVERY_LIMITS.recoveriesAtOnce) return;
      if (!working.has(key)) start(key);
    }
  }

  function start(key: string): void {
    const mine = leaseCount;
    const isOver = (): boolean => stopped || mine !== leaseCount;
    const store = createStoredValue(bucket, key, parseRecovery);
    const work = recover({ log, config, clock, logger, erasures, store, isOver })
      .catch((error: unknown) => {
        if (!isOver())
          logger.error({ err: error, key }, 'webhooks: a recovery failed; it continues from its stored position');
      })
      .then(() => (isOver() ? undefined : sleep(clock, RETRY_MS)))
      .finally(() => {
        working.delete(key);
        startMore();
      });
    working.set(key, work);
  }

  return {
    async stop() {
      stopped = true;
      stopWatch();
      await within(clock, SHARED_LIMITS.deliveryStopMs, Promise.all(working.values()));
      await lease.release();
    },
  };
}
