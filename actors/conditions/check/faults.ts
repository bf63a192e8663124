import type { FieldFault } from '../../../core/kernel/errors.ts';
import { VALIDATION_LIMITS } from '../../../core/kernel/validation/limits.ts';

/** Collects the faults of one compilation, at most `reportedFaults`. */
export interface Faults {
  readonly list: FieldFault[];
  add(path: string, message: string): void;
}

export function createFaults(): Faults {
  const list: FieldFault[] = [];
  return {
    list,
    add(path, message) {
      if (list.length < VALIDATION_LIMITS.reportedFaults) list.push({ path, message });
    },
  };
}
