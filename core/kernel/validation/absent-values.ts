import type { TSchema } from 'typebox';
import { isBrokenId } from '../text/broken-id.ts';
import { isUnsetTime } from '../text/timestamp.ts';
import { isEmptyList, isEmptyObject, isPlainObject } from './plain-object.ts';

/*
 * Values that languages write for an absent one: null, `[]` for an object without fields (PHP), `{}` for a list without
 * items (Lua), the year 1 for a time that was never set (C#, Go), and "undefined" and the like for an id. A schema
 * refuses each of them, so only refused values are searched for them.
 */

type Schema = Readonly<Record<string, unknown>>;

/**
 * Deletes the optional fields of a parsed value that hold an absent value which their schema refuses, and makes lists
 * of empty objects.
 * @returns whether a field was changed
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
    } else if (isEmptyObject(value[name]) && takesOnly('array', property)) {
      value[name] = [];
      dropped = true;
    } else if (dropAbsent(value[name], property)) dropped = true;
  }
  return dropped;
}

function isAbsent(value: unknown, schema: Schema): boolean {
  // A schema without a type takes any value.
  if (value === null) return schema['type'] !== undefined && ![schema['type']].flat().includes('null');
  if (isEmptyList(value)) return takesOnly('object', schema);
  if (typeof value !== 'string') return false;
  return schema['format'] === 'caller-id' ? isBrokenId(value) : schema['format'] === 'date-time' && isUnsetTime(value);
}

/** Whether the schema takes the one of object and array, and not the other. */
function takesOnly(type: 'object' | 'array', schema: Schema): boolean {
  const types = [schema['type']].flat();
  return types.includes(type) && !types.includes(type === 'object' ? 'array' : 'object');
}
