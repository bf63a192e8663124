import { type Clock, within } from '../../../src/kernel/clock.ts';
import { LIMITS } from '../../../src/kernel/limits.ts';
import type { Logger } from '../../../src/kernel/logger.ts';
import type { SinkMetrics } from '../../../src/kernel/metrics.ts';
import { createSignal } from '../../../src/kernel/signal.ts';
import { contend, type Lease } from '../../lease.ts';
import type { Log, StreamBounds } from '../../log/log.ts';
import { parseRebuildMark, rebuildKey } from '../../rebuild-mark.ts';
import { createStoredValue, type StoredValue } from '../../stored-value.ts';
import { loadWithBounds, parseSinkPosition, storedPosition, type SinkPosition } from '../positions.ts';
import { sinkLeaseKey } from '../sink-registry.ts';
import type { TableName } from '../../../clickhouse-schema/rows/columns.ts';
import { createRowBatch, type RowBlock } from '../../../clickhouse-schema/rows/row-batch.ts';
import type { BlockTarget } from './block-target.ts';
import type { BatchSource } from './batch-source.ts';
import { gatherBatch, type GatheredBatch } from './gather-batch.ts';

/**
 * Writes a stream of the log into ClickHouse, everything in it once.
 *
 * A term is the time between opening the position and losing it. Within a term: gather → store the intent → insert one block
 * per table → note the rebuild marks → move the position.
 *
 * Invariants
 * 1. Only the holder of the lease writes, and it moves the position only by compare-and-set from what it last saw: whoever
 *    finds it moved by another starts a new term from what is stored.
 * 2. Nothing is inserted that is not inside a stored intent, and a stored intent is repeated exactly (same records, same
 *    bytes, same token) until its position is moved. A block whose token ClickHouse knows is dropped there; as a crash of
 *    ClickHouse may have kept the token and lost the rows, the target is told what is a repeat and looks for the rows.
 * 3. A rebuild mark is written only after the snapshots it covers are inserted, and never backwards.
 * 4. At most one batch is held; while ClickHouse cannot be reached the log is simply not read.
 */
export interface StreamWriter {
  start(): void;
  /** Whether this process may write, now. */
  leads(): boolean;
  stop(): Promise<void>;
}

export interface StreamWriterOptions {
  log: Log;
  clock: Clock;
  /** Who we are for the lease; unique per process incarnation. */
  holder: string;
  target: BlockTarget;
  /** What is read, and how it becomes rows. */
  source: BatchSource;
  /** Everything up to `sequence` is in and the position has passed it; last came rows of these tables. */
  onWritten?: (sequence: number, tables: ReadonlySet<TableName>) => void;
  logger: Logger;
  metrics: SinkMetrics;
}

/** What a block is known by in ClickHouse: its table and the records it holds. */
function tokenOf({ table }: RowBlock, { stream, intent }: Required<SinkPosition>): string {
  return `${table}/${stream}/${intent.from}-${intent.to}`;
}

export function createStreamWriter(options: StreamWriterOptions): StreamWriter {
  const { log, clock, target, metrics, source } = options;
  const { stream, sink } = source;
  const logger = options.logger.child({ sink });
  const signal = createSignal();
  const positions = log.bucket('POSITIONS');
  let lease: Lease | undefined;
  let leading: Promise<void> = Promise.resolve();
  let stopping = false;
  let abandoned = false;
  /** Between gaining and losing the lease. It may not be trusted all that time: a wall clock that is off suspends trust. */
  let leads = false;

  /** Whether a batch that is under way may be taken further. */
  const mayWrite = () => !abandoned && lease?.held() === true;
  const mayGoOn = () => leads && !stopping && !abandoned;

  async function lead(): Promise<void> {
    while (mayGoOn()) {
      try {
        if (mayWrite()) await runTerm();
      } catch (error) {
        logger.warn({ err: error }, 'the log cannot be read; trying again');
      }
      if (mayGoOn()) await signal.wait(clock, LIMITS.sinkReopenMs);
    }
  }

  /** Writes until the position or the stream is not ours any more, or the sink stops. */
  async function runTerm(): Promise<void> {
    const store = storedPosition(log, sink, parseSinkPosition);
    const { stored, bounds } = await loadWithBounds(store, log, stream);
    const start = startingPoint(stored, bounds);
    let { sequence } = start;
    let exactlyTo = start.intent?.to;
    const reader = log.read(stream, { from: sequence + 1, onWaiting: signal.notify });
    // One for all batches of the term, as at most one is held; an earlier term's last insert may still be on its way.
    const rows = createRowBatch();
    try {
      while (mayWrite()) {
        const batch = await gatherBatch({
          reader,
          rows,
          add: (record, into) => source.add(record, { ...into, stream: bounds.created }),
          clock,
          signal,
          ...(exactlyTo === undefined ? {} : { exactlyTo }),
          hurry: () => stopping,
          abandoned: () => !mayWrite(),
        });
        if (batch === undefined) return;
        const taken = exactlyTo === undefined ? undefined : start.intent;
        const intent = taken ?? { from: sequence + 1, to: batch.to };
        const position = { stream: bounds.created, sequence, intent };
        const done = await writeBatch(store, batch, position, taken !== undefined);
        if (!done) return;
        ({ sequence, exactlyTo } = { sequence: batch.to, exactlyTo: undefined });
        metrics.sinkLag.set({ sink }, reader.pending);
      }
    } finally {
      reader.stop();
    }
  }

  /** Takes one batch all the way; `repeated`: an earlier term may have got anywhere with it. False: the term is over. */
  async function writeBatch(
    store: StoredValue<SinkPosition>,
    batch: GatheredBatch,
    position: Required<SinkPosition>,
    repeated: boolean,
  ): Promise<boolean> {
    const blocks = batch.rows.blocks();
    // Records without rows (barriers, registrations) have nothing to repeat.
    if (blocks.length > 0 && !(await save(store, position))) return false;
    const inserted = await Promise.all(
      blocks.map((block, place) => {
        // A second month of a table needs a token of its own.
        const later = blocks.slice(0, place).filter((other) => other.table === block.table).length;
        return insertUntilDone(
          block,
          `${tokenOf(block, position)}${later === 0 ? '' : `/month-${later}`}`,
          position,
          repeated,
        );
      }),
    );
    if (inserted.includes(false)) return false;
    for (const { table, rows } of blocks) metrics.sinkRows.inc({ table }, rows);
    for (const [partition, coveredTo] of batch.marks) {
      if (!(await noteRebuildMark(partition, position.stream, coveredTo))) return false;
    }
    const moved = await save(store, { stream: position.stream, sequence: batch.to });
    if (moved) options.onWritten?.(batch.to, new Set(blocks.map(({ table }) => table)));
    return moved;
  }

  /** Repeats an insert until it is in, with back-off. False: the lease is gone, and with it the right to insert. */
  async function insertUntilDone(
    block: RowBlock,
    token: string,
    position: Required<SinkPosition>,
    repeated: boolean,
  ): Promise<boolean> {
    const { table, bytes, rows, receivedFromMs, receivedToMs } = block;
    const { from, to } = position.intent;
    let delayMs: number = LIMITS.sinkRetryFirstMs;
    for (let attempt = 1; mayWrite(); attempt++) {
      const place = { rows, receivedFromMs, receivedToMs, from, to, repeated: repeated || attempt > 1 };
      const outcome = await target.insert(table, bytes, token, place);
      if (outcome.kind === 'inserted') {
        if (attempt > 1) logger.info({ table, token, attempt }, 'ClickHouse takes blocks again');
        return true;
      }
      metrics.sinkFailures.inc({ sink, reason: outcome.refused ? 'refused' : 'unreachable' });
      const details = { table, token, attempt, reason: outcome.message };
      // Our own rows were refused: a bug, or a schema that does not fit. Nothing is skipped; the sink stands here until
      // somebody acts, and says so at every longest wait.
      if (outcome.refused && delayMs >= LIMITS.sinkRetryLongestMs) logger.error(details, 'ClickHouse refuses a block');
      else if (attempt === 1) logger.warn(details, 'ClickHouse did not take a block; repeating it until it does');
      // Not waited for: a log that cannot be reached either must not hold up the next attempt.
      void updateLag(position);
      await wait(delayMs);
      delayMs = Math.min(delayMs * 2, LIMITS.sinkRetryLongestMs);
    }
    return false;
  }

  /** Writes a position, repeating what was not answered. False: somebody else moved it, or the lease is gone. */
  async function save<T>(store: StoredValue<T>, value: T): Promise<boolean> {
    while (mayWrite()) {
      const outcome = await store.save(value);
      if (outcome === 'saved') return true;
      if (outcome === 'taken') {
        logger.warn({ value }, 'another writer moved the position; starting over from what is stored');
        return false;
      }
      await wait(LIMITS.sinkRetryFirstMs);
    }
    return false;
  }

  async function noteRebuildMark(partition: number, stream: string, coveredTo: number): Promise<boolean> {
    const store = createStoredValue(positions, rebuildKey(partition), parseRebuildMark);
    const current = await store.load();
    if (current?.stream === stream && current.coveredTo >= coveredTo) return true;
    return save(store, { stream, coveredTo });
  }

  /** Where to go on, given what is stored and what the stream holds. Everything unusual here is an operator's to know. */
  function startingPoint(stored: SinkPosition | undefined, bounds: StreamBounds): SinkPosition {
    const beginning: SinkPosition = { stream: bounds.created, sequence: bounds.firstSequence - 1 };
    if (stored === undefined) return beginning;
    if (stored.stream !== bounds.created) {
      logger.error({ stored, bounds }, `${stream} was created anew; starting from its first record`);
      return beginning;
    }
    if (stored.sequence + 1 < bounds.firstSequence) {
      logger.error(
        { stored, bounds },
        `${stream} was trimmed beyond what is in ClickHouse; going on from its first record`,
      );
      return beginning;
    }
    if ((stored.intent?.to ?? stored.sequence) > bounds.lastSequence) {
      logger.error({ stored, bounds }, `${stream} lost records that were handled; going on with what it holds`);
      return { stream: bounds.created, sequence: Math.min(stored.sequence, bounds.lastSequence) };
    }
    return stored;
  }

  async function updateLag(position: SinkPosition): Promise<void> {
    try {
      const { lastSequence } = await log.info(stream);
      metrics.sinkLag.set({ sink }, lastSequence - position.sequence);
    } catch {
      // The log cannot be asked either; the last figure stands.
    }
  }

  /** Several inserts of one batch may wait at once, so each has a timer of its own. */
  function wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      clock.timer(delayMs, resolve);
    });
  }

  return {
    leads: mayWrite,
    start() {
      lease = contend({
        bucket: log.bucket('OWNERS'),
        key: sinkLeaseKey(sink),
        holder: options.holder,
        clock,
        onAcquired: () => {
          leads = true;
          // A term that was losing its last lease must have ended before the next begins.
          leading = leading.then(lead);
        },
        onLost: () => {
          leads = false;
          signal.notify();
        },
      });
    },
    async stop() {
      stopping = true;
      signal.notify();
      await within(clock, LIMITS.sinkStopMs, leading);
      abandoned = true;
      signal.notify();
      if (lease !== undefined) await within(clock, LIMITS.logRequestMs, lease.release());
    },
  };
}
