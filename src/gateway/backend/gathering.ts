import { sleep, type Clock } from '../../kernel/clock.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { createPacing } from '../../kernel/pacing.ts';

/**
 * The moments at which the messages of a gateway leave. All publishers share them, so messages of all partitions leave
 * in one write to the broker's socket.
 */
export interface Gathering {
  /** Counts a command that waits to leave. */
  added(): void;
  /**
   * Resolves when messages may leave: after the other requests of this turn of the event loop, or while messages follow
   * each other, `gatherMs` after the previous moment.
   */
  next(): Promise<void>;
}

export function createGathering(
  clock: Pick<Clock, 'monotonicMs' | 'timer'>,
  gatherMs: number = LIMITS.requestsGatherMs,
): Gathering {
  const pacing = createPacing(clock, gatherMs);
  let moment: Promise<void> | undefined;

  async function gather(): Promise<void> {
    await sleep(clock, pacing.pauseMs());
    pacing.began();
    moment = undefined;
  }

  return {
    added: () => pacing.arrived(),
    next() {
      moment ??= gather();
      return moment;
    },
  };
}
