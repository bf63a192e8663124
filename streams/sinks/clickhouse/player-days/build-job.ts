import type { Clock } from '../../../../core/kernel/clock.ts';
import type { Goal } from './build-notes.ts';
import type { PlayerDaysTarget } from './target.ts';

/** A build of one game under way, in steps between which other games get their turn. */
export interface BuildJob {
  readonly goal: Goal;
  /** How long its steps took together. */
  readonly seconds: number;
  /** Does one step. @returns whether there is more to do. Rejects if ClickHouse refuses */
  advance(): Promise<boolean>;
}

export function createBuildJob(target: PlayerDaysTarget, goal: Goal, clock: Clock): BuildJob {
  let days: string[] | undefined;
  let slices: number | undefined;
  let finished = 0;
  let spentMs = 0;

  async function step(): Promise<boolean> {
    if (days === undefined) {
      days = [...(await target.begin(goal))];
      return true;
    }
    const day = days[0];
    if (day !== undefined) {
      await target.stage(goal, day);
      days.shift();
      return true;
    }
    slices ??= await target.slices(goal);
    await target.finish(goal, finished, slices);
    finished += 1;
    return finished < slices;
  }

  return {
    goal,
    get seconds() {
      return spentMs / 1_000;
    },
    async advance() {
      const begunMs = clock.monotonicMs();
      try {
        return await step();
      } finally {
        spentMs += clock.monotonicMs() - begunMs;
      }
    },
  };
}
