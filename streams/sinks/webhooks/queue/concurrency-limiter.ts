import type { Clock } from '../../../../core/kernel/clock.ts';
import {
  createReceivers,
  type Group,
  type Health,
  isStuck,
  type Job,
  noteEnd,
  rateOf,
  type Receiver,
} from './receivers.ts';

export interface ConcurrencyLimiterOptions {
  clock: Clock;
  /** Jobs running at once, over all receivers. */
  total: number;
  /** Jobs running at once for the receivers of one group. */
  perGroup: number;
  /** Jobs running at once for one healthy receiver. */
  perReceiver: number;
  /** Jobs waiting for one healthy receiver; fewer while its window is small, more if it is fast. */
  waitingPerReceiver: number;
  /** Jobs waiting for one fast receiver: as many as it accepts in `WAIT_SECONDS`, up to this. */
  waitingPerFastReceiver: number;
  /** A receiver without progress for this long keeps no jobs waiting. */
  progressMs: number;
  /** A receiver without progress for this long counts as unresponsive, before its job times out. */
  silentMs: number;
  /** Receivers held in memory; beyond it the idle ones are forgotten. */
  maxReceivers: number;
}

/** Shares the slots for running jobs among receivers and among groups of receivers (games). */
export interface ConcurrencyLimiter {
  /** Runs the job, or lets it wait. `false`: no slot and no place to wait; neither of its functions will be called. */
  offer(receiver: string, group: string, job: Job): boolean;
  /** Defers the waiting jobs of receivers without progress. Call it regularly. */
  sweep(): void;
  readonly running: number;
  /** Receivers whose last job got no answer: their circuit is open but for one job at a time. */
  readonly unresponsive: number;
  /** Whether the last job got no answer, or the running ones have been silent for `silentMs`. */
  isUnresponsive(receiver: string): boolean;
  /** Whether the receiver accepted its last delivery and makes progress; true for one without history. */
  isHealthy(receiver: string): boolean;
  /** Successful jobs per second, over the last one or two seconds. */
  successesPerSecond(receiver: string): number;
}

/** Jobs that may wait for each slot of the window. */
const WAITING_PER_SLOT = 16;
/** How long a job may wait for a fast receiver. */
const WAIT_SECONDS = 2;

/**
 * Owns the slots of one process: a window per receiver that opens and closes like a congestion window, and a short
 * queue of waiting jobs behind it. Groups take turns at free slots, and receivers take turns within their group.
 *
 * Invariants
 * 1. At most `total` jobs run, at most `perGroup` of one group, and at most `window` (1 to `perReceiver`) of one
 *    receiver.
 * 2. An unresponsive receiver keeps no jobs waiting: they are deferred once an attempt got no answer, or with the
 *    next sweep while the attempt is still running.
 * 3. A receiver is in its group's `ready` exactly while it has waiting jobs and a free slot in its window. A group is
 *    in `ready` exactly while it has such receivers and fewer than `perGroup` running jobs.
 */
export function createConcurrencyLimiter(options: ConcurrencyLimiterOptions): ConcurrencyLimiter {
  const { clock, total, perGroup, perReceiver, waitingPerReceiver, progressMs, silentMs, maxReceivers } = options;
  const { waitingPerFastReceiver } = options;
  const receivers = createReceivers(clock, maxReceivers, (receiver) => {
    if (receiver.isUnresponsive) unresponsive -= 1;
  });
  const ready = new Set<Group>();
  let running = 0;
  let unresponsive = 0;

  function mayWait(receiver: Receiver): boolean {
    const accepts = Math.min(waitingPerFastReceiver, rateOf(receiver, clock.monotonicMs()) * WAIT_SECONDS);
    const quota = Math.max(accepts, Math.min(waitingPerReceiver, receiver.window * WAITING_PER_SLOT));
    return (
      !receiver.isUnresponsive && receiver.waiting.length < quota && !isStuck(receiver, clock.monotonicMs(), progressMs)
    );
  }

  function deferWaiting(receiver: Receiver): void {
    const waiting = receiver.waiting;
    receiver.waiting = [];
    for (const job of waiting) job.defer();
    updateReady(receiver);
  }

  function start(receiver: Receiver, job: Job): void {
    if (receiver.running === 0) receiver.progressAtMs = clock.monotonicMs();
    receiver.running += 1;
    receiver.group.running += 1;
    running += 1;
    void job.run().then((health) => finished(receiver, health));
  }

  function finished(receiver: Receiver, health: Health): void {
    receiver.group.running -= 1;
    running -= 1;
    const wasUnresponsive = receiver.isUnresponsive;
    noteEnd(receiver, health, clock.monotonicMs(), perReceiver);
    unresponsive += Number(receiver.isUnresponsive) - Number(wasUnresponsive);
    if (receiver.isUnresponsive) deferWaiting(receiver);
    updateReady(receiver);
    pump();
  }

  /** Restores invariant 3 after a change of the receiver. */
  function updateReady(receiver: Receiver): void {
    const { group } = receiver;
    if (receiver.waiting.length > 0 && receiver.running < receiver.window) group.ready.add(receiver);
    else group.ready.delete(receiver);
    if (group.ready.size > 0 && group.running < perGroup) ready.add(group);
    else ready.delete(group);
  }

  function pump(): void {
    while (running < total) {
      const [group] = ready;
      const [receiver] = group?.ready ?? [];
      if (group === undefined || receiver === undefined) return;
      // Both move to the end of their line, so that groups and receivers take turns.
      ready.delete(group);
      group.ready.delete(receiver);
      const next = receiver.waiting.shift();
      if (next !== undefined) start(receiver, next);
      updateReady(receiver);
    }
  }

  return {
    get running() {
      return running;
    },
    get unresponsive() {
      return unresponsive;
    },
    successesPerSecond(name) {
      const receiver = receivers.get(name);
      if (receiver === undefined) return 0;
      return rateOf(receiver, clock.monotonicMs());
    },
    isUnresponsive(name) {
      const receiver = receivers.get(name);
      return receiver !== undefined && (receiver.isUnresponsive || isStuck(receiver, clock.monotonicMs(), silentMs));
    },
    isHealthy(name) {
      const receiver = receivers.get(name);
      if (receiver === undefined) return true;
      return !(receiver.isUnresponsive || receiver.isFailing || isStuck(receiver, clock.monotonicMs(), progressMs));
    },
    offer(name, group, job) {
      const receiver = receivers.ensure(name, group);
      const hasSlot = running < total && receiver.group.running < perGroup && receiver.running < receiver.window;
      if (hasSlot && receiver.waiting.length === 0) {
        start(receiver, job);
        return true;
      }
      if (!mayWait(receiver)) return false;
      if (receiver.running + receiver.waiting.length === 0) receiver.progressAtMs = clock.monotonicMs();
      receiver.waiting.push(job);
      updateReady(receiver);
      return true;
    },
    sweep() {
      for (const receiver of receivers.all()) {
        if (receiver.waiting.length > 0 && isStuck(receiver, clock.monotonicMs(), progressMs)) deferWaiting(receiver);
      }
    },
  };
}
