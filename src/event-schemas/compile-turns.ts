import { sleep, type Clock } from '../../core/kernel/clock.ts';
import type { CompileSteps } from './compile-event-schema.ts';

/**
 * Runs steps of compiling, at most one per turn of the event loop in this process. Compilations that run at the same
 * time alternate, so one with many steps does not delay the others.
 */
export interface CompileTurns {
  run<T>(steps: CompileSteps<T>): Promise<T>;
}

export function createCompileTurns(clock: Pick<Clock, 'timer'>): CompileTurns {
  let lastTurn: Promise<void> = Promise.resolve();

  function nextTurn(): Promise<void> {
    lastTurn = lastTurn.then(() => sleep(clock, 0));
    return lastTurn;
  }

  return {
    async run(steps) {
      for (;;) {
        await nextTurn();
        const step = steps.next();
        if (step.done === true) return step.value;
      }
    },
  };
}
