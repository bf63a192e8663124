import type { Clock } from '../../../../core/kernel/clock.ts';
import { SINK_LIMITS } from '../limits.ts';
import type { Log } from '../../../log/log.ts';
import { readSinkPosition, type SinkPosition } from '../../../positions/positions.ts';

/**
 * Determines up to which erasures no more rows can come. Attempts to deliver to webhooks are recorded in RECORDS
 * afterwards: one that was in flight, or made before the webhooks sink reached the erasure, becomes a row after the
 * eraser has run.
 *
 * States: none → passed (the webhooks sink has passed the erasures) → drained (some time later RECORDS holds every
 * attempt that was in flight) → none, when RECORDS is in ClickHouse that far and the position is returned.
 */
export interface LateRows {
  /**
   * The position in FACTS up to which erasures have no more rows to come; `undefined`: no new one. Call it repeatedly.
   */
  completeUpTo(): Promise<SinkPosition | undefined>;
}

export function createLateRows(log: Pick<Log, 'bucket' | 'info'>, clock: Clock): LateRows {
  let passed: { position: SinkPosition; atMs: number } | undefined;
  let drained: { stream: string; sequence: number } | undefined;

  return {
    async completeUpTo() {
      if (passed === undefined) {
        const position = await readSinkPosition(log, 'webhooks');
        if (position !== undefined) passed = { position, atMs: clock.monotonicMs() };
        return undefined;
      }
      if (drained === undefined) {
        if (clock.monotonicMs() - passed.atMs < SINK_LIMITS.lateRowsMs) return undefined;
        const { created, lastSequence } = await log.info('RECORDS');
        drained = { stream: created, sequence: lastSequence };
      }
      const written = await readSinkPosition(log, 'clickhouse-records');
      // A RECORDS that was created anew no longer holds those records.
      const isIn = drained.sequence === 0 || written?.stream !== drained.stream || written.sequence >= drained.sequence;
      if (!isIn) return undefined;
      const { position } = passed;
      [passed, drained] = [undefined, undefined];
      return position;
    },
  };
}
