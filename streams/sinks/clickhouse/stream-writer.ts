import { type Clock, within } from '../../../core/kernel/clock.ts';
import { LOG_LIMITS } from '../../log/limits.ts';
import { SHARED_LIMITS } from '../../../core/kernel/limits.ts';
import { SINK_LIMITS } from './limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { ClickhouseMetrics } from './metrics.ts';
import type { SinkLagMetrics } from '../../metrics.ts';
import { createSignal } from '../../../core/kernel/flow/signal.ts';
import { contend, type Lease } from '../../leases/lease.ts';
import type { Log } from '../../log/log.ts';
import type { OpenReader } from '../../log/shared-reader.ts';
import { parseRebuildMark, rebuildKey } from '../../facts/rebuild-mark.ts';
import { createStoredValue, type StoredValue } from '../../stored-value.ts';
import { loadWithBounds, parseSinkPosition, storedPosition, type SinkPosition } from '../../positions/positions.ts';
import { sinkLeaseKey } from '../../positions/sink-registry.ts';
import type { SnapshotMark } from '../../../core/vocabulary/facts/facts.ts';
import type { TableName } from '../../../clickhouse-schema/rows/tables/tables.ts';
import { createRowBatch, type RowBlock } from '../../../clickhouse-schema/rows/row-batch.ts';
import { UnknownVersionError } from '../../../core/codec/unknown-version.ts';
import type { BlockTarget } from './block-target.ts';
import type { BatchSource } from './batch-source.ts';
import { createConfirmationGuard } from './confirmation-guard.ts';
import { startingPoint } from './starting-point.ts';
import { gatherBatch, type GatheredBatch } from './gather-batch.ts';

/**
 * Writes every record of a stream into ClickHouse once.
 *
 * A term is the time between opening the position and losing it. Within a term: gather → store the intent → insert one
 * block per table → check ClickHouse's last note, and note there the new position → store the rebuild marks →
 * move the position.
 *
 * Invariants
 * 1. Only the holder of the lease writes, and it moves the position by compare-and-set. If another writer moved it, a
 *    new term starts from the stored position.
 * 2. Only records inside a stored intent are inserted, and a stored intent is repeated exactly (same records, bytes and
 *    token) until the position is moved. ClickHouse drops a block with a known token. A crash of ClickHouse may keep
 *    the token and lose the rows, so for a repeat the target counts the rows.
 * 3. A rebuild mark is written after the snapshots that it covers are inserted, and never moves back.
 * 4. Position and rebuild marks move only after ClickHouse confirmed everything that it ever noted
 *    (`confirmation-guard.ts`), so the log is not trimmed while ClickHouse has lost rows.
 * 5. At most one batch is held in memory; while ClickHouse is unreachable the log is not read.
 */
export interface StreamWriter {
  start(): void;
  /** Whether this process may write now. */
  leads(): boolean;
  stop(): Promise<void>;
}

export interface StreamWriterOptions {
  log: Log;
  /** Opens a reader of the stream; by default one of its own. */
  read?: OpenReader | undefined;
  clock: Clock;
  /** The holder of the lease; unique per process incarnation. */
  holder: string;
  target: BlockTarget;
  /** The stream, and how its records become rows. */
  source: BatchSource;
  /** Every record up to `sequence` is inserted and the position moved; the last batch had rows of these tables. */
  onWritten?: (sequence: number, tables: ReadonlySet<TableName>) => void;
  /** A term begins. An earlier one may have moved the position without a call of `onWritten`. */
  onTerm?: () => void;
  logger: Logger;
  metrics: ClickhouseMetrics & SinkLagMetrics;
}

type PositionWithIntent = SinkPosition & Required<Pick<SinkPosition, 'intent'>>;

/** Identifies a block in ClickHouse by its table and records. */
function tokenOf({ table }: RowBlock, { stream, intent }: PositionWithIntent): string {
  return `${table}/${stream}/${intent.from}-${intent.to}`;
}

export function createStreamWriter(options: StreamWriterOptions): StreamWriter {
  const { log, clock, target, metrics, source } = options;
  const { stream, sink } = source;
  const read = options.read ?? ((terms) => log.read(stream, terms));
  const logger = options.logger.child({ sink });
  const signal = createSignal();
  const positions = log.bucket('POSITIONS');
  let lease: Lease | undefined;
  let leading: Promise<void> = Promise.resolve();
  let stopping = false;
  let abandoned = false;
  /** Until then this process leaves the lease to others, which may be of a newer version. */
  let yieldUntilMs = 0;
  /** True between gaining and losing the lease. A wrong wall clock may suspend trust in between. */
  let leads = false;

  /** Whether a batch may be written further. */
  const mayWrite = () => !abandoned && lease?.held() === true;
  const guard = createConfirmationGuard({ ...options, logger, mayWrite, save });
  const mayGoOn = () => leads && !stopping && !abandoned;

  async function lead(): Promise<void> {
    while (mayGoOn()) {
      try {
        if (mayWrite()) await runTerm();
      } catch (error) {
        if (error instanceof UnknownVersionError) {
          yieldUntilMs = clock.monotonicMs() + SHARED_LIMITS.unreadableYieldMs;
          logger.error({ err: error }, 'the sink waits at a record of a newer version');
        } else logger.warn({ err: error }, 'the sink stopped at an error; the next attempt follows');
      }
      if (mayGoOn()) await signal.wait(clock, SINK_LIMITS.sinkReopenMs);
    }
  }

  /** Writes until another writer moves the position, the stream is reset, or the sink stops. */
  async function runTerm(): Promise<void> {
    const store = storedPosition(log, sink, parseSinkPosition);
    const { stored, bounds } = await loadWithBounds(store, log, stream);
    const start = startingPoint(stored, bounds, stream, logger);
    options.onTerm?.();
    if (!(await guard.confirm(store, start))) return;
    const { intent: unfinished, lost: _, ...begin } = start;
    let current: SinkPosition = begin;
    let exactlyTo = unfinished?.to;
    let notBeforeMs = -Infinity;
    const reader = read({ from: current.sequence + 1, onWaiting: signal.notify });
    // One for all batches of the term. Terms do not share it: an earlier term's last insert may still be in flight.
    const rows = createRowBatch();
    try {
      while (mayWrite()) {
        const batch = await gatherBatch({
          reader,
          rows,
          add: (record, into) => source.add(record, { ...into, stream: bounds.created }),
          clock,
          signal,
          notBeforeMs,
          ...(exactlyTo === undefined ? {} : { exactlyTo }),
          hurry: () => stopping,
          abandoned: () => !mayWrite(),
        });
        if (batch === undefined) return;
        const begunMs = clock.monotonicMs();
        const taken = exactlyTo === undefined ? undefined : unfinished;
        const position = { ...current, intent: taken ?? { from: current.sequence + 1, to: batch.to } };
        const isRepeated = taken !== undefined || current.sequence < (current.replayTo ?? 0);
        const next = await writeBatch(store, batch, position, isRepeated);
        if (next === undefined) return;
        notBeforeMs = Math.max(begunMs + SINK_LIMITS.sinkIntervalMs, clock.monotonicMs() + SINK_LIMITS.sinkPauseMs);
        if (batch.unreadable !== undefined) throw batch.unreadable;
        [current, exactlyTo] = [next, undefined];
        metrics.sinkLag.set({ sink }, reader.pending);
      }
    } finally {
      reader.stop();
    }
  }

  /**
   * Writes one batch. `repeated`: an earlier term may have written parts of it.
   * @returns the new position; `undefined`: the term is over
   */
  async function writeBatch(
    store: StoredValue<SinkPosition>,
    batch: GatheredBatch,
    position: PositionWithIntent,
    repeated: boolean,
  ): Promise<SinkPosition | undefined> {
    const blocks = batch.rows.blocks();
    // Records without rows (such as barriers) have nothing to repeat.
    if (blocks.length > 0 && !(await save(store, position))) return undefined;
    const inserted = await Promise.all(
      blocks.map((block, place) => {
        // A second month of a table needs its own token.
        const later = blocks.slice(0, place).filter((other) => other.table === block.table).length;
        return insertUntilDone(
          block,
          `${tokenOf(block, position)}${later === 0 ? '' : `/month-${later}`}`,
          position,
          repeated,
        );
      }),
    );
    if (inserted.includes(false)) return undefined;
    for (const { table, rows } of blocks) metrics.sinkRows.inc({ table }, rows);
    const isNoted = blocks.length > 0 || batch.marks.size > 0;
    if (isNoted && !(await guard.note(store, position, batch.to))) return undefined;
    for (const mark of batch.marks.values()) {
      if (!(await noteRebuildMark(mark, position.stream, batch.to))) return undefined;
    }
    const { intent: _, replayTo = 0, ...before } = position;
    const next: SinkPosition = {
      ...before,
      sequence: batch.to,
      ...(isNoted ? { held: batch.to } : {}),
      ...(replayTo > batch.to ? { replayTo } : {}),
    };
    if (!(await save(store, next))) return undefined;
    options.onWritten?.(batch.to, new Set(blocks.map(({ table }) => table)));
    return next;
  }

  /** Repeats an insert with back-off until it succeeds. False: the lease is lost. */
  async function insertUntilDone(
    block: RowBlock,
    token: string,
    position: PositionWithIntent,
    repeated: boolean,
  ): Promise<boolean> {
    const { table, bytes, rows, receivedFromMs, receivedToMs } = block;
    const { from, to } = position.intent;
    let delayMs: number = SHARED_LIMITS.sinkRetryFirstMs;
    for (let attempt = 1; mayWrite(); attempt++) {
      const place = { rows, receivedFromMs, receivedToMs, from, to, repeated: repeated || attempt > 1 };
      const outcome = await target.insert(table, bytes, token, place);
      if (outcome.kind === 'inserted') {
        if (attempt > 1) logger.info({ table, token, attempt }, 'ClickHouse accepts blocks again');
        return true;
      }
      metrics.sinkFailures.inc({ sink, reason: outcome.refused ? 'refused' : 'unreachable' });
      const details = { table, token, attempt, reason: outcome.message };
      // ClickHouse rejects our rows: a bug, or a schema that does not fit. Nothing is skipped: the sink waits for an
      // operator and logs an error at every longest wait.
      if (outcome.refused && delayMs >= SHARED_LIMITS.sinkRetryLongestMs)
        logger.error(details, 'ClickHouse refuses a block');
      else if (attempt === 1) logger.warn(details, 'ClickHouse did not accept a block; it is repeated');
      // Not awaited: an unreachable log must not delay the next attempt.
      void updateLag(position);
      await wait(delayMs);
      delayMs = Math.min(delayMs * 2, SHARED_LIMITS.sinkRetryLongestMs);
    }
    return false;
  }

  /** Stores a value, and repeats unanswered writes. False: another writer replaced it, or the lease is lost. */
  async function save<T>(store: StoredValue<T>, value: T): Promise<boolean> {
    while (mayWrite()) {
      const outcome = await store.save(value);
      if (outcome === 'saved') return true;
      if (outcome === 'taken') {
        logger.warn({ value }, 'another writer moved the position; continuing from the stored one');
        return false;
      }
      await wait(SHARED_LIMITS.sinkRetryFirstMs);
    }
    return false;
  }

  async function noteRebuildMark(mark: SnapshotMark, created: string, confirmedTo: number): Promise<boolean> {
    const { partition, coveredTo, players } = mark;
    const store = createStoredValue(positions, rebuildKey(partition), parseRebuildMark);
    const current = await store.load();
    if (current?.stream === created && current.coveredTo >= coveredTo) return true;
    return save(store, { stream: created, coveredTo, confirmedTo, ...(players === undefined ? {} : { players }) });
  }

  async function updateLag(position: SinkPosition): Promise<void> {
    try {
      const { lastSequence } = await log.info(stream);
      metrics.sinkLag.set({ sink }, lastSequence - position.sequence);
    } catch {
      // The log is unreachable too; the last value stays.
    }
  }

  /** Several inserts of one batch may wait at once, so each has its own timer. */
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
        wanted: () => clock.monotonicMs() >= yieldUntilMs,
        onAcquired: () => {
          leads = true;
          // The last term must end before the next begins.
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
      await within(clock, SINK_LIMITS.sinkStopMs, leading);
      abandoned = true;
      signal.notify();
      if (lease !== undefined) await within(clock, LOG_LIMITS.logRequestMs, lease.release());
    },
  };
}
