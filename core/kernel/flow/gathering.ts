import { sleep, type Clock } from '../clock.ts';
import { createPacing } from './pacing.ts';

/**
 * The moments at which work leaves this process for the broker: a gateway's messages, owners' appends. What leaves at
 * one moment, of all partitions, leaves in one write to the broker's socket.
 */
export interface Gathering {
  /** Counts work that waits to leave. */
  added(): void;
  /**
   * Resolves when work may leave: after the other requests of this turn of the event loop, or while moments follow each
   * other, `spacingMs` after the previous one.
   */
  next(): Promise<void>;
}

export function createGathering(clock: Pick<Clock, 'monotonicMs' | 'timer'>, spacingMs: number): Gathering {
  const pacing = createPacing(clock, spacingMs);
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
