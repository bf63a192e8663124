import type { Clock } from '../../../../src/kernel/clock.ts';
import { LIMITS } from '../../../../src/kernel/limits.ts';
import type { Log } from '../../../log/log.ts';
import { scheduledSubjects, SIZE_CLASSES } from '../delivery/delivery.ts';
import { scopeKey } from '../matching/subscriptions.ts';
import type { Scope } from '../../../../actors/vocabulary/scope.ts';

/**
 * Bounds what waits in DELIVERIES for each webhook and each game (in one environment), so that receivers that are away for hours can't
 * fill it for all. Counted are the attempts that are due later, by the broker: what is due now is handed out within moments
 * (due-room.ts), and ends or becomes one of them.
 *
 * Invariants
 * 1. Bytes follow what is free: a webhook may hold a quarter of it, a game half, both counted after they took it. So one game leaves
 *    two thirds of what it found free to the others, and the room is never full of a few games' deliveries.
 * 2. In a game that has its bytes, a webhook that holds next to nothing still has its reserve: one with a receiver that answers
 *    loses nothing to one with a receiver that is away.
 * 3. A webhook has at most `most` waiting deliveries, and `share` once half of the room is taken.
 */
export interface WebhookQuota {
  /** Takes room for one more delivery; false: there is none. A promise while the broker counts what waits. */
  take(delivery: Scope & { webhook: string }, sizeBytes: number): boolean | Promise<boolean>;
}

export interface WebhookQuotaOptions {
  log: Pick<Log, 'countSubjects' | 'info'>;
  clock: Clock;
  /** Bytes DELIVERIES may hold. */
  limitBytes: number;
  /** How many may wait for one webhook at most, and once half of that is taken. */
  most: number;
  share: number;
}

/** What may be added before what waits is counted again. */
interface Allowance {
  places: number;
  bytes: number;
  /** There was none when it was counted. */
  isFull: boolean;
  /** Whether the game had its bytes when this webhook was counted. */
  isReserve: boolean;
  countedAtMs: number;
}

const KIB = 1024;
const WEBHOOK_SHARE = 1 / 4;
const GAME_SHARE = 1 / 2;

export function createWebhookQuota({ log, clock, limitBytes, most, share }: WebhookQuotaOptions): WebhookQuota {
  const webhooks = new Map<string, Allowance>();
  const games = new Map<string, Allowance>();

  /** What waits by the broker's count, and its bytes at most. */
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
    const places = (sizeBytes > limitBytes / 2 ? share : most) - waiting.count;
    remember(
      webhooks,
      webhook,
      Math.min(places, LIMITS.deliveriesPendingStep),
      Math.min(left, stepOf(free)),
      isReserve,
    );
  }

  function remember(
    of: Map<string, Allowance>,
    key: string,
    places: number,
    bytes: number,
    isReserve = false,
  ): Allowance {
    const isFull = places <= 0 || bytes <= 0;
    const allowance = { places, bytes, isFull, isReserve, countedAtMs: clock.monotonicMs() };
    if (of.size >= LIMITS.deliveryLanes) of.clear();
    of.set(key, allowance);
    return allowance;
  }

  function isSpent({ isFull, places, bytes, countedAtMs }: Allowance): boolean {
    if (isFull) return clock.monotonicMs() - countedAtMs >= LIMITS.deliveriesPendingLookMs;
    return places <= 0 || bytes <= 0;
  }

  function take(delivery: Scope & { webhook: string }, sizeBytes: number): boolean | Promise<boolean> {
    // What is not known is not counted at once: a process that begins to match would ask for every webhook there is.
    const known = games.get(scopeKey(delivery));
    const game = known ?? remember(games, scopeKey(delivery), Infinity, reserveOf(limitBytes));
    if (isSpent(game)) return countGame(delivery).then(() => take(delivery, sizeBytes));
    const webhook =
      webhooks.get(delivery.webhook) ??
      remember(webhooks, delivery.webhook, Math.min(share, LIMITS.deliveriesPendingStep), reserveOf(limitBytes));
    const mustReserve = game.isFull && !webhook.isReserve;
    if (isSpent(webhook) || (mustReserve && !webhook.isFull)) {
      return countWebhook(delivery, delivery.webhook, game.isFull).then(() => take(delivery, sizeBytes));
    }
    if (webhook.isFull) return false;
    webhook.places -= 1;
    webhook.bytes -= sizeBytes;
    if (!game.isFull) game.bytes -= sizeBytes;
    return true;
  }

  return { take };
}

/** What a webhook may hold whatever its game holds: next to nothing of the room, however many webhooks there are. */
function reserveOf(freeBytes: number): number {
  return Math.max(64 * KIB, Math.min(KIB * KIB, freeBytes / 1024));
}

/** Bytes that may be added between two counts: few when little is free, as every game may add so many. */
function stepOf(freeBytes: number): number {
  return Math.max(reserveOf(freeBytes), Math.min(LIMITS.deliveriesPendingStepBytes, freeBytes / 64));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
