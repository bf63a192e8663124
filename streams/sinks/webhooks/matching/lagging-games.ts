import { scopeKey } from '../record/scope-key.ts';
import { type Clock, sleep } from '../../../../core/kernel/clock.ts';
import type { Adjustable } from '../../../../core/kernel/adjustable.ts';
import { MATCHING_LIMITS } from './limits.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import type { SinkLagMetrics } from '../../../metrics.ts';
import type { WebhookMetrics } from '../record/metrics.ts';
import { createSignal, type Signal } from '../../../../core/kernel/flow/signal.ts';
import type { Log, LogRecord } from '../../../log/log.ts';
import type { Delivery } from '../record/delivery.ts';
import type { DeliveryBatch } from './delivery-batches.ts';
import type { DeliveryTurns } from './delivery-turns.ts';
import type { MatchTask } from './game-tasks.ts';
import { createMatchWindow, type MatchWindow, type ReadRecord } from './facts/match-window.ts';
import type { GameMark } from './matcher-position.ts';

/** The task of one game for one record, before it is added to the turns. */
export type NewTask = Omit<MatchTask, 'onDone' | 'deliveries'> & { deliveries: Generator<DeliveryBatch> };

export interface LaggingGamesOptions {
  log: Log;
  clock: Clock;
  logger: Logger;
  metrics: WebhookMetrics & SinkLagMetrics;
  turns: Pick<DeliveryTurns, 'add' | 'tasksOf' | 'bytesOf' | 'largest'>;
  /** The window of the common reader. */
  commonWindow: MatchWindow;
  /** Decodes a record and waits for its definitions; its tasks, one per game. `undefined`: matching is over. */
  tasksOf: (record: LogRecord) => Promise<Iterable<NewTask> | undefined>;
  onOverflow: (delivery: Delivery) => void;
  /** FACTS was reset. */
  onReset: () => void;
  onFailure: (error: unknown) => void;
  isOver: () => boolean;
  limits?: Adjustable<typeof MATCHING_LIMITS, 'matcherPositionMs'> | undefined;
  /** FACTS needs the room of records below this sequence. */
  wantedBelow: () => number;
  /** Raised when a position has changed. */
  signal: Signal;
}

/**
 * Reads the games that have more deliveries than the others should wait for: each with a reader of its own, at its
 * own pace, until it has caught up with the common reader.
 *
 * States of a game: common; lagging, with its own reader; ahead, when its own reader ended past the common one.
 *
 * Invariants
 * 1. Each record of a game is matched by the common reader or by the game's own, never by both.
 * 2. At most `matcherBehindGames` games lag, each with about `matcherBehindBytes` of open tasks.
 * 3. Records older than `matcherBehindMs`, and those whose room FACTS needs, overflow: FACTS cannot be kept for
 *    a game that never catches up.
 */
export interface LaggingGames {
  /** Whether the common reader must skip this record of a game. */
  matches(game: string, sequence: number): boolean;
  /** Gives the game with the most open tasks a reader of its own. False: there is none, or enough games lag. */
  detachLargest(): boolean;
  /** Starts from stored marks. */
  start(marks: readonly GameMark[]): void;
  /** The positions of games that differ from the common one. */
  marks(): readonly GameMark[];
  /** Wakes all readers, which end because matching is over. */
  stop(): void;
}

interface LaggingGame {
  mark: GameMark;
  window: MatchWindow;
  signal: Signal;
}

const TAKE_RECORDS = 64;

export function createLaggingGames(options: LaggingGamesOptions): LaggingGames {
  const {
    log,
    clock,
    logger,
    metrics,
    turns,
    commonWindow,
    tasksOf,
    isOver,
    signal,
    limits = MATCHING_LIMITS,
  } = options;
  const lagging = new Map<string, LaggingGame>();
  const ahead = new Map<string, GameMark>();

  function startReader(mark: GameMark): LaggingGame {
    const game: LaggingGame = { mark, window: createMatchWindow(mark.sequence), signal: createSignal() };
    lagging.set(scopeKey(mark), game);
    metrics.webhookGamesBehind.set(lagging.size);
    // In a microtask, so that the reader starts behind the records that the caller adds to the window.
    queueMicrotask(() => void catchUp(game).catch(options.onFailure));
    return game;
  }

  function taskDone({ window, signal: ownSignal }: LaggingGame, record: ReadRecord): void {
    window.release(record);
    ownSignal.notify();
    signal.notify();
  }

  /** Reads one game until it has caught up. */
  async function catchUp(game: LaggingGame): Promise<void> {
    const { mark, window, signal: ownSignal } = game;
    const key = scopeKey(mark);
    const reader = log.read('FACTS', { from: window.taken + 1, onWaiting: () => ownSignal.notify() });
    try {
      while (!isOver()) {
        const mayTake = turns.bytesOf(key) < MATCHING_LIMITS.matcherBehindBytes;
        const records = mayTake ? reader.take(TAKE_RECORDS, MATCHING_LIMITS.matcherBehindBytes) : [];
        for (const record of records) if (!(await matchRecordOf(game, record))) return;
        if (records.length > 0) {
          // Other work gets the event loop between two batches.
          await sleep(clock, 0);
          continue;
        }
        if (reader.ended === 'reset') {
          options.onReset();
          return;
        }
        if (turns.bytesOf(key) === 0 && window.taken >= commonWindow.taken) {
          rejoin(game);
          return;
        }
        await ownSignal.wait(clock, limits.matcherPositionMs);
      }
    } finally {
      reader.stop();
    }
  }

  /** False: matching is over. */
  async function matchRecordOf(game: LaggingGame, logRecord: LogRecord): Promise<boolean> {
    const { mark, window } = game;
    const tasks = await tasksOf(logRecord);
    if (tasks === undefined) return false;
    const record = window.add(logRecord.sequence);
    const isTooOld =
      clock.wallMs() - logRecord.storedAtMs > MATCHING_LIMITS.matcherBehindMs ||
      logRecord.sequence < options.wantedBelow();
    for (const task of tasks) {
      if (scopeKey(task.scope) !== scopeKey(mark)) continue;
      if (isTooOld) {
        for (const batch of task.deliveries) for (const delivery of batch) options.onOverflow(delivery);
        continue;
      }
      window.hold(record);
      turns.add({ ...task, onDone: () => taskDone(game, record) });
    }
    window.release(record);
    return true;
  }

  function rejoin({ mark, window }: LaggingGame): void {
    lagging.delete(scopeKey(mark));
    metrics.webhookGamesBehind.set(lagging.size);
    if (window.taken > commonWindow.taken) ahead.set(scopeKey(mark), { ...mark, sequence: window.taken });
    logger.info({ ...mark, sequence: window.taken }, 'webhooks: a game has caught up');
    signal.notify();
  }

  return {
    matches: (game, sequence) => lagging.has(game) || (ahead.get(game)?.sequence ?? 0) >= sequence,
    detachLargest() {
      if (lagging.size >= MATCHING_LIMITS.matcherBehindGames) return false;
      const key = turns.largest((one) => lagging.has(one));
      if (key === undefined) return false;
      const tasks = [...turns.tasksOf(key)];
      const [first] = tasks;
      if (first === undefined) return false;
      ahead.delete(key);
      const game = startReader({ ...first.scope, sequence: first.sequence - 1 });
      for (const task of tasks) {
        const record = game.window.add(task.sequence);
        const releaseCommon = task.onDone;
        task.onDone = () => taskDone(game, record);
        releaseCommon();
      }
      game.window.release(game.window.add(commonWindow.taken));
      logger.warn({ ...game.mark }, 'webhooks: a game has too many deliveries; a reader of its own matches it');
      return true;
    },
    start(marks) {
      for (const mark of marks) {
        if (mark.sequence < commonWindow.taken) startReader(mark);
        else ahead.set(scopeKey(mark), mark);
      }
    },
    marks() {
      for (const [game, { sequence }] of ahead) if (commonWindow.position >= sequence) ahead.delete(game);
      const own = [...lagging.values()].map(({ mark, window }) => ({ ...mark, sequence: window.position }));
      return [...own, ...ahead.values()];
    },
    stop() {
      for (const game of lagging.values()) game.signal.notify();
      metrics.webhookGamesBehind.set(0);
    },
  };
}
