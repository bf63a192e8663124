import type { Clock } from '../../../src/kernel/clock.ts';
import { LIMITS } from '../../../src/kernel/limits.ts';
import type { Log } from '../../log/log.ts';
import { readSinkPosition, type SinkPosition } from '../positions.ts';

/**
 * Tells from when on no more rows can come of players that were erased. What is told to webhooks is logged by way of RECORDS, after
 * the fact: an attempt that was under way, or made before the webhooks sink met the erasure, becomes a row when the eraser has been
 * there already.
 *
 * States: none → passed (the webhooks sink has met the erasures up to there) → drained (a while later, so that what was under way
 * then is in RECORDS up to there) → told, once RECORDS is in ClickHouse that far; and from the beginning.
 */
export interface LateRows {
  /** Up to where in FACTS erasures have no more rows to come; `undefined`: nowhere new. To be asked now and then. */
  settledUpTo(): Promise<SinkPosition | undefined>;
}

export function createLateRows(log: Pick<Log, 'bucket' | 'info'>, clock: Clock): LateRows {
  let passed: { position: SinkPosition; atMs: number } | undefined;
  let drained: { stream: string; sequence: number } | undefined;

  return {
    async settledUpTo() {
      if (passed === undefined) {
        const position = await readSinkPosition(log, 'webhooks');
        if (position !== undefined) passed = { position, atMs: clock.monotonicMs() };
        return undefined;
      }
      if (drained === undefined) {
        if (clock.monotonicMs() - passed.atMs < LIMITS.lateRowsMs) return undefined;
        const { created, lastSequence } = await log.info('RECORDS');
        drained = { stream: created, sequence: lastSequence };
      }
      const written = await readSinkPosition(log, 'clickhouse-records');
      // Another RECORDS holds none of it any more.
      const isIn = drained.sequence === 0 || written?.stream !== drained.stream || written.sequence >= drained.sequence;
      if (!isIn) return undefined;
      const { position } = passed;
      [passed, drained] = [undefined, undefined];
      return position;
    },
  };
}
