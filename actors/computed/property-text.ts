import { isObject, type Json, type JsonText } from '../../core/kernel/text/json.ts';
import type { PropertySpec } from '../../core/vocabulary/documents/computed.ts';
import { isAggregate } from '../../core/vocabulary/state/aggregates.ts';

/* The text form of a property in facts and in ledgers. */

export function writeProperty({ event, where, aggregate, path, days }: PropertySpec): JsonText {
  return JSON.stringify({ event, where, aggregate, path, days });
}

/** `undefined` for what this program does not know: a newer version wrote it. */
export function readProperty(text: JsonText): PropertySpec | undefined {
  const value: Json = JSON.parse(text);
  if (!isObject(value)) return undefined;
  const { event, where, aggregate, path, days } = value;
  if (typeof event !== 'string' || !isAggregate(aggregate) || typeof days !== 'number') return undefined;
  if (where !== undefined && !isObject(where)) return undefined;
  return {
    event,
    ...(where === undefined ? {} : { where }),
    aggregate,
    ...(typeof path === 'string' ? { path } : {}),
    days,
  };
}
