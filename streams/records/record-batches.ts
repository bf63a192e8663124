import { sleep, type Clock } from '../../src/kernel/clock.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { Logger } from '../../src/kernel/logger.ts';
import type { Log } from '../log/log.ts';

/**
 * Appends records of one kind to RECORDS: what is given in one turn of the event loop, while an append is under way, or within the
 * linger, travels as one message.
 *
 * An append that is not answered is sent again, byte for byte and under the same message id, until it is or its deadline is
 * past: that is far inside the stream's duplicate window, so a message is stored once however often it was sent.
 */
export interface RecordBatches<T> {
  /**
   * `stored`: the records are durable, and each will have exactly one row in ClickHouse. `unavailable`: they may have been stored
   * all the same. Never rejects; settles within `LIMITS.recordDeadlineMs` and the time-out of one append.
   */
  append(records: readonly T[]): Promise<RecordsOutcome>;
  /** Takes nothing more; resolves once everything given is settled. */
  close(): Promise<void>;
}

export type RecordsOutcome = 'stored' | 'unavailable';

export interface RecordBatchesOptions<T> {
  log: Pick<Log, 'append'>;
  clock: Clock;
  logger: Logger;
  subject: string;
  /** What they are, for log lines. */
  what: string;
  encode: (records: readonly T[]) => Uint8Array;
  /** Unique in RECORDS for longer than its duplicate window. */
  messageId: () => string;
  /** Records of one message; what one caller gave stays together. */
  perMessage: number;
  /** Records waiting to be stored; beyond it `unavailable` at once. */
  pending: number;
  /** How long the first record of a message waits for others. */
  lingerMs?: number;
  /** Appends under way at once; 1 when left out. Messages may be stored in another order then. */
  inFlight?: number;
}

interface Given<T> {
  records: readonly T[];
  /** By the monotonic clock. */
  deadlineMs: number;
  settle: (outcome: RecordsOutcome) => void;
}

export function createRecordBatches<T>(options: RecordBatchesOptions<T>): RecordBatches<T> {
  const { log, clock, logger, subject, what, lingerMs = 0, inFlight = 1 } = options;
  const waiting: Given<T>[] = [];
  /** Records given and not settled. */
  let pending = 0;
  let closed = false;
  let failing = false;
  /** Turns that will still look at what waits. */
  let underWay = 0;
  const running = new Set<Promise<void>>();

  /** Sends what waits, unless enough is under way already: whoever comes meanwhile shares the next message. */
  function start(): void {
    if (underWay >= inFlight) return;
    underWay += 1;
    const turn = run().then(() => void running.delete(turn));
    running.add(turn);
  }

  async function run(): Promise<void> {
    // Whoever else has something to say in this turn is heard first.
    await (lingerMs === 0 ? Promise.resolve() : sleep(clock, lingerMs));
    while (waiting.length > 0) {
      const message = takeMessage(waiting, options.perMessage);
      const records = message.flatMap((given) => given.records);
      const outcome = await send(records, message[0]?.deadlineMs ?? 0);
      pending -= records.length;
      for (const given of message) given.settle(outcome);
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
    let why = 'it waited for its turn until its deadline';
    for (let delayMs: number = LIMITS.logRetryMs; ; delayMs = Math.min(2 * delayMs, LIMITS.logRetryMaxMs)) {
      const leftMs = deadlineMs - clock.monotonicMs();
      if (leftMs <= 0) return why;
      const timeoutMs = Math.min(LIMITS.logRequestMs, Math.ceil(leftMs));
      const outcome = await log.append(subject, data, { messageId, timeoutMs });
      if (outcome.kind === 'acked') return undefined;
      // Certainly not stored, and no better a moment later: the caller may come again when there is room.
      if (outcome.kind === 'refused') return outcome.message;
      why = outcome.kind === 'unknown' ? outcome.message : 'the broker compared a fence that was never sent';
      await sleep(clock, delayMs);
    }
  }

  /** One line when it begins to fail and one when it is over: records come by the thousand. */
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
      return new Promise((settle) => {
        waiting.push({ records, deadlineMs: clock.monotonicMs() + LIMITS.recordDeadlineMs, settle });
        start();
      });
    },
    async close() {
      closed = true;
      await Promise.all(running);
    },
  };
}

/** Takes what fits one message off the front; what one caller gave stays together. */
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
