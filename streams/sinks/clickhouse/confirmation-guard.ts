import { type Clock, sleep } from '../../../core/kernel/clock.ts';
import { SINK_LIMITS } from './limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { ClickhouseMetrics } from './metrics.ts';
import type { ConfirmedPosition } from '../../../clickhouse-schema/queries/confirmed-position.ts';
import type { StoredValue } from '../../stored-value.ts';
import type { SinkPosition } from '../../positions/positions.ts';
import type { BatchSource } from './batch-source.ts';
import type { BlockTarget } from './block-target.ts';

/**
 * Compares a sink's position with what ClickHouse itself confirms (`sink_positions`). A ClickHouse that was
 * restored from an older backup, emptied, or replaced by another one is behind.
 */
export interface ConfirmationGuard {
  /**
   * Waits until ClickHouse confirms what it noted last, or an operator moved the position. A loss is reported, and
   * stored with the position so that nothing is trimmed.
   * @returns false: the term is over
   */
  confirm(store: StoredValue<SinkPosition>, position: SinkPosition): Promise<boolean>;
  /**
   * Notes in ClickHouse that its tables are complete up to `to`, once its last note is confirmed. False: the
   * term is over.
   */
  note(store: StoredValue<SinkPosition>, position: SinkPosition, to: number): Promise<boolean>;
}

export interface ConfirmationGuardOptions {
  clock: Clock;
  target: Pick<BlockTarget, 'confirmedTo' | 'noteConfirmed'>;
  source: Pick<BatchSource, 'stream' | 'sink' | 'onLoss'>;
  /** Whether the writer's lease is held. */
  mayWrite: () => boolean;
  /** Saves and repeats unanswered writes. False: the term is over. */
  save: (store: StoredValue<SinkPosition>, value: SinkPosition) => Promise<boolean>;
  logger: Logger;
  metrics: Pick<ClickhouseMetrics, 'sinkFailures'>;
}

export function createConfirmationGuard(options: ConfirmationGuardOptions): ConfirmationGuard {
  const { clock, target, source, mayWrite, save, logger, metrics } = options;
  const { stream, sink, onLoss } = source;

  async function unreachable(error: unknown): Promise<void> {
    metrics.sinkFailures.inc({ sink, reason: 'unreachable' });
    logger.warn({ err: error }, 'the position in ClickHouse cannot be read or written; the next attempt follows');
    await sleep(clock, SINK_LIMITS.sinkReopenMs);
  }

  /** Whether ClickHouse is behind its position; `unknown`: it did not answer. */
  async function isBehind(position: SinkPosition): Promise<boolean | 'unknown'> {
    if (position.confirmedTo === undefined) return false;
    try {
      const found = await target.confirmedTo(stream);
      const behind = lags(found, position);
      if (behind) metrics.sinkFailures.inc({ sink, reason: 'lost' });
      return behind;
    } catch (error) {
      await unreachable(error);
      return 'unknown';
    }
  }

  async function confirm(store: StoredValue<SinkPosition>, position: SinkPosition): Promise<boolean> {
    const { lost, ...found } = position;
    let isLost = lost === true;
    for (let turn = 0; mayWrite(); turn++) {
      const behind = await isBehind(position);
      if (behind === 'unknown') continue;
      if (!behind) return isLost ? save(store, found) : true;
      const message = `ClickHouse has lost rows of ${stream}: ${REMEDIES[onLoss]}`;
      if (turn % LOG_TURNS === 0) logger.error({ noted: position.confirmedTo }, message);
      if (onLoss === 'report') return true;
      isLost = true;
      // Stored again at every turn: that ends the term once an operator has moved the position.
      if (!(await save(store, { ...found, lost: true }))) return false;
      await sleep(clock, SINK_LIMITS.sinkLostCheckMs);
    }
    return false;
  }

  return {
    confirm,
    async note(store, position, to) {
      const createdMs = Date.parse(position.stream);
      // A ClickHouse that was restored while a block waited for it takes the block, but lacks what came before.
      let noted = position.confirmedTo === undefined ? undefined : { createdMs, sequence: position.confirmedTo };
      while (mayWrite()) {
        try {
          if (await target.noteConfirmed(stream, { createdMs, sequence: to }, noted)) return true;
        } catch (error) {
          await unreachable(error);
          continue;
        }
        if (!(await confirm(store, position))) return false;
        // The loss is reported, and the log no longer holds what is lost.
        if (onLoss === 'report') noted = undefined;
      }
      return false;
    },
  };
}

function lags(found: ConfirmedPosition | undefined, { stream, confirmedTo = 0 }: SinkPosition): boolean {
  return found === undefined || found.createdMs !== Date.parse(stream) || found.sequence < confirmedTo;
}

const REMEDIES = {
  wait: 'nothing is written, and the log is not trimmed, until it is restored or `cli clickhouse repair` has run',
  report: 'the log no longer holds them; restore a newer backup to have them back',
} as const;

/** Turns between two log lines of one loss: about a minute. */
const LOG_TURNS = 12;
