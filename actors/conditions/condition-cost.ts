import type { FieldFault } from '../../src/kernel/errors.ts';
import type { Json } from '../../src/kernel/json.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { Cost } from './steps.ts';

/** What a condition costs, added up while it is compiled, in steps of conditions. */
export interface ConditionCost extends Readonly<Cost> {
  /** Set when its worst cost on ordinary data (`validatedTextLength`, `validatedListLength`) is over `conditionSteps`. */
  readonly excess: FieldFault | undefined;
  /** Adds one test of a value against `operand`. */
  addTest(operand: Json): void;
  /** Adds a walk along a path. */
  addPath(path: string): void;
  addCount(): void;
  /** Adds what a text of `length` characters takes. */
  addText(steps: (length: number) => number, path: string): void;
  /** Adds the tests of each element of a list; `steps`: the cost of its plain tests for one element. */
  repeated<T>(make: () => T): { made: T; steps: number };
}

/** A test with its share of the logic around it: 60 to 100 ns. */
const TEST_STEPS = 8;
/** Comparing text takes a step for each so many characters. */
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
    addTest: (operand) => add(TEST_STEPS + comparison(operand)),
    addPath: (path) => add(Math.min(path.split('.', LIMITS.jsonDepth).length, LIMITS.jsonDepth)),
    addCount() {
      counts += 1;
    },
    addText(steps, path) {
      isExpensive = true;
      validated += steps(LIMITS.validatedTextLength) * times;
      if (validated > LIMITS.conditionSteps) excess ??= { path, message: EXCESS };
    },
    repeated(make) {
      isExpensive = true;
      const before = plain;
      times *= LIMITS.validatedListLength;
      const made = make();
      times /= LIMITS.validatedListLength;
      return { made, steps: plain - before + ELEMENT_STEPS };
    },
  };
}

/** The call for an element. */
const ELEMENT_STEPS = 2;

const EXCESS =
  `makes the condition too expensive: with texts of ${LIMITS.validatedTextLength} characters and lists of ` +
  `${LIMITS.validatedListLength} elements it may take more than ${LIMITS.conditionSteps} steps; ` +
  'use fewer or shorter regular expressions, above all inside $elemMatch and $all';

/** What comparing with an operand takes beside the call. */
function comparison(operand: Json): number {
  if (typeof operand === 'string') return Math.floor(operand.length / COMPARED_CHARACTERS);
  if (typeof operand !== 'object' || operand === null) return 0;
  let steps = 0;
  for (const [name, value] of Object.entries(operand)) {
    steps += TEST_STEPS + Math.floor(name.length / COMPARED_CHARACTERS) + comparison(value);
  }
  return steps;
}
