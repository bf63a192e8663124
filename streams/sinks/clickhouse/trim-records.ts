import type { Clock } from '../../../src/kernel/clock.ts';
import { LIMITS } from '../../../src/kernel/limits.ts';
import type { Logger } from '../../../src/kernel/logger.ts';
import type { Log } from '../../log/log.ts';

/**
 * Trims RECORDS behind its only reader, now and then: what is in ClickHouse is needed by nobody, and room is what RECORDS needs
 * while ClickHouse is away. The last record handled stays, so that a broker that restarts knows where the stream was.
 * @returns to be told of every position that is stored
 */
export function createRecordsTrimmer({ log, clock, logger }: TrimOptions): (sequence: number) => void {
  let nextMs = clock.monotonicMs();
  let atWork = false;

  async function trim(sequence: number): Promise<void> {
    atWork = true;
    nextMs = clock.monotonicMs() + LIMITS.trimMs;
    try {
      await log.purgeBelow('RECORDS', sequence);
    } catch (error) {
      logger.warn({ err: error }, 'RECORDS could not be trimmed; it will be tried again');
    } finally {
      atWork = false;
    }
  }

  return (sequence) => {
    if (!atWork && clock.monotonicMs() >= nextMs) void trim(sequence);
  };
}

interface TrimOptions {
  log: Pick<Log, 'purgeBelow'>;
  clock: Clock;
  logger: Logger;
}
