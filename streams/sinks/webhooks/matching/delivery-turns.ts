import type { Cancel, Clock } from '../../../../src/kernel/clock.ts';
import { LIMITS } from '../../../../src/kernel/limits.ts';
import { createAppendWindow } from './append-window.ts';
import type { DeliveriesQuota } from '../queue/deliveries-quota.ts';
import { type Delivery, encodeDelivery } from '../delivery/delivery.ts';
import type { DueQuota } from '../queue/due-quota.ts';
import { scopeKey } from './subscriptions.ts';
import type { WebhookQuota } from '../queue/webhook-quota.ts';
import type { Scope } from '../../../../actors/vocabulary/scope.ts';

/** What one record means for one game: its deliveries, made as they are needed. */
export interface MatchTask {
  readonly scope: Scope;
  readonly sequence: number;
  /** Its share of the record's bytes. */
  readonly sizeBytes: number;
  readonly deliveries: Iterator<Delivery>;
  /** Called once all of its deliveries are stored. */
  onDone: () => void;
}

export interface DeliveryTurnsOptions {
  clock: Clock;
  webhookQuota: WebhookQuota;
  dueQuota: Pick<DueQuota, 'has' | 'add'>;
  deliveriesQuota: DeliveriesQuota;
  /** Stores a delivery however long that takes. False: it was given up. Rejects when the log is closed. */
  append: (delivery: Delivery, bytes: Uint8Array) => Promise<boolean>;
  /** Too many wait for its webhook or its game: it is not stored. */
  onOverflow: (delivery: Delivery) => void;
  onFailure: (error: unknown) => void;
}

/**
 * Stores the deliveries of many games, in turns of bytes (deficit round robin): however much one game has, another waits for one turn
 * of each game before it.
 *
 * Invariants
 * 1. Tasks of one game are taken up in order. At most a window of appends (append-window.ts) and `LIMITS.matcherAppendBytes` are
 *    under way, and half of each for one game.
 * 2. A game that has its share of what is due (due-room.ts), or whose waiting deliveries are being counted, waits by itself. Only
 *    when DELIVERIES as a whole has no room do all wait.
 */
export interface DeliveryTurns {
  add(task: MatchTask): void;
  /** Tasks of a game (by scope key) that are not done, in order, and their bytes. */
  tasksOf(game: string): Iterable<MatchTask>;
  bytesOf(game: string): number;
  /** The game that has most of those bytes, but for `except`. */
  most(except: (game: string) => boolean): string | undefined;
  /** A game that waited for room to have deliveries due may have it. */
  resume(): void;
  /** Takes up nothing more. */
  stop(): void;
  /** Deliveries that were stored. */
  readonly stored: number;
}

interface Next {
  task: MatchTask;
  delivery: Delivery;
  /** Present once it has its room. */
  bytes: Uint8Array | undefined;
}

interface Queue {
  game: string;
  scope: Scope;
  /** Not done, in order. */
  tasks: Set<MatchTask>;
  /** Those of them that may have deliveries left. */
  left: MatchTask[];
  underWay: Map<MatchTask, number>;
  next: Next | undefined;
  bytes: number;
  appends: number;
  appendBytes: number;
  /** Bytes it may still store in this turn. */
  deficit: number;
  /** What waits for it is being counted. */
  isCounting: boolean;
}

/** Bytes of one turn: most deliveries are a few hundred, and the largest takes two turns. */
const TURN_BYTES = 64 * 1024;
/** What passing over a delivery counts as. */
const PASS_BYTES = 1_024;
/** Deliveries looked at before others use the event loop. */
const STEPS_AT_ONCE = 256;
/** What a delivery's record holds beside its data, about. */
const FRAME_BYTES = 512;

export function createDeliveryTurns(options: DeliveryTurnsOptions): DeliveryTurns {
  const { clock, webhookQuota, dueQuota, deliveriesQuota, append, onOverflow, onFailure } = options;
  const queues = new Map<string, Queue>();
  /** Games whose turn comes, in order. */
  const ready = new Set<Queue>();
  /** Games that wait for what they have due to be delivered. */
  const parked = new Set<Queue>();
  let appends = 0;
  let appendBytes = 0;
  let stored = 0;
  let isBlocked = false;
  let stopped = false;
  let cancelPump: Cancel | undefined;
  const window = createAppendWindow();

  function fail(error: unknown): void {
    if (stopped) return;
    stopped = true;
    onFailure(error);
  }

  function queueOf(scope: Scope): Queue {
    const game = scopeKey(scope);
    const queue: Queue = queues.get(game) ?? {
      game,
      scope,
      tasks: new Set(),
      left: [],
      underWay: new Map(),
      next: undefined,
      bytes: 0,
      appends: 0,
      appendBytes: 0,
      deficit: 0,
      isCounting: false,
    };
    queues.set(game, queue);
    return queue;
  }

  function makeReady(queue: Queue): void {
    if (!queue.isCounting && !parked.has(queue)) ready.add(queue);
  }

  function pumpSoon(): void {
    cancelPump ??= clock.timer(0, () => {
      cancelPump = undefined;
      pump();
    });
  }

  function pump(): void {
    for (let steps = 0; ; steps++) {
      if (stopped || isBlocked || appends >= window.size || appendBytes >= LIMITS.matcherAppendBytes) return;
      const [queue] = ready;
      if (queue === undefined) return;
      if (steps === STEPS_AT_ONCE) {
        pumpSoon();
        return;
      }
      if (queue.deficit <= 0) {
        // Its turn is over: to the end of the line.
        queue.deficit += TURN_BYTES;
        ready.delete(queue);
        ready.add(queue);
      } else step(queue);
    }
  }

  /** Stores, or passes over, one delivery of a game; or takes the game out of the line until it can go on. */
  function step(queue: Queue): void {
    const next = (queue.next ??= nextOf(queue));
    if (next === undefined) {
      ready.delete(queue);
      queue.deficit = 0;
      return;
    }
    if (queue.appends >= window.size / 2 || queue.appendBytes >= LIMITS.matcherAppendBytes / 2) {
      ready.delete(queue);
      return;
    }
    if (!dueQuota.has(queue.scope)) {
      ready.delete(queue);
      parked.add(queue);
      return;
    }
    if (next.bytes === undefined) {
      const taken = webhookQuota.take(next.delivery, next.delivery.data.length + FRAME_BYTES);
      if (typeof taken !== 'boolean') {
        ready.delete(queue);
        queue.isCounting = true;
        void taken.then((isTaken) => counted(queue, next, isTaken)).catch(fail);
        return;
      }
      if (!grant(queue, next, taken)) return;
    }
    store(queue, next);
  }

  function counted(queue: Queue, next: Next, isTaken: boolean): void {
    if (stopped) return;
    queue.isCounting = false;
    grant(queue, next, isTaken);
    makeReady(queue);
    pump();
  }

  /** False: the delivery is passed over. */
  function grant(queue: Queue, next: Next, isTaken: boolean): boolean {
    if (isTaken) {
      next.bytes = encodeDelivery(next.delivery);
      return true;
    }
    queue.next = undefined;
    queue.deficit -= PASS_BYTES;
    onOverflow(next.delivery);
    return false;
  }

  function store(queue: Queue, next: Next): void {
    const { task, delivery, bytes = encodeDelivery(delivery) } = next;
    const sizeBytes = bytes.byteLength;
    if (!deliveriesQuota.take(sizeBytes)) {
      isBlocked = true;
      void deliveriesQuota
        .waitFor(sizeBytes, () => stopped)
        .then(() => {
          isBlocked = false;
          pump();
        })
        .catch(fail);
      return;
    }
    queue.next = undefined;
    queue.deficit -= sizeBytes;
    queue.underWay.set(task, (queue.underWay.get(task) ?? 0) + 1);
    count(queue, 1, sizeBytes);
    const settled = dueQuota.add(delivery, sizeBytes);
    const sentAtMs = clock.monotonicMs();
    void append(delivery, bytes)
      .then((isStored) => {
        if (!isStored) return;
        settled();
        window.answered(clock.monotonicMs() - sentAtMs);
        appended(queue, task, sizeBytes);
      })
      .catch(fail);
  }

  function appended(queue: Queue, task: MatchTask, sizeBytes: number): void {
    count(queue, -1, -sizeBytes);
    stored += 1;
    const left = (queue.underWay.get(task) ?? 0) - 1;
    if (left > 0) queue.underWay.set(task, left);
    else queue.underWay.delete(task);
    if (left === 0 && !queue.left.includes(task)) done(queue, task);
    makeReady(queue);
    pump();
  }

  function count(queue: Queue, number: 1 | -1, sizeBytes: number): void {
    appends += number;
    appendBytes += sizeBytes;
    queue.appends += number;
    queue.appendBytes += sizeBytes;
  }

  function nextOf(queue: Queue): Next | undefined {
    for (let [task] = queue.left; task !== undefined; [task] = queue.left) {
      const found = task.deliveries.next();
      if (found.done !== true) return { task, delivery: found.value, bytes: undefined };
      queue.left.shift();
      if (!queue.underWay.has(task)) done(queue, task);
    }
    return undefined;
  }

  function done(queue: Queue, task: MatchTask): void {
    queue.tasks.delete(task);
    queue.bytes -= task.sizeBytes;
    if (queue.tasks.size === 0) queues.delete(queue.game);
    task.onDone();
  }

  return {
    add(task) {
      const queue = queueOf(task.scope);
      queue.tasks.add(task);
      queue.left.push(task);
      queue.bytes += task.sizeBytes;
      makeReady(queue);
      pumpSoon();
    },
    tasksOf: (game) => queues.get(game)?.tasks ?? [],
    bytesOf: (game) => queues.get(game)?.bytes ?? 0,
    most(except) {
      let most: Queue | undefined;
      for (const queue of queues.values()) {
        if (!except(queue.game) && queue.bytes > (most?.bytes ?? 0)) most = queue;
      }
      return most?.game;
    },
    resume() {
      const waited = [...parked];
      parked.clear();
      for (const queue of waited) makeReady(queue);
      pump();
    },
    stop() {
      stopped = true;
      cancelPump?.();
    },
    get stored() {
      return stored;
    },
  };
}
