import { CONDITION_LIMITS } from './limits.ts';

/**
 * Owns the budget of conditions, counted in steps of about 10 ns.
 *
 * A command, a query or one player of a sweep opens a meter (`metered`). Steps depend on definitions, state and input
 * only, never on caches or time, so the same command gets the same result on every node.
 * Invariants
 * 1. One expensive condition takes at most `conditionSteps`, one player's evaluation `playerSteps`, one meter
 *    `meterSteps`.
 * 2. The last `plainSteps` of a meter pay for plain tests only: expensive conditions do not make plain ones false.
 *
 * Evaluation is synchronous, so at most one meter is open. `withinBudget` runs for every condition: it must cost a few
 * ns.
 */
let isOpen = false;
/** Steps left in the meter; -1: exhausted. */
let left: number = CONDITION_LIMITS.meterSteps;
/** Lower bounds of `left`, for the current player and for the current condition. */
let playerFloor: number = CONDITION_LIMITS.plainSteps;
let floor: number = CONDITION_LIMITS.plainSteps;
/** Whether the current condition exceeded its budget. */
let isOver = false;
let spentBefore = 0;

/** Identifies the meter; increases with each one. */
export let meterId = 0;

/** Runs in the open meter, or in a new one. */
export function metered<T>(run: () => T): T {
  if (isOpen) return run();
  reset();
  isOpen = true;
  try {
    return run();
  } finally {
    isOpen = false;
    spentBefore += CONDITION_LIMITS.meterSteps - left;
  }
}

function reset(): void {
  meterId += 1;
  left = CONDITION_LIMITS.meterSteps;
  isOver = false;
  nextPlayer();
}

/** Starts the evaluation of another player, with up to `playerSteps` from the meter. */
export function nextPlayer(): void {
  playerFloor = Math.max(left - CONDITION_LIMITS.playerSteps, CONDITION_LIMITS.plainSteps);
  floor = playerFloor;
}

/** Whether the meter covers the worst case of one player's evaluation; always true if no meter is open. */
export function hasStepsForPlayer(): boolean {
  return !isOpen || left >= CONDITION_LIMITS.playerSteps + CONDITION_LIMITS.plainSteps;
}

/** Steps spent since the process started, in closed meters. */
export function stepsSpent(): number {
  return spentBefore;
}

/** The cost of one condition. */
export interface Cost {
  /** Maximum steps of its plain tests. */
  plain: number;
  /** The number of fields that scan the player's counters. */
  counts: number;
  /** Whether it may take far more than `plain`. */
  isExpensive: boolean;
}

interface Counted {
  player: { counters: readonly unknown[] };
}

/**
 * Combines tests into a condition: true if all hold. If it exceeds its budget it is false, whatever the tests return.
 * @param onOver called when the budget is exceeded
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
      // No meter is open, as in tests: earlier conditions must not count.
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
  // Two scans of the counters: this one, and one in `changesAt`. A condition without counts never touches them.
  const scans = (source: Source): number => (counts === 0 ? 0 : 2 * counts * source.player.counters.length);
  if (!isExpensive) {
    return (source) => {
      left -= plain + scans(source);
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
    left -= plain + scans(source);
    if (left < 0) return overBudget(source);
    floor = Math.max(left - CONDITION_LIMITS.conditionSteps, playerFloor);
    const holds = all(source);
    floor = playerFloor;
    return isOver ? overBudget(source) : holds;
  };
}

const always = (): boolean => true;

/**
 * Pays for the next operation. `false`: the budget is exceeded and the condition is false, whatever its other tests
 * return. Those tests may still run: they are paid for. An exception would cost more than most tests.
 */
export function spend(steps: number): boolean {
  if (isOver || left - steps < floor) {
    isOver = true;
    return false;
  }
  left -= steps;
  return true;
}

/** Pays for work that runs even if the meter is exhausted. */
export function charge(steps: number): void {
  left = Math.max(left - steps, -1);
}

/** Whether the meter has no steps left, not even for plain tests. */
export function isExhausted(): boolean {
  return isOpen && left < 0;
}

/**
 * Evaluates with a budget of its own, so that the result depends on the input alone and not on what the open meter has
 * left. The open meter pays. `false` also if the budget is exceeded.
 */
export function isolated(steps: number, run: () => boolean): boolean {
  const before = { isOpen, left, playerFloor, floor, isOver };
  isOpen = true;
  left = steps;
  playerFloor = 0;
  floor = 0;
  isOver = false;
  const holds = run();
  const exceeded = isOver;
  const spent = steps - left;
  ({ isOpen, playerFloor, floor, isOver } = before);
  left = Math.max(before.left - spent, -1);
  return holds && !exceeded;
}
