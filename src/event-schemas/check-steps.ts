import { LIMITS } from '../kernel/limits.ts';

/** An event that would take too long to check against its schema. */
export class TooCostlyError extends Error {}

/** What is told of it. */
export const TOO_COSTLY = 'takes too long to check';

/**
 * What the check that is under way may still spend, in steps of about 10 ns. Checks are synchronous, so that there is one at a time.
 */
let left = 0;

/** Begins a check. */
export function beginCheck(): void {
  left = LIMITS.eventSchemaSteps;
}

/** Takes what comes next off what is left. Throws TooCostlyError when that is too much. */
export function spend(steps: number): void {
  left -= steps;
  if (left < 0) throw new TooCostlyError(TOO_COSTLY);
}
