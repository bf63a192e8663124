import { sleep } from '../../../../core/kernel/clock.ts';
import { MATCHING_LIMITS } from '../matching/limits.ts';
import { RECOVERY_LIMITS } from './limits.ts';
import { createSignal } from '../../../../core/kernel/flow/signal.ts';
import type { StoredValue } from '../../../stored-value.ts';
import { storedAt, type RecoveryJob } from './recoveries.ts';
import { createRecoveryQueue, type RecoveryQueueOptions } from './recovery-queue.ts';

export interface RecoverOptions extends RecoveryQueueOptions {
  /** The job's document. */
  store: StoredValue<RecoveryJob>;
}

const CONFIG_WAIT_MS = 5_000;
const RETRY_MS = 250;
const TAKE_RECORDS = 64;

/**
 * Runs one recovery from the position in its document to its end: reads FACTS, matches the records for this webhook,
 * and queues the deliveries under the ids they always have, with attempts from 1.
 *
 * Invariants
 * 1. The document moves past a record only after all of its deliveries are stored. So a crash queues some of them
 *    again, under the same ids, and loses none.
 * 2. It queues at most `recoveryPerSecond` deliveries a second, and uses at most half of the webhook's quota:
 *    new deliveries come first.
 * 3. It reads facts until `recoverySeamMs` after its request: by then every process matches with the
 *    definitions of the request, so no fact is missed between recovery and matcher.
 */
export async function recover(options: RecoverOptions): Promise<void> {
  const { log, config, clock, erasures, store, isOver } = options;
  const stored = await store.load();
  if (stored?.state !== 'running') return;
  let job = stored;
  let savedAtMs = clock.monotonicMs();
  const untilMs = job.startedAt + RECOVERY_LIMITS.recoverySeamMs;
  const queue = createRecoveryQueue(options, job);
  const signal = createSignal();
  async function save(next: RecoveryJob): Promise<boolean> {
    job = next;
    savedAtMs = clock.monotonicMs();
    while (!isOver()) {
      const outcome = await store.save(next);
      if (outcome !== 'unknown') return outcome === 'saved';
      await sleep(clock, RETRY_MS);
    }
    return false;
  }

  const end = (state: 'done' | 'stopped') => save({ ...job, state, finishedAt: clock.wallMs() });

  await erasures.ready;
  while (!isOver() && !(await config.seen(job.revision, CONFIG_WAIT_MS)));
  const { created, firstSequence } = await log.info('FACTS');
  if (created !== job.stream) {
    await end('stopped');
    return;
  }
  const from = Math.max(job.position + 1, firstSequence);
  // Records that the recovery had still to read were trimmed: it continues behind them and says so.
  if (from > job.position + 1) job = { ...job, availableSince: await storedAt(log, from) };
  const reader = log.read('FACTS', { from, onWaiting: () => signal.notify() });
  try {
    await reader.started;
    while (!isOver()) {
      const records = reader.take(TAKE_RECORDS, MATCHING_LIMITS.matcherBatchBytes);
      for (const record of records) {
        if (record.storedAtMs > untilMs) {
          await end('done');
          return;
        }
        const count = await queue(record);
        if (count === undefined) {
          if (!isOver()) await end('stopped');
          return;
        }
        job = { ...job, position: record.sequence, scanned: job.scanned + 1, queued: job.queued + count };
        const isDue = clock.monotonicMs() - savedAtMs >= RECOVERY_LIMITS.recoveryProgressMs;
        if (isDue && !(await save(job))) return;
      }
      if (reader.ended !== undefined) {
        // FACTS was created anew, or trimmed past the position: start again from the stored job.
        if (await save(job)) await recover(options);
        return;
      }
      if (records.length === 0 && reader.pending === 0 && clock.wallMs() > untilMs) {
        await end('done');
        return;
      }
      // Other work gets the event loop between two batches.
      if (records.length > 0) await sleep(clock, 0);
      else await signal.wait(clock, RETRY_MS);
    }
  } finally {
    reader.stop();
  }
}
