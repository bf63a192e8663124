import type { Adjustable } from '../../core/kernel/adjustable.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import type { StreamName } from '../../core/vocabulary/stream-name.ts';
import { LOG_LIMITS } from './limits.ts';
import type { Log, LogRecord, Reader } from './log.ts';
import type { HandOver } from './own-appends.ts';
import { createRecordWindow } from './record-window.ts';

/**
 * The source of a shared reader's records, each once and in order, from where it began.
 *
 * States: closed; reading the log with one consumer; following the hand-over. It changes between the last two behind a
 * record that both gave, and back to the log after a gap.
 */
export interface SharedSource {
  readonly isOpen: boolean;
  /** Records that wait at the broker. */
  readonly pending: number;
  /** Opens it: with the hand-over's records, if the hand-over holds this one, otherwise soon at the log's end. */
  open(near: LogRecord): void;
  close(): void;
}

export interface SharedReaderOptions {
  log: Pick<Log, 'info' | 'read'>;
  clock: Clock;
  logger: Logger;
  stream: StreamName;
  /** How the shared reader gathers records, as in `ReadOptions`. */
  gatherMs?: number;
  /** What this process appends to the stream. */
  handOver?: HandOver | undefined;
  limits?: Adjustable<
    typeof LOG_LIMITS,
    'sharedReaderRecords' | 'sharedReaderBytes' | 'sharedReaderNear' | 'sharedReaderReopenMs'
  >;
}

export interface SharedSourceOptions extends SharedReaderOptions {
  /** Whether the source is still wanted, once the log's end is known. */
  isWanted: () => boolean;
  onRecords: (records: readonly LogRecord[]) => void;
  /** After some calls of `onRecords`, and when the source may hold what it did not hold before. */
  onWaiting: () => void;
  /** The log's consumer has ended. */
  onEnded: () => void;
}

export function createSharedSource(options: SharedSourceOptions): SharedSource {
  const { log, clock, logger, stream, gatherMs, limits = LOG_LIMITS, onWaiting } = options;
  let state: 'closed' | 'log' | 'handed' = 'closed';
  /** The consumer in the state `log`. */
  let consumer: Reader | undefined;
  /** The last record given. */
  let tail: LogRecord | undefined;
  /** The last records handed over while they are not the source. */
  const handed = createRecordWindow();
  let opening = false;
  let reopenFromMs = -Infinity;

  function give(records: readonly LogRecord[]): void {
    options.onRecords(records);
    tail = records.at(-1) ?? tail;
  }

  async function openAtEnd(): Promise<void> {
    if (opening || clock.monotonicMs() < reopenFromMs) return;
    opening = true;
    try {
      const { lastSequence } = await log.info(stream);
      if (options.isWanted() && state === 'closed') readLog(lastSequence + 1);
    } catch (error) {
      // The log is closed, or its stream is gone: the sinks that are apart find the same.
      logger.debug({ err: error, stream }, 'the shared reader cannot be opened');
      reopenFromMs = clock.monotonicMs() + limits.sharedReaderReopenMs;
    }
    opening = false;
  }

  function readLog(from: number): void {
    consumer = log.read(stream, { from, after: tail, gatherMs, onWaiting: receive });
    state = 'log';
  }

  function receive(): void {
    const from = consumer;
    if (from === undefined) return;
    for (let records = from.take(); records.length > 0; records = from.take()) give(records);
    const hasEnded = from.ended !== undefined;
    if (!hasEnded) followHandOver();
    onWaiting();
    if (!hasEnded || from !== consumer) return;
    reopenFromMs = clock.monotonicMs() + limits.sharedReaderReopenMs;
    options.onEnded();
  }

  /** Replaces the consumer by the hand-over once both gave the same record. */
  function followHandOver(): void {
    const place = handed.placeOf(tail);
    if (place === undefined) return;
    consumer?.stop();
    consumer = undefined;
    useHandOver(place + 1);
  }

  function useHandOver(place: number): void {
    state = 'handed';
    give(handed.from(place));
    handed.drop(handed.length);
  }

  options.handOver?.subscribe({
    onRecords(records) {
      if (state === 'handed') {
        give(records);
        onWaiting();
        return;
      }
      handed.push(records);
      if (handed.length > 2 * limits.sharedReaderNear || handed.bytes > limits.sharedReaderBytes) {
        handed.dropTo(limits.sharedReaderNear / 2, Infinity);
      }
      if (state === 'log') {
        followHandOver();
        onWaiting();
      }
    },
    onGap() {
      handed.drop(handed.length);
      if (state === 'handed' && tail !== undefined) readLog(tail.sequence + 1);
    },
  });

  return {
    get isOpen() {
      return state !== 'closed';
    },
    get pending() {
      return consumer?.pending ?? 0;
    },
    open(near) {
      if (handed.placeOf(near) === undefined) void openAtEnd();
      else useHandOver(handed.first);
    },
    close() {
      consumer?.stop();
      consumer = undefined;
      state = 'closed';
      tail = undefined;
    },
  };
}
