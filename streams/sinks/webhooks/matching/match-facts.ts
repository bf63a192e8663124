import { type Clock, sleep } from '../../../../src/kernel/clock.ts';
import { LIMITS, type Limits } from '../../../../src/kernel/limits.ts';
import type { Logger } from '../../../../src/kernel/logger.ts';
import type { SinkMetrics } from '../../../../src/kernel/metrics.ts';
import { createSignal, type Signal } from '../../../../src/kernel/signal.ts';
import { decodeCommit } from '../../../codec.ts';
import type { Log, LogRecord } from '../../../log/log.ts';
import type { StoredValue } from '../../../stored-value.ts';
import { appendUntilAcked } from '../queue/append-until-acked.ts';
import type { DeliveriesQuota } from '../queue/deliveries-quota.ts';
import { type Delivery, dueSubject, messageIdOf } from '../delivery/delivery.ts';
import { createDeliveryTurns } from './delivery-turns.ts';
import { createDueQuota } from '../queue/due-quota.ts';
import { createMatchWindow, type MatchWindow } from './match-window.ts';
import { type GameMark, type MatcherPosition, matcherPosition, WEBHOOKS_SINK } from './matcher-position.ts';
import { gamesOf, matchRecord } from './matching.ts';
import { noteErasures } from './note-erasures.ts';
import { createPositionSaver } from './position-saver.ts';
import { scopeKey, type Subscriptions } from './subscriptions.ts';
import type { WebhookQuota } from '../queue/webhook-quota.ts';
import type { CommitRecord } from '../../../../actors/vocabulary/commit-record.ts';

export interface MatchFactsOptions {
  log: Log;
  clock: Clock;
  logger: Logger;
  metrics: SinkMetrics;
  subscriptions: Subscriptions;
  webhookQuota: WebhookQuota;
  deliveriesQuota: DeliveriesQuota;
  positions: StoredValue<MatcherPosition>;
  from: MatcherPosition;
  isHealthy: (webhook: string) => boolean;
  onOverflow: (delivery: Delivery) => void;
  /** Waits for the definitions a record was decided under. False: this is over. */
  isConfigSeen: (revision: number) => Promise<boolean>;
  isOver: () => boolean;
  /** Whether it is over as the process stops: then the position is still this process's. */
  isStopping: () => boolean;
  /** Raised when `isOver` may have changed. */
  signal: Signal;
  limits?: Pick<Limits, 'matcherPositionMs'> | undefined;
}

/** A game that is read by itself, as it has more than the others wait for. */
interface Follower {
  mark: GameMark;
  window: MatchWindow;
  signal: Signal;
}

const TAKE_RECORDS = 64;

/**
 * Turns the records of FACTS into deliveries from a position on, until it is over, somebody else moved the position or FACTS was reset.
 * Rejects when the log is closed.
 *
 * All games are read together, and take turns (delivery-turns.ts). Once what was read and is not stored exceeds
 * `LIMITS.matcherWindowBytes`, the game with most of it falls behind: it is read by itself from there, at its own pace, until it has
 * caught up with the others. Nothing of it is lost for as long as FACTS holds it, or `LIMITS.matcherBehindMs`.
 *
 * Invariants
 * 1. The position of a game (its mark, else the common one) moves past a record only after all of its deliveries are stored. So a crash
 *    repeats appends, which their message id makes harmless, and loses none.
 * 2. Each record of a game is matched by the common reader or by the game's own, never by both.
 * 3. The position moves past an erasure only after it is noted for the processes that make deliveries.
 */
export async function matchFacts(options: MatchFactsOptions): Promise<void> {
  const { log, clock, logger, metrics, subscriptions, positions, from, isHealthy, onOverflow, isConfigSeen, signal } =
    options;
  const { limits = LIMITS } = options;
  const followers = new Map<string, Follower>();
  /** Games that were read by themselves past where the others are. */
  const ahead = new Map<string, GameMark>();
  const window = createMatchWindow(from.reach ?? from.sequence);
  const reader = log.read('FACTS', { from: window.taken + 1, onWaiting: () => signal.notify() });
  let windowBytes = 0;
  let failure: { error: unknown } | undefined;
  let isReset = false;
  let closed = false;
  const isOver = (): boolean => closed || options.isOver();

  const dueQuota = createDueQuota({ log, clock, onQuota: () => turns.resume() });
  const turns = createDeliveryTurns({
    clock,
    webhookQuota: options.webhookQuota,
    dueQuota,
    deliveriesQuota: options.deliveriesQuota,
    append,
    onOverflow,
    onFailure: fail,
  });

  function fail(error: unknown): void {
    failure ??= { error };
    signal.notify();
  }

  async function append(delivery: Delivery, bytes: Uint8Array): Promise<boolean> {
    const terms = { log, clock, logger, givenUp: isOver, waitsWhenFull: true };
    const outcome = await appendUntilAcked(terms, dueSubject(delivery.webhook), bytes, {
      messageId: messageIdOf(delivery),
    });
    return outcome !== 'given_up';
  }

  function read(record: LogRecord): CommitRecord | undefined {
    try {
      return decodeCommit(record.data);
    } catch (error) {
      logger.error({ err: error, sequence: record.sequence }, 'webhooks: a FACTS record cannot be read; passed over');
      return undefined;
    }
  }

  const isReadApart = (game: string, sequence: number): boolean =>
    followers.has(game) || (ahead.get(game)?.sequence ?? 0) >= sequence;

  /** False: this is over. */
  async function takeUp(logRecord: LogRecord): Promise<boolean> {
    const { sequence } = logRecord;
    const commit = read(logRecord);
    if (commit !== undefined && !(await isConfigSeen(commit.configRevision))) return false;
    const record = window.add(sequence);
    if (commit !== undefined) {
      addTasks(logRecord, commit, (game) => !isReadApart(game, sequence), {
        onAdd: (sizeBytes) => {
          window.hold(record);
          windowBytes += sizeBytes;
        },
        onDone: (sizeBytes) => {
          windowBytes -= sizeBytes;
          window.release(record);
          signal.notify();
        },
      });
      noteErasuresOf(commit, sequence, record);
    }
    window.release(record);
    return true;
  }

  function noteErasuresOf(commit: CommitRecord, sequence: number, record: ReturnType<MatchWindow['add']>): void {
    if (!commit.facts.some(({ kind }) => kind === 'PlayerErased')) return;
    window.hold(record);
    void noteErasures({ log, clock, logger, givenUp: isOver }, commit, { created: from.stream, sequence })
      .then(() => {
        if (isOver()) return;
        window.release(record);
        signal.notify();
      })
      .catch(fail);
  }

  /** Gives each game that `takes` says its deliveries of a record as a task. */
  function addTasks(
    { sequence, data }: LogRecord,
    commit: CommitRecord,
    takes: (game: string) => boolean,
    { onAdd, onDone }: { onAdd: (sizeBytes: number) => void; onDone: (sizeBytes: number) => void },
  ): void {
    const place = { created: from.stream, sequence };
    for (const { scope, indexes } of gamesOf(commit, subscriptions)) {
      if (!takes(scopeKey(scope))) continue;
      const sizeBytes = Math.ceil((data.byteLength * indexes.length) / commit.facts.length);
      const deliveries = matchRecord(commit, place, subscriptions, isHealthy, indexes);
      onAdd(sizeBytes);
      turns.add({ sequence, scope, sizeBytes, deliveries, onDone: () => onDone(sizeBytes) });
    }
  }

  /** The game with most of what was read goes on by itself. False: there is none, or enough of them do. */
  function letFallBehind(): boolean {
    if (followers.size >= LIMITS.matcherBehindGames) return false;
    const game = turns.most((one) => followers.has(one));
    if (game === undefined) return false;
    const tasks = [...turns.tasksOf(game)];
    const [first] = tasks;
    if (first === undefined) return false;
    ahead.delete(game);
    const follower = follow({ ...first.scope, sequence: first.sequence - 1 });
    for (const task of tasks) {
      const record = follower.window.add(task.sequence);
      const release = task.onDone;
      task.onDone = () => doneApart(follower, record);
      release();
    }
    follower.window.release(follower.window.add(window.taken));
    logger.warn(
      { ...follower.mark },
      'webhooks: a game has more deliveries than the others wait for; it is matched by itself',
    );
    return true;
  }

  function doneApart({ window: own, signal: ownSignal }: Follower, record: ReturnType<MatchWindow['add']>): void {
    own.release(record);
    ownSignal.notify();
    signal.notify();
  }

  function follow(mark: GameMark): Follower {
    const follower: Follower = { mark, window: createMatchWindow(mark.sequence), signal: createSignal() };
    followers.set(scopeKey(mark), follower);
    metrics.webhookGamesBehind.set(followers.size);
    // Its reader begins behind what it was given of what was read already.
    queueMicrotask(() => void catchUp(follower).catch(fail));
    return follower;
  }

  /** Reads one game until it has caught up. */
  async function catchUp(follower: Follower): Promise<void> {
    const { mark, window: own, signal: ownSignal } = follower;
    const game = scopeKey(mark);
    const ownReader = log.read('FACTS', { from: own.taken + 1, onWaiting: () => ownSignal.notify() });
    try {
      while (!isOver()) {
        const mayTake = turns.bytesOf(game) < LIMITS.matcherBehindBytes;
        const records = mayTake ? ownReader.take(TAKE_RECORDS, LIMITS.matcherBehindBytes) : [];
        for (const record of records) if (!(await takeUpApart(follower, record))) return;
        if (records.length > 0) {
          // Others have their turn between two batches.
          await sleep(clock, 0);
          continue;
        }
        if (ownReader.ended === 'reset') {
          isReset = true;
          signal.notify();
          return;
        }
        if (turns.bytesOf(game) === 0 && own.taken >= window.taken) {
          rejoin(follower);
          return;
        }
        await ownSignal.wait(clock, limits.matcherPositionMs);
      }
    } finally {
      ownReader.stop();
    }
  }

  async function takeUpApart(follower: Follower, logRecord: LogRecord): Promise<boolean> {
    const { mark, window: own } = follower;
    const game = scopeKey(mark);
    const commit = read(logRecord);
    if (commit !== undefined && !(await isConfigSeen(commit.configRevision))) return false;
    const record = own.add(logRecord.sequence);
    const isTooOld = clock.wallMs() - logRecord.storedAtMs > LIMITS.matcherBehindMs;
    if (commit !== undefined && isTooOld) passOver(commit, logRecord, game);
    else if (commit !== undefined) {
      const held = { onAdd: () => own.hold(record), onDone: () => doneApart(follower, record) };
      addTasks(logRecord, commit, (one) => one === game, held);
    }
    own.release(record);
    return true;
  }

  /** FACTS cannot be kept for a game that never catches up. */
  function passOver(commit: CommitRecord, { sequence }: LogRecord, game: string): void {
    for (const { scope, indexes } of gamesOf(commit, subscriptions)) {
      if (scopeKey(scope) !== game) continue;
      const place = { created: from.stream, sequence };
      for (const delivery of matchRecord(commit, place, subscriptions, isHealthy, indexes)) onOverflow(delivery);
    }
  }

  function rejoin({ mark, window: own }: Follower): void {
    followers.delete(scopeKey(mark));
    metrics.webhookGamesBehind.set(followers.size);
    if (own.taken > window.taken) ahead.set(scopeKey(mark), { ...mark, sequence: own.taken });
    logger.info({ ...mark, sequence: own.taken }, 'webhooks: a game has caught up');
    signal.notify();
  }

  function present(): MatcherPosition {
    for (const [game, { sequence }] of ahead) if (window.position >= sequence) ahead.delete(game);
    const apart = [...followers.values()].map(({ mark, window: own }) => ({ ...mark, sequence: own.position }));
    return matcherPosition(from.stream, window.position, [...apart, ...ahead.values()]);
  }

  const saver = createPositionSaver({
    clock,
    positions,
    from,
    present,
    stored: () => turns.stored,
    isOver,
    signal,
    limits,
  });
  for (const mark of from.games ?? []) {
    if (mark.sequence < window.taken) follow(mark);
    else ahead.set(scopeKey(mark), mark);
  }
  try {
    while (!isOver()) {
      const mayTake = windowBytes < LIMITS.matcherWindowBytes;
      const records = mayTake ? reader.take(TAKE_RECORDS, LIMITS.matcherBatchBytes) : [];
      metrics.sinkLag.set({ sink: WEBHOOKS_SINK }, reader.pending);
      for (const record of records) if (!(await takeUp(record))) return;
      while (windowBytes >= LIMITS.matcherWindowBytes && letFallBehind());
      if (failure !== undefined) throw failure.error;
      if (!(await saver.saveInTime())) return;
      if (records.length > 0) {
        await sleep(clock, 0);
        continue;
      }
      if (isReset || reader.ended === 'reset') return;
      await signal.wait();
    }
  } finally {
    saver.stop();
    closed = true;
    turns.stop();
    dueQuota.stop();
    reader.stop();
    for (const follower of followers.values()) follower.signal.notify();
    metrics.webhookGamesBehind.set(0);
    if (options.isStopping()) await saver.saveLast();
  }
}
