import { EVENT_SCHEMA_LIMITS } from './limits.ts';

/** Thrown when the check of an event against its schema exceeds its steps. */
export class TooCostlyError extends Error {}

/** The message of the fault. */
export const TOO_COSTLY = 'takes too long to check';

/** Steps left for the current check, about 10 ns each. Checks are synchronous, so only one runs at a time. */
let left = 0;

/** Starts a check with `eventSchemaSteps`. */
export function beginCheck(): void {
  left = EVENT_SCHEMA_LIMITS.eventSchemaSteps;
}

/** Subtracts the cost of the next operation. Throws `TooCostlyError` if the steps are used up. */
export function spend(steps: number): void {
  left -= steps;
  if (left < 0) throw new TooCostlyError(TOO_COSTLY);
}
