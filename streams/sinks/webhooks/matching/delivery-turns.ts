import type { Cancel, Clock } from '../../../../core/kernel/clock.ts';
import type { DeliveriesQuota } from '../queue/deliveries-quota.ts';
import type { Delivery } from '../record/delivery.ts';
import { encodeDeliveries } from '../record/delivery-record.ts';
import { type DeliveryBatch, sizeOf } from './delivery-batches.ts';
import type { DueQuota } from '../queue/due-quota.ts';
import type { MatchTask } from './game-tasks.ts';
import { createAppendBudget, createTurnGames, type Game, type Next } from './turn-games.ts';
import type { WebhookQuota } from '../queue/webhook-quota.ts';

export interface DeliveryTurnsOptions {
  clock: Clock;
  webhookQuota: WebhookQuota;
  dueQuota: Pick<DueQuota, 'has' | 'add'>;
  deliveriesQuota: DeliveriesQuota;
  /** Stores deliveries as one record, however long that takes. False: given up. Rejects when the log is closed. */
  append: (deliveries: DeliveryBatch, bytes: Uint8Array) => Promise<boolean>;
  /** Called instead of `append` when too many deliveries wait for the webhook or the game. */
  onOverflow: (delivery: Delivery) => void;
  onFailure: (error: unknown) => void;
}

/**
 * Stores the deliveries of many games in turns of bytes (deficit round robin): a game waits for at most one turn of
 * each other game, however many deliveries those have.
 *
 * States of a game: ready, while it has a next delivery and may append; parked, while its quota of due deliveries is
 * used up; counting, while the broker counts its waiting deliveries; idle, while it has no deliveries or too many
 * appends.
 *
 * Invariants
 * 1. Tasks of one game are started in order. At most a window of appends (append-window.ts) and
 *    `matcherAppendBytes` are in progress, and half of each for one game.
 * 2. A parked or counting game delays no other game. Only a used-up quota of DELIVERIES as a whole stops all games.
 */
export interface DeliveryTurns {
  add(task: MatchTask): void;
  /** Tasks of a game (by scope key) that are not done, in order, and their bytes. */
  tasksOf(game: string): Iterable<MatchTask>;
  bytesOf(game: string): number;
  /** The game with the most of those bytes, except the games for which `except` is true. */
  largest(except: (game: string) => boolean): string | undefined;
  /** Makes parked games ready: their quota of due deliveries may have changed. */
  resume(): void;
  /** Starts no more appends. */
  stop(): void;
  /** Number of stored deliveries. */
  readonly stored: number;
}

/** Bytes of one turn: most deliveries have a few hundred, and the largest takes two turns. */
const TURN_BYTES = 64 * 1024;
/** Bytes that an overflowed delivery uses of a turn. */
const OVERFLOW_BYTES = 1_024;
/** Deliveries handled before other work gets the event loop. */
const DELIVERIES_AT_ONCE = 256;

export function createDeliveryTurns(options: DeliveryTurnsOptions): DeliveryTurns {
  const { clock, webhookQuota, dueQuota, deliveriesQuota, append, onOverflow, onFailure } = options;
  const games = createTurnGames();
  const budget = createAppendBudget();
  /** In the order of their turns. */
  const ready = new Set<Game>();
  const parked = new Set<Game>();
  let stored = 0;
  let isBlocked = false;
  let stopped = false;
  let cancelPump: Cancel | undefined;

  function fail(error: unknown): void {
    if (stopped) return;
    stopped = true;
    onFailure(error);
  }

  function makeReady(game: Game): void {
    if (!game.isCounting && !parked.has(game)) ready.add(game);
  }

  function pumpSoon(): void {
    cancelPump ??= clock.timer(0, () => {
      cancelPump = undefined;
      pump();
    });
  }

  function pump(): void {
    for (let handled = 0; ;) {
      if (stopped || isBlocked || !budget.hasRoom()) return;
      const [game] = ready;
      if (game === undefined) return;
      if (handled >= DELIVERIES_AT_ONCE) {
        pumpSoon();
        return;
      }
      if (game.deficit <= 0) {
        // Its turn is over: it moves to the end of the line.
        game.deficit += TURN_BYTES;
        ready.delete(game);
        ready.add(game);
        continue;
      }
      const next = (game.next ??= nextOf(game));
      handled += next?.deliveries.length ?? 1;
      if (next !== undefined) step(game, next);
      else {
        ready.delete(game);
        game.deficit = 0;
      }
    }
  }

  /** Stores one record of a game or lets it overflow; or removes the game from `ready` until it can continue. */
  function step(game: Game, next: Next): void {
    if (!budget.hasRoomFor(game)) {
      ready.delete(game);
      return;
    }
    if (!dueQuota.has(game.tasks.scope)) {
      ready.delete(game);
      parked.add(game);
      return;
    }
    if (next.bytes === undefined) {
      const { deliveries } = next;
      const bytes = deliveries.reduce((sum, delivery) => sum + sizeOf(delivery), 0);
      const taken = webhookQuota.take(deliveries[0], bytes, deliveries.length);
      if (typeof taken !== 'boolean') {
        ready.delete(game);
        game.isCounting = true;
        void taken.then((isTaken) => counted(game, next, isTaken)).catch(fail);
        return;
      }
      if (!acceptOrOverflow(game, next, taken)) return;
    }
    store(game, next);
  }

  function nextOf(game: Game): Next | undefined {
    const found = game.tasks.next();
    return found === undefined ? undefined : { ...found, bytes: undefined };
  }

  function counted(game: Game, next: Next, isTaken: boolean): void {
    if (stopped) return;
    game.isCounting = false;
    acceptOrOverflow(game, next, isTaken);
    makeReady(game);
    pump();
  }

  /** False: the deliveries have overflowed. */
  function acceptOrOverflow(game: Game, next: Next, isTaken: boolean): boolean {
    if (isTaken) {
      next.bytes = encodeDeliveries(next.deliveries[0], next.deliveries);
      return true;
    }
    game.next = undefined;
    game.deficit -= OVERFLOW_BYTES * next.deliveries.length;
    for (const delivery of next.deliveries) onOverflow(delivery);
    return false;
  }

  function store(game: Game, next: Next): void {
    const { task, deliveries, bytes = encodeDeliveries(deliveries[0], deliveries) } = next;
    const sizeBytes = bytes.byteLength;
    if (!deliveriesQuota.take(sizeBytes)) {
      waitForQuota(sizeBytes);
      return;
    }
    game.next = undefined;
    game.deficit -= sizeBytes;
    game.tasks.appendStarted(task);
    budget.started(game, sizeBytes);
    const appendCompleted = dueQuota.add(deliveries[0], sizeBytes, deliveries.length);
    const sentAtMs = clock.monotonicMs();
    void append(deliveries, bytes)
      .then((isStored) => {
        if (!isStored) return;
        appendCompleted();
        budget.completed(clock.monotonicMs() - sentAtMs);
        stored += deliveries.length;
        appended(game, task, sizeBytes);
      })
      .catch(fail);
  }

  /** Stops all games until DELIVERIES has quota for the next delivery. */
  function waitForQuota(sizeBytes: number): void {
    isBlocked = true;
    void deliveriesQuota
      .waitFor(sizeBytes, () => stopped)
      .then(() => {
        isBlocked = false;
        pump();
      })
      .catch(fail);
  }

  function appended(game: Game, task: MatchTask, sizeBytes: number): void {
    budget.ended(game, sizeBytes);
    game.tasks.appendCompleted(task);
    makeReady(game);
    pump();
  }

  return {
    add(task) {
      const game = games.of(task.scope);
      game.tasks.add(task);
      makeReady(game);
      pumpSoon();
    },
    tasksOf: (game) => games.get(game)?.tasks.open ?? [],
    bytesOf: (game) => games.get(game)?.tasks.sizeBytes ?? 0,
    largest: (except) => games.largest(except),
    resume() {
      const waited = [...parked];
      parked.clear();
      for (const game of waited) makeReady(game);
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
