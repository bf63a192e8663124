import type { Clock } from '../../../core/kernel/clock.ts';
import { FACTS_LIMITS } from '../../facts/limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { Log } from '../../log/log.ts';
import { handledByAllSinks } from '../../positions/positions.ts';

/**
 * Trims RECORDS or AUDIT below the positions of all its sinks, which makes space while ClickHouse is away. The last
 * record handled stays, so that a restarted broker keeps the sequence of the stream.
 * @returns to be called after each stored position; trims at most once per `trimMs`
 */
export function createRecordsTrimmer({ log, clock, logger, stream = 'RECORDS' }: TrimOptions): () => void {
  let nextMs = clock.monotonicMs();
  let atWork = false;

  async function trim(): Promise<void> {
    atWork = true;
    nextMs = clock.monotonicMs() + FACTS_LIMITS.trimMs;
    try {
      const { created, firstSequence } = await log.info(stream);
      const handledTo = await handledByAllSinks(log, stream, created);
      if (handledTo > firstSequence) await log.purgeBelow(stream, handledTo);
    } catch (error) {
      logger.warn({ err: error, stream }, 'a stream could not be trimmed; the next attempt follows');
    } finally {
      atWork = false;
    }
  }

  return () => {
    if (!atWork && clock.monotonicMs() >= nextMs) void trim();
  };
}

interface TrimOptions {
  log: Pick<Log, 'bucket' | 'info' | 'purgeBelow'>;
  clock: Clock;
  logger: Logger;
  stream?: 'RECORDS' | 'AUDIT';
}
