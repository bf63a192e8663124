import type { Clock } from '../../core/kernel/clock.ts';
import { PROCESS_LIMITS } from './limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';

/** A part of the service; parts stop in reverse order of their start. */
export interface Part {
  name: string;
  stop: () => Promise<void>;
}

export interface StopOptions {
  /** In the order of their start. */
  parts: readonly Part[];
  /** Called when all parts have stopped. */
  close: () => Promise<void>;
  /** Whether standard input ends with the supervisor. */
  supervised: boolean;
  clock: Clock;
  logger: Logger;
}

/**
 * Ends this process at SIGTERM, SIGINT or the supervisor's death. The parts stop in reverse order, so no new work
 * arrives while earlier parts finish theirs.
 */
export function stopOnSignal({ parts, close, supervised, clock, logger }: StopOptions): void {
  let stopping = false;
  const stop = async (reason: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    logger.info({ reason }, 'stopping');
    clock.timer(PROCESS_LIMITS.shutdownMs, () => {
      logger.error('stopping took too long; the process exits with work unfinished');
      process.exit(1);
    });
    for (const part of parts.toReversed()) {
      await part.stop();
      logger.info({ part: part.name }, 'stopped');
    }
    await close();
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
  if (!supervised) return;
  // The supervisor holds the other end of standard input. End of input means that it died.
  process.stdin.on('end', () => void stop('the supervisor died'));
  process.stdin.on('error', () => {});
  process.stdin.resume();
}
