import type { Clock } from '../../core/kernel/clock.ts';
import type { Ids } from '../../core/kernel/ids.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import { digestOf } from '../../core/kernel/secrets/digest.ts';
import type { DecideReceipt, ReceiptVerdict } from '../../core/vocabulary/commands/recorded.ts';
import type { GetPlayer } from '../../core/vocabulary/commands/commands.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import type { Scope } from '../../core/vocabulary/documents/scope.ts';
import type { ConfigStore } from '../../streams/config/config-store.ts';
import { storesAddress } from '../../streams/config/stores.ts';
import type { Log, WorkItem } from '../../streams/log/log.ts';
import { RECEIPT_LIMITS } from './limits.ts';
import type { ReceiptMetrics } from './metrics.ts';
import type { ReceiptClaims } from './receipt-claims.ts';
import { ALL_DUE_RECEIPTS, decodeJob, dueReceipts, encodeJob, laterReceipt, type ReceiptJob } from './receipt-job.ts';
import type { Proof, StoreVerifier } from './store-verifier.ts';

/*
 * Verifies receipts that are due: asks the store, takes the transaction for the player, and tells the player's owner.
 *
 * Invariants
 * 1. A receipt leaves the queue only once its verdict is stored, or its successor, or if it has no purchase any more.
 *    So a crash repeats a step, and each step may be repeated: the owner decides a purchase once.
 * 2. A transaction is verified for one player, whoever is first.
 * 3. A store that does not answer delays the receipts of its game alone, and no other work.
 * 4. No receipt, token or key is logged.
 */

/** Sends to the owner of a player. */
export interface Owners {
  send(origin: Scope & { receivedAt: number; by: 'server' }, playerId: string, body: DecideReceipt): Promise<Reply>;
  query(origin: Scope & { receivedAt: number; by: 'server' }, playerId: string, body: GetPlayer): Promise<Reply>;
}

export interface ReceiptWorkerOptions {
  log: Pick<Log, 'append' | 'work'>;
  config: Pick<ConfigStore, 'get'>;
  owners: Owners;
  stores: StoreVerifier;
  claims: ReceiptClaims;
  clock: Clock;
  ids: Pick<Ids, 'uuidv4' | 'uuidv7'>;
  logger: Logger;
  metrics: ReceiptMetrics;
}

/** @returns the function that takes no more receipts and waits for those in work */
export function startReceiptWorker(options: ReceiptWorkerOptions): () => Promise<void> {
  const { log, config, owners, stores, claims, clock, ids, logger, metrics } = options;
  const inWork = new Set<Promise<void>>();
  const ofGames = new Map<string, number>();

  const stop = log.work('RECEIPTS', {
    durable: 'receipts',
    subjects: [ALL_DUE_RECEIPTS],
    ackWaitMs: RECEIPT_LIMITS.ackWaitMs,
    maxInFlight: RECEIPT_LIMITS.handedOut,
    onItem(item) {
      const work = handle(item).catch((error: unknown) => {
        logger.error({ err: error }, 'a receipt could not be verified; it is tried again');
        item.retryIn(RECEIPT_LIMITS.deferMs);
      });
      inWork.add(work);
      void work.then(() => inWork.delete(work));
    },
  });

  async function handle(item: WorkItem): Promise<void> {
    const job = decodeJob(item.record.data);
    if (job === undefined) {
      logger.error({ subject: item.record.subject }, 'a newer version queued a receipt; it waits for a newer process');
      item.retryIn(RECEIPT_LIMITS.ackWaitMs);
      return;
    }
    const game = dueReceipts(job);
    const running = ofGames.get(game) ?? 0;
    if (running >= RECEIPT_LIMITS.gameAttempts || inWork.size > RECEIPT_LIMITS.attempts) {
      await later(item, job, RECEIPT_LIMITS.deferMs);
      return;
    }
    ofGames.set(game, running + 1);
    try {
      await verify(item, job);
    } finally {
      const left = (ofGames.get(game) ?? 1) - 1;
      if (left === 0) ofGames.delete(game);
      else ofGames.set(game, left);
    }
  }

  async function verify(item: WorkItem, job: ReceiptJob): Promise<void> {
    const proof = await proofOf(job);
    const verdict = proof.kind === 'unavailable' ? undefined : await verdictOf(proof, job);
    if (verdict !== undefined) {
      await settle(item, job, verdict);
      return;
    }
    if (clock.wallMs() - job.queuedAt >= RECEIPT_LIMITS.triedMs) {
      await settle(item, job, { kind: 'rejected', reason: 'store_unavailable' });
      return;
    }
    const { game, environment, store, attempts } = job;
    const why = proof.kind === 'unavailable' ? proof.why : 'the log did not answer';
    logger.warn({ game, environment, store, attempts, why }, 'a receipt is verified later');
    metrics.receipts.inc({ store, outcome: 'retried' });
    const pause = RECEIPT_LIMITS.retryMs[attempts] ?? RECEIPT_LIMITS.retryMs.at(-1) ?? RECEIPT_LIMITS.deferMs;
    await later(item, { ...job, attempts: attempts + 1 }, pause);
  }

  async function proofOf({ game, environment, store, payload }: ReceiptJob): Promise<Proof> {
    const settings = config.get(storesAddress({ game, environment }))?.document;
    switch (store) {
      case 'apple':
        if (settings?.apple === undefined) return NOT_CONFIGURED;
        return stores.appleReceipt(settings.apple, environment, payload);
      case 'google':
        if (settings?.google === undefined) return NOT_CONFIGURED;
        return stores.googleReceipt(settings.google, environment, payload);
    }
  }

  /** `undefined`: whose the transaction is cannot be known now. */
  async function verdictOf(
    proof: Exclude<Proof, { kind: 'unavailable' }>,
    job: ReceiptJob,
  ): Promise<ReceiptVerdict | undefined> {
    if (proof.kind === 'rejected') return proof;
    const { transactionId, productId, purchasedAtMs } = proof;
    if (transactionId !== job.transactionId) return { kind: 'rejected', reason: 'wrong_transaction' };
    if (job.queuedAt - purchasedAtMs > RECEIPT_LIMITS.purchaseAgeMs) return { kind: 'rejected', reason: 'too_old' };
    const { game, environment, store, playerId } = job;
    const held = await claims.claim({ game, environment, store, digest: digestOf(transactionId) }, playerId);
    if (held.kind === 'unavailable') return undefined;
    if (held.by !== playerId && !(await isSame(held.by, job)))
      return { kind: 'rejected', reason: 'used_by_another_player' };
    return { kind: 'verified', productId };
  }

  /** Whether the player who has a transaction was merged into that of the receipt. */
  async function isSame(holder: string | null, job: ReceiptJob): Promise<boolean> {
    if (holder === null) return false;
    const reply = await owners.query(originOf(job), holder, { kind: 'GetPlayer', playerId: holder });
    return reply.kind === 'player' && reply.player.id === job.playerId;
  }

  async function settle(item: WorkItem, job: ReceiptJob, verdict: ReceiptVerdict): Promise<void> {
    const { playerId, transactionId, store, game, environment } = job;
    const eventId = ids.uuidv7(clock.wallMs());
    const body = { kind: 'DecideReceipt', playerId, transactionId, store, verdict, eventId } as const;
    const reply = await owners.send(originOf(job), playerId, body);
    if (reply.kind === 'failure' && !FINAL.has(reply.code)) {
      await later(item, job, RECEIPT_LIMITS.deferMs);
      return;
    }
    const outcome = reply.kind === 'failure' ? 'dropped' : verdict.kind;
    metrics.receipts.inc({ store, outcome });
    if (verdict.kind === 'rejected')
      logger.info({ game, environment, store, reason: verdict.reason }, 'a receipt was rejected');
    await item.ack();
  }

  const originOf = ({ game, environment }: ReceiptJob) =>
    ({ game, environment, receivedAt: clock.wallMs(), by: 'server' }) as const;

  /** Stores the receipt for later, and only then takes it from the queue. */
  async function later(item: WorkItem, job: ReceiptJob, pauseMs: number): Promise<void> {
    const schedule = { atMs: clock.wallMs() + pauseMs, target: dueReceipts(job) };
    const messageId = ids.uuidv4();
    const stored = await log.append(laterReceipt(job), encodeJob(job), { messageId, schedule });
    if (stored.kind === 'acked') await item.ack();
    else item.retryIn(pauseMs);
  }

  return async () => {
    stop();
    await Promise.all(inWork);
  };
}

const NOT_CONFIGURED: Proof = { kind: 'rejected', reason: 'not_configured' };

/** Failures after which no repeat can succeed: the purchase is gone, or would exceed a maximum. */
const FINAL: ReadonlySet<string> = new Set(['PLAYER_NOT_FOUND', 'NOT_FOUND', 'CONFLICT']);
