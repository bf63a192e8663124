import type { TSchema } from 'typebox';
import { isUnsetTime } from '../kernel/timestamp.ts';
import { isEmptyList, isPlainObject } from './plain-object.ts';

/*
 * Values that languages write for an absent one: null, `[]` for an object without fields (PHP, Lua), and the year 1 for
 * a time that was never set (C#, Go). A schema refuses each of them, so only refused values are searched for them.
 */

type Schema = Readonly<Record<string, unknown>>;

/**
 * Deletes the optional fields of a parsed value that hold an absent value which their schema refuses.
 * @returns whether a field was deleted
 */
export function dropAbsent(value: unknown, schema: TSchema | Schema): boolean {
  const { properties, items, maxItems, required } = { ...schema } as Schema;
  if (Array.isArray(value)) {
    if (!isPlainObject(items) || (typeof maxItems === 'number' && value.length > maxItems)) return false;
    return value.map((item) => dropAbsent(item, items)).includes(true);
  }
  if (!isPlainObject(value) || !isPlainObject(properties)) return false;
  let dropped = false;
  for (const [name, property] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name) || !isPlainObject(property)) continue;
    const isOptional = !Array.isArray(required) || !required.includes(name);
    if (isOptional && isAbsent(value[name], property)) {
      delete value[name];
      dropped = true;
    } else if (dropAbsent(value[name], property)) dropped = true;
  }
  return dropped;
}

function isAbsent(value: unknown, schema: Schema): boolean {
  const types = [schema['type']].flat();
  // A schema without a type takes any value.
  if (value === null) return schema['type'] !== undefined && !types.includes('null');
  if (isEmptyList(value)) return types.includes('object') && !types.includes('array');
  return typeof value === 'string' && schema['format'] === 'date-time' && isUnsetTime(value);
}
