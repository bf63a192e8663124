import { sleep, type Clock } from '../../core/kernel/clock.ts';
import { JETSTREAM_LIMITS } from '../log/jetstream/limits.ts';
import { LOG_LIMITS } from '../log/limits.ts';
import { RECORD_LIMITS } from './limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import type { Log } from '../log/log.ts';

/**
 * Appends records of one kind to RECORDS. Records given in one turn of the event loop, during an append, or within the
 * linger share a message.
 *
 * An unanswered append is sent again, byte for byte and under the same message id, until it is answered or past its
 * deadline. The deadline is far inside the stream's duplicate window, so a message is stored at most once.
 */
export interface RecordBatches<T> {
  /**
   * `stored`: the records are durable, and each becomes exactly one row in ClickHouse. `unavailable`: they may have
   * been stored. Never rejects; resolves within `recordDeadlineMs` and the time-out of one append.
   */
  append(records: readonly T[]): Promise<RecordsOutcome>;
  /** Refuses further records; resolves once every given one has its outcome. */
  close(): Promise<void>;
}

export type RecordsOutcome = 'stored' | 'unavailable';

export interface RecordBatchesOptions<T> {
  log: Pick<Log, 'append'>;
  clock: Clock;
  logger: Logger;
  subject: string;
  /** Names the records in log lines. */
  what: string;
  encode: (records: readonly T[]) => Uint8Array;
  /** Unique in RECORDS for longer than its duplicate window. */
  messageId: () => string;
  /** Most records of one message; those of one call stay together. */
  perMessage: number;
  /** Most records that wait to be stored; beyond it `append` returns `unavailable` at once. */
  pending: number;
  /** How long the first record of a message waits for others. */
  lingerMs?: number;
  /** Appends in flight at once, 1 by default. With more, messages may be stored in another order. */
  inFlight?: number;
}

interface Given<T> {
  records: readonly T[];
  /** By the monotonic clock. */
  deadlineMs: number;
  resolve: (outcome: RecordsOutcome) => void;
}

export function createRecordBatches<T>(options: RecordBatchesOptions<T>): RecordBatches<T> {
  const { log, clock, logger, subject, what, lingerMs = 0, inFlight = 1 } = options;
  const waiting: Given<T>[] = [];
  /** Records without an outcome yet. */
  let pending = 0;
  let closed = false;
  let failing = false;
  /** Runs that will still send waiting records. */
  let underWay = 0;
  const running = new Set<Promise<void>>();

  /** Starts sending, unless enough runs are active: records given meanwhile share the next message. */
  function start(): void {
    if (underWay >= inFlight) return;
    underWay += 1;
    const turn = run().then(() => void running.delete(turn));
    running.add(turn);
  }

  async function run(): Promise<void> {
    // Lets other calls of this turn add their records first.
    await (lingerMs === 0 ? Promise.resolve() : sleep(clock, lingerMs));
    while (waiting.length > 0) {
      const message = takeMessage(waiting, options.perMessage);
      const records = message.flatMap((given) => given.records);
      const outcome = await send(records, message[0]?.deadlineMs ?? 0);
      pending -= records.length;
      for (const given of message) given.resolve(outcome);
    }
    underWay -= 1;
  }

  async function send(records: readonly T[], deadlineMs: number): Promise<RecordsOutcome> {
    try {
      const why = await appendUntil(deadlineMs, options.encode(records), options.messageId());
      note(why);
      return why === undefined ? 'stored' : 'unavailable';
    } catch (error) {
      logger.error({ err: error }, `${what} could not be appended`);
      return 'unavailable';
    }
  }

  /** Why the message is not stored; `undefined`: it is. */
  async function appendUntil(deadlineMs: number, data: Uint8Array, messageId: string): Promise<string | undefined> {
    let why = 'it waited until its deadline without being sent';
    for (
      let delayMs: number = JETSTREAM_LIMITS.logRetryMs;
      ;
      delayMs = Math.min(2 * delayMs, JETSTREAM_LIMITS.logRetryMaxMs)
    ) {
      const leftMs = deadlineMs - clock.monotonicMs();
      if (leftMs <= 0) return why;
      const timeoutMs = Math.min(LOG_LIMITS.logRequestMs, Math.ceil(leftMs));
      const outcome = await log.append(subject, data, { messageId, timeoutMs });
      if (outcome.kind === 'acked') return undefined;
      // Not stored, and a repeat at once would be refused too.
      if (outcome.kind === 'refused') return outcome.message;
      why = outcome.kind === 'unknown' ? outcome.message : 'the broker reports a fence that was not sent';
      await sleep(clock, delayMs);
    }
  }

  /** Logs only the first failure and the recovery, because there may be thousands of records. */
  function note(why: string | undefined): void {
    if (why !== undefined && !failing) logger.error({ subject, reason: why }, `${what} are not stored`);
    if (why === undefined && failing) logger.info({ subject }, `${what} are stored again`);
    failing = why !== undefined;
  }

  return {
    append(records) {
      if (records.length === 0) return Promise.resolve('stored');
      if (closed || pending + records.length > options.pending) return Promise.resolve('unavailable');
      pending += records.length;
      return new Promise((resolve) => {
        waiting.push({ records, deadlineMs: clock.monotonicMs() + RECORD_LIMITS.recordDeadlineMs, resolve });
        start();
      });
    },
    async close() {
      closed = true;
      await Promise.all(running);
    },
  };
}

/** Removes the records of the next message from the front; those of one call stay together. */
function takeMessage<T>(waiting: Given<T>[], perMessage: number): Given<T>[] {
  let records = 0;
  let count = 0;
  for (const given of waiting) {
    records += given.records.length;
    if (count > 0 && records > perMessage) break;
    count += 1;
  }
  return waiting.splice(0, count);
}
