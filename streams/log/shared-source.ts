import type { Adjustable } from '../../core/kernel/adjustable.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import type { StreamName } from '../../core/vocabulary/stream-name.ts';
import { LOG_LIMITS } from './limits.ts';
import type { Log, LogRecord, Reader } from './log.ts';

/**
 * The source of a shared reader's records, each once and in order, from where it began: closed, or one consumer.
 */
export interface SharedSource {
  readonly isOpen: boolean;
  /** Records that wait at the broker. */
  readonly pending: number;
  /** Opens it soon, at the log's end. */
  open(): void;
  close(): void;
}

export interface SharedReaderOptions {
  log: Pick<Log, 'info' | 'read'>;
  clock: Clock;
  logger: Logger;
  stream: StreamName;
  /** How the shared reader gathers records, as in `ReadOptions`. */
  gatherMs?: number;
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
  let consumer: Reader | undefined;
  let opening = false;
  let reopenFromMs = -Infinity;

  async function openAtEnd(): Promise<void> {
    if (opening || clock.monotonicMs() < reopenFromMs) return;
    opening = true;
    try {
      const { lastSequence } = await log.info(stream);
      if (options.isWanted() && consumer === undefined) {
        consumer = log.read(stream, { from: lastSequence + 1, gatherMs, onWaiting: receive });
      }
    } catch (error) {
      // The log is closed, or its stream is gone: the sinks that are apart find the same.
      logger.debug({ err: error, stream }, 'the shared reader cannot be opened');
      reopenFromMs = clock.monotonicMs() + limits.sharedReaderReopenMs;
    }
    opening = false;
  }

  function receive(): void {
    const from = consumer;
    if (from === undefined) return;
    for (let records = from.take(); records.length > 0; records = from.take()) options.onRecords(records);
    const hasEnded = from.ended !== undefined;
    onWaiting();
    if (!hasEnded || from !== consumer) return;
    reopenFromMs = clock.monotonicMs() + limits.sharedReaderReopenMs;
    options.onEnded();
  }

  return {
    get isOpen() {
      return consumer !== undefined;
    },
    get pending() {
      return consumer?.pending ?? 0;
    },
    open: () => void openAtEnd(),
    close() {
      consumer?.stop();
      consumer = undefined;
    },
  };
}
