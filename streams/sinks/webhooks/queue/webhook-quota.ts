import { scopeKey } from '../record/scope-key.ts';
import type { Clock } from '../../../../core/kernel/clock.ts';
import { QUEUE_LIMITS } from './limits.ts';
import type { Log } from '../../../log/log.ts';
import { scheduledSubjects, SIZE_CLASSES } from '../record/delivery.ts';
import type { Receiver } from '../record/delivery-record.ts';
import type { Scope } from '../../../../core/vocabulary/documents/scope.ts';

/**
 * Bounds the deliveries that wait in DELIVERIES for each webhook and each game (in one environment), so that
 * receivers which are down for hours cannot fill the stream for all. The broker counts the scheduled attempts. Due
 * deliveries are not counted: they are handed out within moments (due-quota.ts), and then end or become scheduled.
 *
 * Invariants
 * 1. The quotas in bytes follow the free bytes: a webhook may hold a quarter of them, a game half, both counted after
 *    the fact. So one game leaves two thirds of what it found free, and a few games never fill the stream.
 * 2. In a game that has used up its bytes, each webhook keeps a small reserve: a webhook with a healthy receiver
 *    loses nothing because of one whose receiver is down.
 * 3. A webhook has at most `most` waiting deliveries, and at most `share` once half of `limitBytes` is used; both may
 *    be exceeded by one record.
 */
export interface WebhookQuota {
  /**
   * Takes quota for the deliveries of one record, all or none; false: it is used up. A promise while the broker counts.
   */
  take(receiver: Receiver, sizeBytes: number, deliveries?: number): boolean | Promise<boolean>;
}

export interface WebhookQuotaOptions {
  log: Pick<Log, 'countSubjects' | 'info'>;
  clock: Clock;
  /** Bytes DELIVERIES may hold. */
  limitBytes: number;
  /** Deliveries that may wait for one webhook, and the same once half of `limitBytes` is used. */
  most: number;
  share: number;
}

/** What may be added before the broker counts again. */
interface Allowance {
  deliveries: number;
  bytes: number;
  /** The last count left nothing. */
  isFull: boolean;
  /** Whether the game had used up its bytes when this webhook was counted. */
  isReserve: boolean;
  countedAtMs: number;
}

const KIB = 1024;
const WEBHOOK_SHARE = 1 / 4;
const GAME_SHARE = 1 / 2;

export function createWebhookQuota({ log, clock, limitBytes, most, share }: WebhookQuotaOptions): WebhookQuota {
  const webhooks = new Map<string, Allowance>();
  const games = new Map<string, Allowance>();

  /** The waiting deliveries by the broker's count, and the upper bound of their bytes. */
  async function countWaiting(scope: Scope, webhook?: string): Promise<{ count: number; bytes: number }> {
    const counts = await Promise.all(
      SIZE_CLASSES.map((_, size) => log.countSubjects('DELIVERIES', scheduledSubjects(scope, size, webhook))),
    );
    const bytes = counts.map((count, size) => count * (SIZE_CLASSES[size] ?? 0));
    return { count: sum(counts), bytes: sum(bytes) };
  }

  async function countGame(scope: Scope): Promise<void> {
    const { sizeBytes } = await log.info('DELIVERIES');
    const waiting = await countWaiting(scope);
    const free = Math.max(0, limitBytes - sizeBytes);
    const left = Math.max(free * GAME_SHARE, reserveOf(free)) - waiting.bytes;
    remember(games, scopeKey(scope), Infinity, Math.min(left, stepOf(free)));
  }

  async function countWebhook(scope: Scope, webhook: string, isReserve: boolean): Promise<void> {
    const { sizeBytes } = await log.info('DELIVERIES');
    const waiting = await countWaiting(scope, webhook);
    const free = Math.max(0, limitBytes - sizeBytes);
    const left = Math.max(isReserve ? 0 : free * WEBHOOK_SHARE, reserveOf(free)) - waiting.bytes;
    const deliveries = (sizeBytes > limitBytes / 2 ? share : most) - waiting.count;
    remember(
      webhooks,
      webhook,
      Math.min(deliveries, QUEUE_LIMITS.deliveriesPendingStep),
      Math.min(left, stepOf(free)),
      isReserve,
    );
  }

  function remember(
    of: Map<string, Allowance>,
    key: string,
    deliveries: number,
    bytes: number,
    isReserve = false,
  ): Allowance {
    const isFull = deliveries <= 0 || bytes <= 0;
    const allowance = { deliveries, bytes, isFull, isReserve, countedAtMs: clock.monotonicMs() };
    if (of.size >= QUEUE_LIMITS.webhooksInMemory) of.clear();
    of.set(key, allowance);
    return allowance;
  }

  function isSpent({ isFull, deliveries, bytes, countedAtMs }: Allowance): boolean {
    if (isFull) return clock.monotonicMs() - countedAtMs >= QUEUE_LIMITS.deliveriesPendingCountMs;
    return deliveries <= 0 || bytes <= 0;
  }

  function take(receiver: Receiver, sizeBytes: number, deliveries = 1): boolean | Promise<boolean> {
    // A new game or webhook starts with its reserve instead of a count: a new matcher would count every webhook at
    // once.
    const game = games.get(scopeKey(receiver)) ?? remember(games, scopeKey(receiver), Infinity, reserveOf(limitBytes));
    if (isSpent(game)) return countGame(receiver).then(() => take(receiver, sizeBytes, deliveries));
    const webhook =
      webhooks.get(receiver.webhook) ??
      remember(webhooks, receiver.webhook, Math.min(share, QUEUE_LIMITS.deliveriesPendingStep), reserveOf(limitBytes));
    const mustReserve = game.isFull && !webhook.isReserve;
    if (isSpent(webhook) || (mustReserve && !webhook.isFull)) {
      return countWebhook(receiver, receiver.webhook, game.isFull).then(() => take(receiver, sizeBytes, deliveries));
    }
    if (webhook.isFull) return false;
    webhook.deliveries -= deliveries;
    webhook.bytes -= sizeBytes;
    if (!game.isFull) game.bytes -= sizeBytes;
    return true;
  }

  return { take };
}

/** Bytes that a webhook may hold whatever its game holds: little, so that many webhooks cannot fill the stream. */
function reserveOf(freeBytes: number): number {
  return Math.max(64 * KIB, Math.min(KIB * KIB, freeBytes / 1024));
}

/** Bytes that may be added between two counts: fewer when little is free, because every game may add as many. */
function stepOf(freeBytes: number): number {
  return Math.max(reserveOf(freeBytes), Math.min(QUEUE_LIMITS.deliveriesPendingStepBytes, freeBytes / 64));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
