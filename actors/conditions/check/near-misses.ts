import type { FieldFault } from '../../../core/kernel/errors.ts';
import { below, isObject, type Json } from '../../../core/kernel/text/json.ts';

/**
 * A field of a new condition that is valid as a name, but means something else: `events.level_failed[level=3].count_7d`
 * counts events whose name holds brackets. Stored conditions keep their meaning.
 */
export function nearMiss(condition: Json, path = ''): FieldFault | undefined {
  if (Array.isArray(condition)) return firstOf(condition.entries(), path);
  return isObject(condition) ? firstOf(Object.entries(condition), path) : undefined;
}

function firstOf(members: Iterable<[string | number, Json]>, path: string): FieldFault | undefined {
  for (const [name, operand] of members) {
    const at = below(path, name);
    const message = typeof name === 'string' ? filteredEvent(name) : undefined;
    if (message !== undefined) return { path: at, message };
    const isGroup = typeof name === 'number' || name.startsWith('$');
    const found = isGroup ? nearMiss(operand, at) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

const EVENTS = 'events.';

/** Says how to write `events.<name>[<property>=<value>].<measure>`. */
function filteredEvent(field: string): string | undefined {
  const open = field.indexOf('[');
  const close = field.indexOf(']', open);
  if (!field.startsWith(EVENTS) || open <= EVENTS.length || close < 0) return undefined;
  const name = field.slice(EVENTS.length, open);
  const filter = field.slice(open + 1, close);
  const equals = filter.indexOf('=');
  const property = equals < 0 ? filter : filter.slice(0, equals);
  const value = equals < 0 ? { $exists: true } : valueOf(filter.slice(equals + 1));
  const days = DAYS.get(field.slice(close + 1));
  const right = {
    events: {
      name,
      where: { [`properties.${property.trim()}`]: value },
      ...(days === undefined ? {} : { within_days: days }),
      count: { $gte: 1 },
    },
  };
  return `has a filter in the name of an event; write ${JSON.stringify(right)}`;
}

const DAYS: ReadonlyMap<string, number> = new Map([
  ['.count_1d', 1],
  ['.count_7d', 7],
  ['.count_30d', 30],
]);

/** The value as the caller probably meant it: a number or a literal, else a text. */
function valueOf(text: string): Json {
  try {
    const value: Json = JSON.parse(text.replace(/^=/, ''));
    return value;
  } catch {
    return text.replace(/^=/, '').trim();
  }
}
