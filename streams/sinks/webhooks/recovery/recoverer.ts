import { type Clock, sleep, within } from '../../../../src/kernel/clock.ts';
import { LIMITS } from '../../../../src/kernel/limits.ts';
import type { Logger } from '../../../../src/kernel/logger.ts';
import { decodeJson } from '../../../codec.ts';
import type { Erasures } from '../../../erasures.ts';
import { contend } from '../../../lease.ts';
import type { BucketEntry, Log } from '../../../log/log.ts';
import { createStoredValue } from '../../../stored-value.ts';
import { recover } from './recover.ts';
import { parseRecovery, RECOVERY_PREFIX } from './recoveries.ts';
import type { WebhookConfig } from '../webhook-config.ts';

export interface RecovererOptions {
  log: Log;
  config: WebhookConfig;
  clock: Clock;
  logger: Logger;
  erasures: Erasures;
  /** Who contends for the lease; unique per process incarnation. */
  holder: string;
}

export interface Recoverer {
  /** Gives the lease up once what is under way has settled; the next holder goes on from there. */
  stop(): Promise<void>;
}

const LEASE_KEY = 'sink.webhooks-recovery';
const RETRY_MS = 1_000;

/**
 * Works on the recoveries that were asked for (recoveries.ts), a few at once. One process at a time does, by lease; and should two
 * believe they hold it, a job's document is moved by compare-and-set, and whoever finds it moved lets go.
 */
export function createRecoverer(options: RecovererOptions): Recoverer {
  const { log, config, clock, logger, erasures } = options;
  const bucket = log.bucket('WEBHOOKS');
  /** Keys of jobs that run, in the order they were asked for. */
  const open = new Set<string>();
  const working = new Map<string, Promise<void>>();
  /** Counts take-overs: what works under another number stops at its next step. */
  let turn = 0;
  let leads = false;
  let stopped = false;

  const stopWatch = bucket.watch({ onEntry: learn, onCurrent: () => {} });
  const lease = contend({
    bucket: log.bucket('OWNERS'),
    key: LEASE_KEY,
    holder: options.holder,
    clock,
    onAcquired() {
      turn += 1;
      leads = true;
      startMore();
    },
    onLost() {
      turn += 1;
      leads = false;
    },
  });

  function learn({ key, value }: BucketEntry): void {
    if (!key.startsWith(RECOVERY_PREFIX)) return;
    const job = value === undefined ? undefined : parseRecovery(decodeJson(value));
    if (job?.state === 'running') open.add(key);
    else open.delete(key);
    startMore();
  }

  function startMore(): void {
    for (const key of open) {
      if (!leads || stopped || working.size >= LIMITS.recoveriesAtOnce) return;
      if (!working.has(key)) start(key);
    }
  }

  function start(key: string): void {
    const mine = turn;
    const isOver = (): boolean => stopped || mine !== turn;
    const store = createStoredValue(bucket, key, parseRecovery);
    const work = recover({ log, config, clock, logger, erasures, store, isOver })
      .catch((error: unknown) => {
        if (!isOver()) logger.error({ err: error, key }, 'webhooks: a recovery failed; it goes on from where it was');
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
      await within(clock, LIMITS.deliveryStopMs, Promise.all(working.values()));
      await lease.release();
    },
  };
}
