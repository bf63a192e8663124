import type { FieldFault } from '../../../core/kernel/errors.ts';
import type { Json } from '../../../core/kernel/text/json.ts';
import type { FlagType } from '../../../core/vocabulary/documents/documents.ts';

/**
 * The fault of a value that a flag of this type cannot serve. @param orNull whether null is allowed, as in a default
 */
export function valueFaults(path: string, value: Json, type: FlagType, orNull: boolean): FieldFault[] {
  const { name, accepts } = VALUES[type];
  if (accepts(value) || (orNull && value === null)) return [];
  return [{ path, message: `must be ${name}${orNull ? ' or null' : ''}, because the flag's type is ${type}` }];
}

/** The values that a flag of each type may serve. */
const VALUES: { readonly [type in FlagType]: { name: string; accepts: (value: Json) => boolean } } = {
  boolean: { name: 'true or false', accepts: (value) => typeof value === 'boolean' },
  multivariate: { name: 'a string', accepts: (value) => typeof value === 'string' },
  string: { name: 'a string', accepts: (value) => typeof value === 'string' },
  number: { name: 'a number', accepts: (value) => typeof value === 'number' },
  json: { name: 'JSON', accepts: () => true },
};
