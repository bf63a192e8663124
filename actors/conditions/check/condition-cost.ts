import type { FieldFault } from '../../../core/kernel/errors.ts';
import type { Json } from '../../../core/kernel/text/json.ts';
import { CONDITION_LIMITS } from '../limits.ts';
import { SHARED_LIMITS } from '../../../core/kernel/limits.ts';
import type { Cost } from '../steps.ts';

/** Adds up the cost of a condition during its compilation, in steps of conditions. */
export interface ConditionCost extends Readonly<Cost> {
  /** Set if the worst cost on ordinary data (`validatedTextLength`, `validatedListLength`) exceeds `conditionSteps`. */
  readonly excess: FieldFault | undefined;
  /** Adds one test of a value against `operand`. */
  addTest(operand: Json): void;
  /** Adds plain steps. */
  addSteps(steps: number): void;
  /** Adds a read along a path. */
  addPath(path: string): void;
  /** Adds a scan of the player's counters. */
  addCount(): void;
  /** Adds work that grows with a text: `steps` for a text of `length` characters. */
  addText(steps: (length: number) => number, path: string): void;
  /** Adds tests that run for each element of a list; the result's `steps` are its plain tests for one element. */
  repeated<T>(make: () => T): { made: T; steps: number };
}

/** One test with its share of the surrounding logic: 60 to 100 ns. */
const TEST_STEPS = 8;
/** The number of characters that one step compares. */
const COMPARED_CHARACTERS = 64;

export function createConditionCost(): ConditionCost {
  let plain = 0;
  let counts = 0;
  let validated = 0;
  let times = 1;
  let isExpensive = false;
  let excess: FieldFault | undefined;

  function add(steps: number): void {
    plain += steps;
    validated += steps * times;
  }

  return {
    get plain() {
      return plain;
    },
    get counts() {
      return counts;
    },
    get isExpensive() {
      return isExpensive;
    },
    get excess() {
      return excess;
    },
    addSteps: add,
    addTest: (operand) => add(TEST_STEPS + comparison(operand)),
    addPath: (path) => add(Math.min(path.split('.', SHARED_LIMITS.jsonDepth).length, SHARED_LIMITS.jsonDepth)),
    addCount() {
      counts += 1;
    },
    addText(steps, path) {
      isExpensive = true;
      validated += steps(CONDITION_LIMITS.validatedTextLength) * times;
      if (validated > CONDITION_LIMITS.conditionSteps) excess ??= { path, message: EXCESS };
    },
    repeated(make) {
      isExpensive = true;
      const before = plain;
      times *= CONDITION_LIMITS.validatedListLength;
      const made = make();
      times /= CONDITION_LIMITS.validatedListLength;
      return { made, steps: plain - before + ELEMENT_STEPS };
    },
  };
}

/** The function call for one element. */
const ELEMENT_STEPS = 2;

const EXCESS =
  `makes the condition too expensive: with texts of ${CONDITION_LIMITS.validatedTextLength} characters and lists of ` +
  `${CONDITION_LIMITS.validatedListLength} elements it may take more than ${CONDITION_LIMITS.conditionSteps} steps; ` +
  'use fewer or shorter regular expressions, especially inside $elemMatch and $all';

/** The steps of a comparison with an operand, without the call. */
function comparison(operand: Json): number {
  if (typeof operand === 'string') return Math.floor(operand.length / COMPARED_CHARACTERS);
  if (typeof operand !== 'object' || operand === null) return 0;
  let steps = 0;
  for (const [name, value] of Object.entries(operand)) {
    steps += TEST_STEPS + Math.floor(name.length / COMPARED_CHARACTERS) + comparison(value);
  }
  return steps;
}
