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

export interface Receiver {
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

export interface Group {
  name: string;
  /** Receivers of this group that are in memory. */
  receivers: number;
  running: number;
  /** Receivers with waiting jobs and a free slot in their window, in the order of their turns. */
  ready: Set<Receiver>;
}

/** Window of a new receiver: enough to start quickly, few slots lost if it is unresponsive. */
const FIRST_WINDOW = 4;
const SECOND_MS = 1_000;

/** The receivers in memory, and their groups. */
export interface Receivers {
  get(name: string): Receiver | undefined;
  /** The receiver; a new one if it is not in memory. The idle ones are forgotten once there are `maxReceivers`. */
  ensure(name: string, group: string): Receiver;
  all(): Iterable<Receiver>;
}

export function createReceivers(clock: Clock, maxReceivers: number, onForget: (receiver: Receiver) => void): Receivers {
  const receivers = new Map<string, Receiver>();
  const groups = new Map<string, Group>();

  function groupOf(name: string): Group {
    const group = groups.get(name) ?? { name, receivers: 0, running: 0, ready: new Set() };
    groups.set(name, group);
    return group;
  }

  function ensure(name: string, groupName: string): Receiver {
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
    onForget(receiver);
    receivers.delete(receiver.name);
    receiver.group.receivers -= 1;
    if (receiver.group.receivers === 0) groups.delete(receiver.group.name);
  }

  return { get: (name) => receivers.get(name), ensure, all: () => receivers.values() };
}

/** Whether no job of the receiver has ended for this long. */
export function isStuck(receiver: Receiver, nowMs: number, forMs: number): boolean {
  return receiver.running + receiver.waiting.length > 0 && nowMs - receiver.progressAtMs >= forMs;
}

/** Notes how a job of the receiver ended. */
export function noteEnd(receiver: Receiver, health: Health, nowMs: number, mostWindow: number): void {
  receiver.running -= 1;
  receiver.progressAtMs = nowMs;
  receiver.window = nextWindow(receiver.window, health, mostWindow);
  startNewSecond(receiver, nowMs);
  if (health === 'healthy') receiver.successes += 1;
  if (health === 'unknown') return;
  receiver.isUnresponsive = health === 'unresponsive';
  receiver.isFailing = health === 'failing';
}

/** Successful jobs per second, over the last one or two seconds. */
export function rateOf(receiver: Receiver, nowMs: number): number {
  startNewSecond(receiver, nowMs);
  return Math.max(receiver.successes, receiver.successesBefore);
}

/** Starts a new second of the success count once the current one is over. */
function startNewSecond(receiver: Receiver, nowMs: number): void {
  const passedMs = nowMs - receiver.secondFromMs;
  if (passedMs < SECOND_MS) return;
  receiver.successesBefore = passedMs < 2 * SECOND_MS ? receiver.successes : 0;
  receiver.successes = 0;
  receiver.secondFromMs += passedMs;
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
