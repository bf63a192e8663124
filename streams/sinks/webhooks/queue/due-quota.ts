import { type Cancel, type Clock, within } from '../../../../src/kernel/clock.ts';
import { LIMITS } from '../../../../src/kernel/limits.ts';
import type { Log } from '../../../log/log.ts';
import { DUE_SUBJECTS, webhookOfDue } from '../delivery/delivery.ts';
import { scopeKey } from '../matching/subscriptions.ts';
import type { Scope } from '../../../../actors/vocabulary/scope.ts';

/**
 * Bounds what is due now, in DELIVERIES and in the memory of those who make the deliveries: the broker hands it out in the order in
 * which it came, so what one game has due stands before what another has next.
 *
 * Invariants
 * 1. A game may have due half of what is free of `LIMITS.deliveriesHandedOut`, and of `LIMITS.deliveriesDueBytes`. So n games that
 *    take all they can have 1 / (n + 2) each, and the broker always has room to hand out what another game has.
 * 2. What is due is counted by the broker, at most every `LIMITS.deliveriesDueLookMs`; in between, what was added counts.
 */
export interface DueQuota {
  /** Whether a game may have one more due now. If not, `onQuota` is called once that may have changed. */
  has(scope: Scope): boolean;
  /** Counts one more as due. To be called before it is appended; the returned function once that has settled. */
  add(delivery: Scope & { webhook: string }, sizeBytes: number): () => void;
  stop(): void;
}

export interface DueQuotaOptions {
  log: Pick<Log, 'countBySubject'>;
  clock: Clock;
  onQuota: () => void;
}

interface Due {
  /** Due at the last count, and those that were being appended then. */
  counted: number;
  addedSince: number;
  underWay: number;
  /** Sizes of those that were added last, oldest first: those that are due are the last ones. */
  sizes: number[];
  bytes: number;
}

export function createDueQuota({ log, clock, onQuota }: DueQuotaOptions): DueQuota {
  const games = new Map<string, Due>();
  const gameOf = new Map<string, string>();
  let total = 0;
  let totalBytes = 0;
  let isLooking = false;
  let isWanted = false;
  let stopped = false;
  let lookedAtMs = -Infinity;
  let cancelLook: Cancel = () => {};

  const countOf = ({ counted, addedSince }: Due): number => counted + addedSince;

  function dueOf(key: string): Due {
    const due = games.get(key) ?? { counted: 0, addedSince: 0, underWay: 0, sizes: [], bytes: 0 };
    games.set(key, due);
    return due;
  }

  /** Counts soon, unless that is under way. */
  function look(): void {
    if (isLooking || stopped) return;
    isLooking = true;
    const waitMs = lookedAtMs + LIMITS.deliveriesDueLookMs - clock.monotonicMs();
    cancelLook = clock.timer(Math.max(0, waitMs), () => void count());
  }

  async function count(): Promise<void> {
    lookedAtMs = clock.monotonicMs();
    for (const due of games.values()) due.addedSince = 0;
    const before = new Map([...games].map(([key, { underWay }]) => [key, underWay]));
    const counts = await within(clock, LIMITS.logApiMs, log.countBySubject('DELIVERIES', DUE_SUBJECTS)).catch(
      () => undefined,
    );
    isLooking = false;
    if (stopped) return;
    if (counts === undefined) {
      look();
      return;
    }
    apply(counts, before);
    if (!isWanted) return;
    isWanted = false;
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
      const number = countOf(due);
      due.sizes.splice(0, Math.max(0, due.sizes.length - number));
      due.bytes = due.sizes.reduce((sum, size) => sum + size, 0);
      total += number;
      totalBytes += due.bytes;
      if (number === 0) games.delete(key);
    }
    if (gameOf.size >= LIMITS.deliveryLanes) gameOf.clear();
  }

  return {
    has(scope) {
      const due = games.get(scopeKey(scope)) ?? { counted: 0, addedSince: 0, bytes: 0, underWay: 0, sizes: [] };
      const places = (LIMITS.deliveriesHandedOut - (total - countOf(due))) / 3 - countOf(due);
      const bytes = (LIMITS.deliveriesDueBytes - (totalBytes - due.bytes)) / 3 - due.bytes;
      const isFree = places > 0 && bytes > 0;
      // Counted before it is needed, so that no delivery waits for the count.
      if (places <= countOf(due) || bytes <= due.bytes) look();
      if (!isFree) isWanted = true;
      return isFree;
    },
    add(delivery, sizeBytes) {
      const key = scopeKey(delivery);
      const due = dueOf(key);
      gameOf.set(delivery.webhook, key);
      due.addedSince += 1;
      due.underWay += 1;
      due.sizes.push(sizeBytes);
      due.bytes += sizeBytes;
      total += 1;
      totalBytes += sizeBytes;
      return () => {
        due.underWay -= 1;
      };
    },
    stop() {
      stopped = true;
      cancelLook();
    },
  };
}
