import { sleep, type Clock } from '../../core/kernel/clock.ts';
import { JETSTREAM_LIMITS } from '../log/jetstream/limits.ts';
import { RECORD_LIMITS } from './limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import { encodeModelReference, encodeScores } from '../../core/codec/codec.ts';
import { modelRecordsSubject, scoreRecordsSubject } from '../subjects.ts';
import type { Log } from '../log/log.ts';
import type { ModelReference } from '../../core/vocabulary/records/model-reference.ts';
import { createRecordBatches, type RecordsOutcome } from './record-batches.ts';
import type { ScoreRecord } from '../../core/vocabulary/records/score-record.ts';

/** Appends the records of scoring to RECORDS. */
export interface RecordWriter {
  /**
   * `stored`: the records are durable, and each becomes exactly one row in ClickHouse. `unavailable`: the scores must
   * not be returned. They may have been stored, so a repeated scoring is a new record. Never rejects; resolves within
   * `recordDeadlineMs` and the time-out of one append.
   */
  append(records: readonly ScoreRecord[]): Promise<RecordsOutcome>;
  /** Records the reference distributions of a loaded model; repeats until they are stored or the writer is closed. */
  recordModel(reference: ModelReference): void;
  /** Refuses further records; resolves once every given one has its outcome. */
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

export function createRecordWriter(options: RecordWriterOptions): RecordWriter {
  const { log, clock, logger, node } = options;
  let messages = 0;
  let closed = false;
  const isClosed = () => closed;
  const messageId = (): string => {
    messages += 1;
    return `${options.writer}/${messages}`;
  };
  const scores = createRecordBatches<ScoreRecord>({
    log,
    clock,
    logger,
    subject: scoreRecordsSubject(node),
    what: 'score records',
    encode: encodeScores,
    messageId,
    perMessage: RECORD_LIMITS.recordsPerMessage,
    pending: RECORD_LIMITS.recordsPending,
    inFlight: RECORD_LIMITS.recordsInFlight,
  });

  async function store(reference: ModelReference): Promise<void> {
    const terms = { messageId: messageId() };
    const data = encodeModelReference(reference);
    let delayMs: number = JETSTREAM_LIMITS.logRetryMs;
    while (!isClosed()) {
      const outcome = await log.append(modelRecordsSubject(node), data, terms);
      if (outcome.kind === 'acked') return;
      await sleep(clock, delayMs);
      delayMs = Math.min(2 * delayMs, JETSTREAM_LIMITS.logRetryMaxMs);
    }
  }

  return {
    append: (records) => scores.append(records),
    recordModel(reference) {
      const { modelVersion } = reference;
      store(reference).catch((error: unknown) => {
        logger.warn(
          { err: error, modelVersion },
          'the reference distributions of a model are not recorded; its drift cannot be measured',
        );
      });
    },
    async close() {
      closed = true;
      await scores.close();
    },
  };
}
