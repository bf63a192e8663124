import type { FieldFault } from '../../src/kernel/errors.ts';
import type { Json } from '../../src/kernel/json.ts';
import type { FlagType } from '../vocabulary/documents.ts';

/** Whether a flag of that type may serve the value; `orNull` where a default may stand. */
export function valueFaults(path: string, value: Json, type: FlagType, orNull: boolean): FieldFault[] {
  const { name, accepts } = VALUES[type];
  if (accepts(value) || (orNull && value === null)) return [];
  return [{ path, message: `must be ${name}${orNull ? ' or null' : ''}, as the flag is of type ${type}` }];
}

/** What a flag of each type may serve. */
const VALUES: { readonly [type in FlagType]: { name: string; accepts: (value: Json) => boolean } } = {
  boolean: { name: 'true or false', accepts: (value) => typeof value === 'boolean' },
  multivariate: { name: 'a string', accepts: (value) => typeof value === 'string' },
  string: { name: 'a string', accepts: (value) => typeof value === 'string' },
  number: { name: 'a number', accepts: (value) => typeof value === 'number' },
  json: { name: 'JSON', accepts: () => true },
};
