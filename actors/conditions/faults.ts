import type { FieldFault } from '../../src/kernel/errors.ts';
import { LIMITS } from '../../src/kernel/limits.ts';

/** Where a compilation notes what is wrong: all of it, up to what an answer lists. */
export interface Faults {
  readonly list: FieldFault[];
  add(path: string, message: string): void;
}

export function createFaults(): Faults {
  const list: FieldFault[] = [];
  return {
    list,
    add(path, message) {
      if (list.length < LIMITS.reportedFaults) list.push({ path, message });
    },
  };
}

/** `path` with one part more, as a JSON Pointer (RFC 6901). */
export function below(path: string, part: string | number): string {
  return `${path}/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
