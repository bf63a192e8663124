import { type Clock, sleep } from '../../../../../core/kernel/clock.ts';
import type { Adjustable } from '../../../../../core/kernel/adjustable.ts';
import { MATCHING_LIMITS } from '../limits.ts';
import type { Logger } from '../../../../../core/kernel/logger.ts';
import type { SinkLagMetrics } from '../../../../metrics.ts';
import type { WebhookMetrics } from '../../record/metrics.ts';
import type { Signal } from '../../../../../core/kernel/flow/signal.ts';
import { decodeCommit } from '../../../../../core/codec/codec.ts';
import type { Log } from '../../../../log/log.ts';
import type { OpenReader } from '../../../../log/shared-reader.ts';
import type { StoredValue } from '../../../../stored-value.ts';
import { appendUntilAcked } from '../../queue/append-until-acked.ts';
import type { DeliveriesQuota } from '../../queue/deliveries-quota.ts';
import { type Delivery, dueSubject } from '../../record/delivery.ts';
import { recordMessageId } from '../../record/delivery-record.ts';
import type { DeliveryBatch } from '../delivery-batches.ts';
import { createDeliveryTurns } from '../delivery-turns.ts';
import { createDueQuota } from '../../queue/due-quota.ts';
import { createLaggingGames } from '../lagging-games.ts';
import { createMatchWindow } from './match-window.ts';
import { createRecordIntake, tasksOf } from './record-intake.ts';
import { type MatcherPosition, matcherPosition, WEBHOOKS_SINK } from '../matcher-position.ts';
import { createPositionSaver } from '../position-saver.ts';
import { type Subscriptions } from '../subscriptions.ts';
import type { WebhookQuota } from '../../queue/webhook-quota.ts';

export interface MatchFactsOptions {
  log: Log;
  readFacts: OpenReader;
  clock: Clock;
  logger: Logger;
  metrics: WebhookMetrics & SinkLagMetrics;
  subscriptions: Subscriptions;
  webhookQuota: WebhookQuota;
  deliveriesQuota: DeliveriesQuota;
  positions: StoredValue<MatcherPosition>;
  from: MatcherPosition;
  isHealthy: (webhook: string) => boolean;
  onOverflow: (delivery: Delivery) => void;
  /** Waits for the definitions a record was decided under. False: matching is over. */
  isConfigSeen: (revision: number) => Promise<boolean>;
  /** Whether the run is over: the process stops, or has lost the lease. */
  isOver: () => boolean;
  /** Whether it is over because the process stops: then the position still belongs to this process. */
  isStopping: () => boolean;
  /** Raised when `isOver` may have changed. */
  signal: Signal;
  limits?: Adjustable<typeof MATCHING_LIMITS, 'matcherPositionMs'> | undefined;
  /** FACTS needs the room of records below this sequence: games that lag so far behind overflow. */
  wantedBelow: () => number;
}

const TAKE_RECORDS = 64;

/**
 * Makes deliveries of the records of FACTS from a position on. It ends when the run is over, when another process
 * moved the position, or when FACTS was reset; it rejects when the log is closed.
 *
 * All games share one reader and take turns (delivery-turns.ts). Once the records without stored deliveries exceed
 * `matcherWindowBytes`, the game with the most of them gets a reader of its own (lagging-games.ts).
 *
 * Invariants
 * 1. The position of a game (its mark, else the common one) moves past a record only after all of its deliveries are
 *    stored. So a crash repeats appends, whose message ids remove the duplicates, and loses none.
 *    That requires that matching a record again gives the same batches (delivery-batches.ts).
 * 2. Each record of a game is matched by the common reader or by the game's own, never by both.
 * 3. Matching never moves past a record that it cannot read, such as one of a newer version.
 * 4. The position moves past an erasure only after the erasure is in the bucket ERASURES, where all workers see it.
 */
export async function matchFacts(options: MatchFactsOptions): Promise<void> {
  const { log, clock, logger, metrics, from, isConfigSeen, signal } = options;
  const window = createMatchWindow(from.reach ?? from.sequence);
  const reader = options.readFacts({ from: window.taken + 1, onWaiting: () => signal.notify() });
  let failure: { error: unknown } | undefined;
  let isReset = false;
  let closed = false;
  const isOver = (): boolean => closed || options.isOver();

  const dueQuota = createDueQuota({ log, clock, onQuota: () => turns.resume() });
  const turns = createDeliveryTurns({
    ...options,
    dueQuota,
    append: (deliveries, bytes) => appendBatch({ log, clock, logger, isOver }, deliveries, bytes),
    onFailure: fail,
  });
  const lagging = createLaggingGames({
    ...options,
    turns,
    commonWindow: window,
    async tasksOf(record) {
      const commit = decodeCommit(record.data);
      return (await isConfigSeen(commit.configRevision)) ? tasksOf(record, commit, options) : undefined;
    },
    onReset() {
      isReset = true;
      signal.notify();
    },
    onFailure: fail,
    isOver,
  });
  const intake = createRecordIntake({ ...options, window, turns, lagging, isOver, onFailure: fail });

  function fail(error: unknown): void {
    failure ??= { error };
    signal.notify();
  }

  const saver = createPositionSaver({
    ...options,
    current: () => matcherPosition(from.stream, window.position, lagging.marks()),
    stored: () => turns.stored,
    isOver,
  });
  lagging.start(from.games ?? []);
  try {
    while (!isOver()) {
      const mayTake = !intake.isFull && intake.blocked === undefined;
      const records = mayTake ? reader.take(TAKE_RECORDS, MATCHING_LIMITS.matcherBatchBytes) : [];
      metrics.sinkLag.set({ sink: WEBHOOKS_SINK }, reader.pending);
      for (const record of records) if (!(await intake.add(record))) return;
      while (intake.isFull && lagging.detachLargest());
      if (failure !== undefined) throw failure.error;
      const { blocked } = intake;
      if (blocked !== undefined && window.position >= blocked.sequence - 1) throw blocked.error;
      if (!(await saver.saveInTime())) return;
      if (records.length > 0) {
        await sleep(clock, 0);
        continue;
      }
      if (isReset || reader.ended === 'reset') return;
      await signal.wait();
    }
  } finally {
    saver.stop();
    closed = true;
    turns.stop();
    dueQuota.stop();
    reader.stop();
    lagging.stop();
    if (options.isStopping() || (intake.blocked !== undefined && !options.isOver())) await saver.saveLast();
  }
}

/** False: matching is over. */
async function appendBatch(
  { log, clock, logger, isOver }: Pick<MatchFactsOptions, 'log' | 'clock' | 'logger' | 'isOver'>,
  deliveries: DeliveryBatch,
  bytes: Uint8Array,
): Promise<boolean> {
  const terms = { log, clock, logger, givenUp: isOver, waitsWhenFull: true };
  const outcome = await appendUntilAcked(terms, dueSubject(deliveries[0].webhook), bytes, {
    messageId: recordMessageId(deliveries),
  });
  return outcome !== 'given_up';
}
