import { scopeKey } from '../record/scope-key.ts';
import { type Cancel, type Clock, within } from '../../../../core/kernel/clock.ts';
import { JETSTREAM_LIMITS } from '../../../log/jetstream/limits.ts';
import { QUEUE_LIMITS } from './limits.ts';
import type { Log } from '../../../log/log.ts';
import { DUE_SUBJECTS, webhookOfDue } from '../record/delivery.ts';
import type { Receiver } from '../record/delivery-record.ts';
import type { Scope } from '../../../../core/vocabulary/documents/scope.ts';

/**
 * Bounds the due deliveries of each game, in DELIVERIES and in the memory of the processes that send them. The broker
 * hands due deliveries out in the order they came, so those of one game delay the next one of another game.
 *
 * Invariants
 * 1. A game may have half of what is free of `deliveriesHandedOut` and of `deliveriesDueBytes`. So n
 *    games at their maximum have 1 / (n + 2) each, and the broker can always hand out deliveries of another game.
 * 2. The broker counts the due records, at most every `deliveriesDueCountMs`; additions are counted in
 *    between. A record counts with all of its deliveries until it is gone.
 */
export interface DueQuota {
  /** Whether a game may have one more due delivery. If not, `onQuota` is called once that may have changed. */
  has(scope: Scope): boolean;
  /**
   * Counts the deliveries of one more due record. Call it before the append, and the returned function once the append
   * has completed.
   */
  add(receiver: Receiver, sizeBytes: number, deliveries?: number): () => void;
  stop(): void;
}

export interface DueQuotaOptions {
  log: Pick<Log, 'countBySubject'>;
  clock: Clock;
  onQuota: () => void;
}

/** Of one game. */
interface Due {
  /** Due records at the last count, including those whose append was under way then. */
  counted: number;
  addedSince: number;
  underWay: number;
  /** The last additions, oldest first. Records leave in order, so those still due are at the end. */
  added: { bytes: number; deliveries: number }[];
  /** Their sum; a due record that this process did not add counts as one delivery without bytes. */
  bytes: number;
  deliveries: number;
}

export function createDueQuota({ log, clock, onQuota }: DueQuotaOptions): DueQuota {
  const games = new Map<string, Due>();
  const gameOf = new Map<string, string>();
  let total = 0;
  let totalBytes = 0;
  let isCounting = false;
  let isAwaited = false;
  let stopped = false;
  let countedAtMs = -Infinity;
  let cancelCount: Cancel = () => {};

  const recordsOf = ({ counted, addedSince }: Due): number => counted + addedSince;

  function dueOf(key: string): Due {
    const due = games.get(key) ?? { ...NONE, added: [] };
    games.set(key, due);
    return due;
  }

  /** Schedules a count, unless one is scheduled or under way. */
  function countSoon(): void {
    if (isCounting || stopped) return;
    isCounting = true;
    const waitMs = countedAtMs + QUEUE_LIMITS.deliveriesDueCountMs - clock.monotonicMs();
    cancelCount = clock.timer(Math.max(0, waitMs), () => void count());
  }

  async function count(): Promise<void> {
    countedAtMs = clock.monotonicMs();
    for (const due of games.values()) due.addedSince = 0;
    const before = new Map([...games].map(([key, { underWay }]) => [key, underWay]));
    const counts = await within(clock, JETSTREAM_LIMITS.logApiMs, log.countBySubject('DELIVERIES', DUE_SUBJECTS)).catch(
      () => undefined,
    );
    isCounting = false;
    if (stopped) return;
    if (counts === undefined) {
      countSoon();
      return;
    }
    apply(counts, before);
    if (!isAwaited) return;
    isAwaited = false;
    onQuota();
  }

  function apply(counts: ReadonlyMap<string, number>, underWay: ReadonlyMap<string, number>): void {
    for (const [key, due] of games) due.counted = underWay.get(key) ?? 0;
    let others = 0;
    for (const [subject, number] of counts) {
      const due = games.get(gameOf.get(webhookOfDue(subject)) ?? '');
      if (due === undefined) others += number;
      else due.counted += number;
    }
    [total, totalBytes] = [others, 0];
    for (const [key, due] of games) {
      const records = recordsOf(due);
      due.added.splice(0, Math.max(0, due.added.length - records));
      due.bytes = sum(due.added, ({ bytes }) => bytes);
      due.deliveries = sum(due.added, ({ deliveries }) => deliveries) + records - due.added.length;
      total += due.deliveries;
      totalBytes += due.bytes;
      if (records === 0) games.delete(key);
    }
    if (gameOf.size >= QUEUE_LIMITS.webhooksInMemory) gameOf.clear();
  }

  return {
    has(scope) {
      const { deliveries, bytes } = games.get(scopeKey(scope)) ?? NONE;
      const slots = (QUEUE_LIMITS.deliveriesHandedOut - (total - deliveries)) / 3 - deliveries;
      const room = (QUEUE_LIMITS.deliveriesDueBytes - (totalBytes - bytes)) / 3 - bytes;
      const isFree = slots > 0 && room > 0;
      // At half of the quota the count starts early, so that no delivery waits for it.
      if (slots <= deliveries || room <= bytes) countSoon();
      if (!isFree) isAwaited = true;
      return isFree;
    },
    add(receiver, bytes, deliveries = 1) {
      const key = scopeKey(receiver);
      const due = dueOf(key);
      gameOf.set(receiver.webhook, key);
      due.addedSince += 1;
      due.underWay += 1;
      due.added.push({ bytes, deliveries });
      due.bytes += bytes;
      due.deliveries += deliveries;
      total += deliveries;
      totalBytes += bytes;
      return () => {
        due.underWay -= 1;
      };
    },
    stop() {
      stopped = true;
      cancelCount();
    },
  };
}

const NONE: Due = { counted: 0, addedSince: 0, underWay: 0, added: [], bytes: 0, deliveries: 0 };

const sum = <T>(of: readonly T[], value: (one: T) => number): number => of.reduce((all, one) => all + value(one), 0);
