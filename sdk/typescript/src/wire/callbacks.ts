import { guarded } from './listeners.ts';
import type { Problem, ReportProblem } from './problems.ts';

/* The callbacks `onProblem` and `onDropped` of the game. One that throws or rejects disturbs nothing. */

/** Reports to the game. An error of its callback is ignored: there is no other place to report it. */
export function problemReporter(onProblem: ((problem: Problem) => void) | undefined): ReportProblem {
  return (problem) =>
    guarded(
      () => onProblem?.(problem),
      () => {},
    );
}

/** Reports dropped events to the game. */
export interface Drops<Dropped> {
  report(dropped: Dropped): void;
  /**
   * Whether an event may be tracked now. A callback that tracks the drop of an event from a full queue would drop the
   * next one, and so on; and one that tracks an invalid event would never return.
   */
  readonly mayTrack: boolean;
}

export function createDrops<Dropped extends { readonly reason: string }>(
  onDropped: ((dropped: Dropped) => void) | undefined,
  onProblem: ReportProblem,
): Drops<Dropped> {
  /** Of the calls under way. */
  let reasons: readonly string[] = [];
  return {
    report(dropped) {
      const before = reasons;
      reasons = [...before, dropped.reason];
      guarded(() => onDropped?.(dropped), onProblem);
      reasons = before;
    },
    get mayTrack() {
      return reasons.length === 0 || (reasons.length === 1 && reasons[0] !== 'queue-full');
    },
  };
}
