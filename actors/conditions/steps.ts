import { LIMITS } from '../../src/kernel/limits.ts';

/**
 * What conditions may cost, counted in steps of about 10 ns.
 *
 * A command, a query or one player of a sweep opens a meter (`metered`). Steps depend on definitions, state and input only, never on
 * caches or time, so the same command gets the same answers everywhere.
 * Invariants
 * 1. One expensive condition takes at most `conditionSteps`, one player's evaluation `playerSteps`, one meter `meterSteps`.
 * 2. What conditions take beyond their plain tests never comes out of the last `plainSteps` of a meter: expensive conditions do not
 *    make plain ones false.
 * Everything is synchronous, so there is one meter at a time. `withinBudget` runs for every condition: it must stay at a few ns.
 */
let isOpen = false;
/** Left in the meter; -1: it is exhausted. */
let left: number = LIMITS.meterSteps;
/** The lower bounds of `left` for the player under evaluation, and for the condition under evaluation. */
let playerFloor: number = LIMITS.plainSteps;
let floor: number = LIMITS.plainSteps;
/** Whether the condition under evaluation exceeded its budget. */
let isOver = false;
let spentBefore = 0;

/** Changes with every meter. */
export let meterId = 0;

/** Runs with a meter of its own, or in the one that is open. */
export function metered<T>(run: () => T): T {
  if (isOpen) return run();
  reset();
  isOpen = true;
  try {
    return run();
  } finally {
    isOpen = false;
    spentBefore += LIMITS.meterSteps - left;
  }
}

function reset(): void {
  meterId += 1;
  left = LIMITS.meterSteps;
  isOver = false;
  nextPlayer();
}

/** Begins the evaluation of another player: it has steps of its own, as long as the meter has them. */
export function nextPlayer(): void {
  playerFloor = Math.max(left - LIMITS.playerSteps, LIMITS.plainSteps);
  floor = playerFloor;
}

/** Whether the meter has room for everything that one player's evaluation may take; always without a meter. */
export function hasRoomForPlayer(): boolean {
  return !isOpen || left >= LIMITS.playerSteps + LIMITS.plainSteps;
}

/** Steps taken since the process started, in closed meters. */
export function stepsSpent(): number {
  return spentBefore;
}

/** What a condition takes. */
export interface Cost {
  /** Steps of its plain tests, at most. */
  plain: number;
  /** Fields for which it goes through the player's counters. */
  counts: number;
  /** Whether it may take far more than that. */
  isExpensive: boolean;
}

interface Counted {
  player: { counters: readonly unknown[] };
}

/**
 * The condition that all tests hold, within its budget: over it the condition is false, whatever its tests say.
 * @param onOver called when it is over
 */
export function withinBudget<Source extends Counted>(
  tests: readonly ((source: Source) => boolean)[],
  { plain, counts, isExpensive }: Cost,
  onOver: () => void,
): (source: Source) => boolean {
  const [first = always, second = always] = tests;
  const isPlain = counts === 0 && !isExpensive && tests.length <= 2;
  const all = (source: Source): boolean => tests.every((test) => test(source));

  function overBudget(source: Source): boolean {
    isOver = false;
    if (!isOpen) {
      // Nothing is metered, as in tests: earlier conditions do not count.
      reset();
      const holds = all(source);
      if (!isOver) return holds;
      isOver = false;
    }
    left = Math.max(left, -1);
    onOver();
    return false;
  }

  if (isPlain) {
    return (source) => {
      left -= plain;
      if (left < 0) return overBudget(source);
      const holds = first(source) && second(source);
      return isOver ? overBudget(source) : holds;
    };
  }
  if (!isExpensive) {
    return (source) => {
      // The counters are gone through here, and once more for when the answer changes.
      left -= plain + 2 * counts * source.player.counters.length;
      if (left < 0) return overBudget(source);
      let holds = true;
      for (const test of tests) {
        if (test(source)) continue;
        holds = false;
        break;
      }
      return isOver ? overBudget(source) : holds;
    };
  }
  return (source) => {
    left -= plain + 2 * counts * source.player.counters.length;
    if (left < 0) return overBudget(source);
    floor = Math.max(left - LIMITS.conditionSteps, playerFloor);
    const holds = all(source);
    floor = playerFloor;
    return isOver ? overBudget(source) : holds;
  };
}

const always = (): boolean => true;

/**
 * Pays for what comes next. `false`: the budget does not allow it, and the condition is false whatever its other tests say; they may
 * go on, as they are paid for. An exception here would cost more than most tests.
 */
export function spend(steps: number): boolean {
  if (isOver || left - steps < floor) {
    isOver = true;
    return false;
  }
  left -= steps;
  return true;
}

/** Pays for work that is done in any case. */
export function charge(steps: number): void {
  left = Math.max(left - steps, -1);
}

/** Whether nothing is left, not even for plain tests. */
export function isExhausted(): boolean {
  return isOpen && left < 0;
}
