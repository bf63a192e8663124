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
import type { StoredValue } from '../../stored-value.ts';
import { loadWithBounds, parseSinkPosition, storedPosition, type SinkPosition } from '../../positions/positions.ts';
import { sinkLeaseKey } from '../../positions/sink-registry.ts';
import type { TableName } from '../../../clickhouse-schema/rows/tables/tables.ts';
import { createRowBatch } from '../../../clickhouse-schema/rows/row-batch.ts';
import { UnknownVersionError } from '../../../core/codec/unknown-version.ts';
import { createBatchWriter, saveWhile } from './batch-writer.ts';
import type { BlockTarget } from './block-target.ts';
import type { BatchSource } from './batch-source.ts';
import { createConfirmationGuard } from './confirmation-guard.ts';
import { startingPoint } from './starting-point.ts';
import { gatherBatch } from './gather-batch.ts';

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

export function createStreamWriter(options: StreamWriterOptions): StreamWriter {
  const { log, clock, metrics, source } = options;
  const { stream, sink } = source;
  const read = options.read ?? ((terms) => log.read(stream, terms));
  const logger = options.logger.child({ sink });
  const signal = createSignal();
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
  const terms = {
    ...options,
    logger,
    mayWrite,
    save: <T>(store: StoredValue<T>, value: T) => saveWhile({ mayWrite, clock, logger }, store, value),
  };
  const guard = createConfirmationGuard(terms);
  const writer = createBatchWriter({ ...terms, guard });
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
        const next = await writer.write(store, batch, position, isRepeated);
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
