import { type Clock, sleep } from '../../../core/kernel/clock.ts';
import { SHARED_LIMITS } from '../../../core/kernel/limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { SnapshotMark } from '../../../core/vocabulary/facts/facts.ts';
import type { RowBlock } from '../../../clickhouse-schema/rows/row-batch.ts';
import type { TableName } from '../../../clickhouse-schema/rows/tables/tables.ts';
import { parseRebuildMark, rebuildKey } from '../../facts/rebuild-mark.ts';
import type { Log } from '../../log/log.ts';
import type { SinkLagMetrics } from '../../metrics.ts';
import type { SinkPosition } from '../../positions/positions.ts';
import { createStoredValue, type StoredValue } from '../../stored-value.ts';
import type { BatchSource } from './batch-source.ts';
import type { BlockTarget } from './block-target.ts';
import type { ConfirmationGuard } from './confirmation-guard.ts';
import type { GatheredBatch } from './gather-batch.ts';
import type { ClickhouseMetrics } from './metrics.ts';

export interface BatchWriterOptions {
  log: Log;
  clock: Clock;
  logger: Logger;
  metrics: ClickhouseMetrics & SinkLagMetrics;
  target: BlockTarget;
  source: Pick<BatchSource, 'stream' | 'sink'>;
  guard: Pick<ConfirmationGuard, 'note'>;
  /** Whether a batch may be written further. */
  mayWrite: () => boolean;
  /** Stores a value. False: another writer replaced it, or the lease is lost. */
  save: <T>(store: StoredValue<T>, value: T) => Promise<boolean>;
  /** Every record up to `sequence` is inserted and the position moved; the last batch had rows of these tables. */
  onWritten?: ((sequence: number, tables: ReadonlySet<TableName>) => void) | undefined;
}

export type PositionWithIntent = SinkPosition & Required<Pick<SinkPosition, 'intent'>>;

export interface BatchWriter {
  /**
   * Writes one batch. `repeated`: an earlier term may have written parts of it.
   * @returns the new position; `undefined`: the term is over
   */
  write(
    store: StoredValue<SinkPosition>,
    batch: GatheredBatch,
    position: PositionWithIntent,
    repeated: boolean,
  ): Promise<SinkPosition | undefined>;
}

/** Writes the batches of a sink, each in the order that `stream-writer.ts` describes. */
export function createBatchWriter(options: BatchWriterOptions): BatchWriter {
  const { log, metrics, guard, save } = options;
  const positions = log.bucket('POSITIONS');

  async function noteRebuildMark(mark: SnapshotMark, created: string, confirmedTo: number): Promise<boolean> {
    const { partition, coveredTo, players } = mark;
    const store = createStoredValue(positions, rebuildKey(partition), parseRebuildMark);
    const current = await store.load();
    if (current?.stream === created && current.coveredTo >= coveredTo) return true;
    return save(store, { stream: created, coveredTo, confirmedTo, players });
  }

  return {
    async write(store, batch, position, repeated) {
      const blocks = batch.rows.blocks();
      // Records without rows (such as barriers) have nothing to repeat.
      if (blocks.length > 0 && !(await save(store, position))) return undefined;
      const inserted = await Promise.all(
        blocks.map((block, place) => {
          const token = tokenOf(block, blocks.slice(0, place), position);
          return insertUntilDone(options, block, token, position, repeated);
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
        ...(isNoted ? { confirmedTo: batch.to } : {}),
        ...(replayTo > batch.to ? { replayTo } : {}),
      };
      if (!(await save(store, next))) return undefined;
      options.onWritten?.(batch.to, new Set(blocks.map(({ table }) => table)));
      return next;
    },
  };
}

/**
 * Identifies a block in ClickHouse by its table and records. A second month of a table needs its own token.
 * @param before the blocks before it, of the same records
 */
function tokenOf({ table }: RowBlock, before: readonly RowBlock[], { stream, intent }: PositionWithIntent): string {
  const later = before.filter((other) => other.table === table).length;
  return `${table}/${stream}/${intent.from}-${intent.to}${later === 0 ? '' : `/month-${later}`}`;
}

/** Repeats an insert with back-off until it succeeds. False: the lease is lost. */
async function insertUntilDone(
  options: BatchWriterOptions,
  block: RowBlock,
  token: string,
  position: PositionWithIntent,
  repeated: boolean,
): Promise<boolean> {
  const { clock, logger, metrics, target, source, mayWrite } = options;
  const { sink } = source;
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
    void updateLag(options, position);
    await sleep(clock, delayMs);
    delayMs = Math.min(delayMs * 2, SHARED_LIMITS.sinkRetryLongestMs);
  }
  return false;
}

async function updateLag({ log, metrics, source }: BatchWriterOptions, position: SinkPosition): Promise<void> {
  try {
    const { lastSequence } = await log.info(source.stream);
    metrics.sinkLag.set({ sink: source.sink }, lastSequence - position.sequence);
  } catch {
    // The log is unreachable too; the last value stays.
  }
}

/** Stores a value, and repeats unanswered writes. False: another writer replaced it, or the lease is lost. */
export async function saveWhile<T>(
  { mayWrite, clock, logger }: Pick<BatchWriterOptions, 'mayWrite' | 'clock' | 'logger'>,
  store: StoredValue<T>,
  value: T,
): Promise<boolean> {
  while (mayWrite()) {
    const outcome = await store.save(value);
    if (outcome === 'saved') return true;
    if (outcome === 'taken') {
      logger.warn({ value }, 'another writer moved the position; continuing from the stored one');
      return false;
    }
    await sleep(clock, SHARED_LIMITS.sinkRetryFirstMs);
  }
  return false;
}
