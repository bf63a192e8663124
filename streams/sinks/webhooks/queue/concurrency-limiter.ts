import type { Clock } from '../../../../core/kernel/clock.ts';

/**
 * How a receiver did in one job: `healthy` accepted the delivery, `failing` answered with an error, `unresponsive`
 * did not answer (in time), `unknown` was not contacted.
 */
export type Health = 'healthy' | 'failing' | 'unresponsive' | 'unknown';

/** One attempt to deliver to a receiver. */
export interface Job {
  /** Never rejects. */
  run(): Promise<Health>;
  /** Called instead of `run` for a waiting job whose receiver stops making progress. */
  defer(): void;
}

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

interface Receiver {
  name: string;
  group: Group;
  running: number;
  /** Jobs that may run at once: plus one with every success, half after an error, 1 once unresponsive. */
  window: number;
  /** Whether the last job got no answer. */
  isUnresponsive: boolean;
  /** Whether the last job got an error as its answer. */
  isFailing: boolean;
  /** When a job last ended; for an idle receiver, when the next one came. */
  progressAtMs: number;
  waiting: Job[];
  /** Successful jobs since `secondFromMs`, and in the second before it. */
  successes: number;
  successesBefore: number;
  secondFromMs: number;
}

interface Group {
  name: string;
  /** Receivers of this group that are in memory. */
  receivers: number;
  running: number;
  /** Receivers with waiting jobs and a free slot in their window, in the order of their turns. */
  ready: Set<Receiver>;
}

/** Window of a new receiver: enough to start quickly, few slots lost if it is unresponsive. */
const FIRST_WINDOW = 4;
/** Jobs that may wait for each slot of the window. */
const WAITING_PER_SLOT = 16;
/** How long a job may wait for a fast receiver. */
const WAIT_SECONDS = 2;
const SECOND_MS = 1_000;

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
  const receivers = new Map<string, Receiver>();
  const groups = new Map<string, Group>();
  const ready = new Set<Group>();
  let running = 0;
  let unresponsive = 0;

  function groupOf(name: string): Group {
    const group = groups.get(name) ?? { name, receivers: 0, running: 0, ready: new Set() };
    groups.set(name, group);
    return group;
  }

  function receiverOf(name: string, groupName: string): Receiver {
    const known = receivers.get(name);
    if (known !== undefined) return known;
    if (receivers.size >= maxReceivers) {
      for (const one of receivers.values()) if (one.running === 0 && one.waiting.length === 0) forget(one);
    }
    const nowMs = clock.monotonicMs();
    const group = groupOf(groupName);
    group.receivers += 1;
    const receiver: Receiver = {
      name,
      group,
      running: 0,
      window: FIRST_WINDOW,
      isUnresponsive: false,
      isFailing: false,
      progressAtMs: nowMs,
      waiting: [],
      successes: 0,
      successesBefore: 0,
      secondFromMs: nowMs,
    };
    receivers.set(name, receiver);
    return receiver;
  }

  function forget(receiver: Receiver): void {
    if (receiver.isUnresponsive) unresponsive -= 1;
    receivers.delete(receiver.name);
    receiver.group.receivers -= 1;
    if (receiver.group.receivers === 0) groups.delete(receiver.group.name);
  }

  function mayWait(receiver: Receiver): boolean {
    const accepts = Math.min(waitingPerFastReceiver, rateOf(receiver) * WAIT_SECONDS);
    const quota = Math.max(accepts, Math.min(waitingPerReceiver, receiver.window * WAITING_PER_SLOT));
    return !receiver.isUnresponsive && receiver.waiting.length < quota && !isStuck(receiver, progressMs);
  }

  function isStuck(receiver: Receiver, forMs: number): boolean {
    return receiver.running + receiver.waiting.length > 0 && clock.monotonicMs() - receiver.progressAtMs >= forMs;
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
    receiver.running -= 1;
    receiver.group.running -= 1;
    running -= 1;
    receiver.progressAtMs = clock.monotonicMs();
    receiver.window = nextWindow(receiver.window, health, perReceiver);
    startNewSecond(receiver);
    if (health === 'healthy') receiver.successes += 1;
    if (health !== 'unknown') {
      unresponsive += Number(health === 'unresponsive') - Number(receiver.isUnresponsive);
      receiver.isUnresponsive = health === 'unresponsive';
      receiver.isFailing = health === 'failing';
    }
    if (receiver.isUnresponsive) deferWaiting(receiver);
    updateReady(receiver);
    pump();
  }

  /** Starts a new second of the success count once the current one is over. */
  function startNewSecond(receiver: Receiver): void {
    const passedMs = clock.monotonicMs() - receiver.secondFromMs;
    if (passedMs < SECOND_MS) return;
    receiver.successesBefore = passedMs < 2 * SECOND_MS ? receiver.successes : 0;
    receiver.successes = 0;
    receiver.secondFromMs += passedMs;
  }

  function rateOf(receiver: Receiver): number {
    startNewSecond(receiver);
    return Math.max(receiver.successes, receiver.successesBefore);
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
      return rateOf(receiver);
    },
    isUnresponsive(name) {
      const receiver = receivers.get(name);
      return receiver !== undefined && (receiver.isUnresponsive || isStuck(receiver, silentMs));
    },
    isHealthy(name) {
      const receiver = receivers.get(name);
      if (receiver === undefined) return true;
      return !(receiver.isUnresponsive || receiver.isFailing || isStuck(receiver, progressMs));
    },
    offer(name, group, job) {
      const receiver = receiverOf(name, group);
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
      for (const receiver of receivers.values()) {
        if (receiver.waiting.length > 0 && isStuck(receiver, progressMs)) deferWaiting(receiver);
      }
    },
  };
}

function nextWindow(window: number, health: Health, most: number): number {
  switch (health) {
    case 'healthy':
      return Math.min(most, window + 1);
    case 'failing':
      return Math.max(1, Math.floor(window / 2));
    case 'unresponsive':
      return 1;
    case 'unknown':
      return window;
  }
}
