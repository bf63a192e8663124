import { sleep, type Clock } from '../../src/kernel/clock.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { Logger } from '../../src/kernel/logger.ts';
import { encodeModelReference, encodeScores } from '../codec.ts';
import { modelRecordsSubject, scoreRecordsSubject } from '../definitions.ts';
import type { Log } from '../log.ts';
import type { ModelReference } from './model-reference.ts';
import type { ScoreRecord } from './score-record.ts';

/**
 * Appends score records to RECORDS: what is given in one turn of the event loop, or while an append is under way, travels as
 * one message.
 *
 * An append that is not answered is sent again, byte for byte and under the same message id, until it is or its deadline is
 * past: that is far inside the stream's duplicate window, so a message is stored once however often it was sent.
 */
export interface RecordWriter {
  /**
   * `stored`: the records are durable, and each will have exactly one row in ClickHouse. `unavailable`: nobody may be told of
   * them; they may have been stored all the same, so what is scored again is a new record. Never rejects; settles within
   * `LIMITS.recordDeadlineMs` and the time-out of one append.
   */
  append(records: readonly ScoreRecord[]): Promise<'stored' | 'unavailable'>;
  /** Has ClickHouse know what a model that was loaded is to be held against: tried until it is stored, or this is closed. */
  noteModel(reference: ModelReference): void;
  /** Takes nothing more; resolves once everything given is settled. */
  close(): Promise<void>;
}

export interface RecordWriterOptions {
  log: Pick<Log, 'append'>;
  clock: Clock;
  /** Names the subjects: `records.scores.<node>`, `records.models.<node>`. */
  node: string;
  /** Unique per process incarnation: message ids count up within it. */
  writer: string;
  logger: Logger;
}

type Outcome = 'stored' | 'unavailable';

interface Given {
  records: readonly ScoreRecord[];
  /** By the monotonic clock. */
  deadlineMs: number;
  settle: (outcome: Outcome) => void;
}

export function createRecordWriter(options: RecordWriterOptions): RecordWriter {
  const { log, clock, logger } = options;
  const subject = scoreRecordsSubject(options.node);
  const waiting: Given[] = [];
  /** Records given and not settled. */
  let pending = 0;
  let messages = 0;
  let closed = false;
  const isClosed = () => closed;
  let failing = false;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    // Whoever else has something to say in this turn is heard first.
    await Promise.resolve();
    while (waiting.length > 0) {
      const message = takeMessage(waiting);
      const records = message.flatMap((given) => given.records);
      const outcome = await send(records, message[0]?.deadlineMs ?? 0);
      pending -= records.length;
      for (const given of message) given.settle(outcome);
    }
    running = undefined;
  }

  async function send(records: readonly ScoreRecord[], deadlineMs: number): Promise<Outcome> {
    messages += 1;
    try {
      const why = await appendUntil(deadlineMs, encodeScores(records), `${options.writer}/${messages}`);
      note(why);
      return why === undefined ? 'stored' : 'unavailable';
    } catch (error) {
      logger.error({ err: error }, 'score records could not be appended');
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

  /** One line when it begins to fail and one when it is over: scores come by the thousand. */
  function note(why: string | undefined): void {
    if (why !== undefined && !failing) logger.error({ subject, reason: why }, 'score records are not stored');
    if (why === undefined && failing) logger.info({ subject }, 'score records are stored again');
    failing = why !== undefined;
  }

  async function tell(reference: ModelReference): Promise<void> {
    messages += 1;
    const messageId = `${options.writer}/${messages}`;
    const data = encodeModelReference(reference);
    let delayMs: number = LIMITS.logRetryMs;
    while (!isClosed()) {
      const outcome = await log.append(modelRecordsSubject(options.node), data, { messageId });
      if (outcome.kind === 'acked') return;
      await sleep(clock, delayMs);
      delayMs = Math.min(2 * delayMs, LIMITS.logRetryMaxMs);
    }
  }

  return {
    noteModel(reference) {
      const { modelVersion } = reference;
      tell(reference).catch((error: unknown) => {
        logger.warn({ err: error, modelVersion }, 'ClickHouse will not know what to hold this model against');
      });
    },
    append(records) {
      if (records.length === 0) return Promise.resolve('stored');
      if (closed || pending + records.length > LIMITS.recordsPending) return Promise.resolve('unavailable');
      pending += records.length;
      return new Promise((settle) => {
        waiting.push({ records, deadlineMs: clock.monotonicMs() + LIMITS.recordDeadlineMs, settle });
        running ??= run();
      });
    },
    async close() {
      closed = true;
      await running;
    },
  };
}

/** Takes what fits one message off the front; what one caller gave stays together. */
function takeMessage(waiting: Given[]): Given[] {
  let records = 0;
  let count = 0;
  for (const given of waiting) {
    records += given.records.length;
    if (count > 0 && records > LIMITS.recordsPerMessage) break;
    count += 1;
  }
  return waiting.splice(0, count);
}
