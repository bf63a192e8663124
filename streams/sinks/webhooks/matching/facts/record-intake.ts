import { scopeKey } from '../../record/scope-key.ts';
import type { Clock } from '../../../../../core/kernel/clock.ts';
import type { Logger } from '../../../../../core/kernel/logger.ts';
import type { Signal } from '../../../../../core/kernel/flow/signal.ts';
import type { CommitRecord } from '../../../../../core/vocabulary/facts/commit-record.ts';
import { decodeRecord } from '../../../../facts/decode-record.ts';
import type { Log, LogRecord } from '../../../../log/log.ts';
import { inBatches } from '../delivery-batches.ts';
import type { DeliveryTurns } from '../delivery-turns.ts';
import type { LaggingGames, NewTask } from '../lagging-games.ts';
import { MATCHING_LIMITS } from '../limits.ts';
import type { MatcherPosition } from '../matcher-position.ts';
import type { Subscriptions } from '../subscriptions.ts';
import { gamesOf, matchRecord } from './match-record.ts';
import type { MatchWindow, ReadRecord } from './match-window.ts';
import { noteErasures } from './note-erasures.ts';

interface TaskOptions {
  from: MatcherPosition;
  subscriptions: Subscriptions;
  isHealthy: (webhook: string) => boolean;
}

export interface RecordIntakeOptions extends TaskOptions {
  log: Log;
  clock: Clock;
  logger: Logger;
  window: MatchWindow;
  turns: Pick<DeliveryTurns, 'add'>;
  lagging: Pick<LaggingGames, 'matches'>;
  /** Waits for the definitions a record was decided under. False: matching is over. */
  isConfigSeen: (revision: number) => Promise<boolean>;
  isOver: () => boolean;
  onFailure: (error: unknown) => void;
  /** Raised when records of the window are done. */
  signal: Signal;
}

/** Matches the records of the common reader, and holds each in the window until its deliveries are stored. */
export interface RecordIntake {
  /** Adds the tasks of a record for all games that do not lag. False: matching is over. */
  add(record: LogRecord): Promise<boolean>;
  /** Whether the records without stored deliveries use all of `matcherWindowBytes`. */
  readonly isFull: boolean;
  /** A record that cannot be read. Matching ends once all before it is stored. */
  readonly blocked: { error: unknown; sequence: number } | undefined;
}

export function createRecordIntake(options: RecordIntakeOptions): RecordIntake {
  const { log, clock, logger, from, window, turns, lagging, isConfigSeen, isOver, onFailure, signal } = options;
  let windowBytes = 0;
  let blocked: { error: unknown; sequence: number } | undefined;

  /** `undefined`: matching waits before the record, because skipping it would lose its deliveries. */
  function decode(record: LogRecord): CommitRecord | undefined {
    const { sequence } = record;
    try {
      return decodeRecord(record);
    } catch (error) {
      logger.error({ err: error, sequence }, 'webhooks: matching waits at a FACTS record that it cannot read');
      blocked = { error, sequence };
      return undefined;
    }
  }

  async function add(logRecord: LogRecord): Promise<boolean> {
    if (blocked !== undefined) return true;
    const { sequence } = logRecord;
    const commit = decode(logRecord);
    if (commit === undefined) return true;
    if (!(await isConfigSeen(commit.configRevision))) return false;
    const record = window.add(sequence);
    for (const task of tasksOf(logRecord, commit, options)) {
      if (lagging.matches(scopeKey(task.scope), sequence)) continue;
      window.hold(record);
      windowBytes += task.sizeBytes;
      turns.add({ ...task, onDone: () => taskDone(record, task.sizeBytes) });
    }
    noteErasuresOf(commit, record);
    window.release(record);
    return true;
  }

  function taskDone(record: ReadRecord, sizeBytes: number): void {
    windowBytes -= sizeBytes;
    window.release(record);
    signal.notify();
  }

  function noteErasuresOf(commit: CommitRecord, record: ReadRecord): void {
    if (!commit.facts.some(({ kind }) => kind === 'PlayerErased')) return;
    window.hold(record);
    const place = { created: from.stream, sequence: record.sequence };
    void noteErasures({ log, clock, logger, givenUp: isOver }, commit, place)
      .then(() => {
        if (isOver()) return;
        window.release(record);
        signal.notify();
      })
      .catch(onFailure);
  }

  return {
    add,
    get isFull() {
      return windowBytes >= MATCHING_LIMITS.matcherWindowBytes;
    },
    get blocked() {
      return blocked;
    },
  };
}

/** The tasks of a record, one per game with webhooks. */
export function* tasksOf(
  { sequence, data }: LogRecord,
  commit: CommitRecord,
  { from, subscriptions, isHealthy }: TaskOptions,
): Generator<NewTask> {
  const place = { created: from.stream, sequence };
  for (const { scope, indexes } of gamesOf(commit, subscriptions)) {
    const sizeBytes = Math.ceil((data.byteLength * indexes.length) / commit.facts.length);
    const deliveries = inBatches(matchRecord(commit, place, subscriptions, isHealthy, indexes));
    yield { sequence, scope, sizeBytes, deliveries };
  }
}
