import { isObject, type Json } from '../../core/kernel/text/json.ts';

const PREFIX = 'events.';

/**
 * The names of events whose counters the conditions read: keys `events.<name>.<measure>` and `{"events": {"name": …}}`,
 * at any depth. An extra name is harmless: its counter is only kept longer.
 */
export function countedEventsOf(conditions: Iterable<Json>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const condition of conditions) gather(condition, names);
  return names;
}

function gather(condition: Json, names: Set<string>): void {
  if (typeof condition !== 'object' || condition === null) return;
  if (Array.isArray(condition)) {
    for (const part of condition) gather(part, names);
    return;
  }
  for (const [field, operand] of Object.entries(condition)) {
    const end = field.lastIndexOf('.');
    if (field.startsWith(PREFIX) && end > PREFIX.length) names.add(field.slice(PREFIX.length, end));
    if (field === 'events' && isObject(operand) && typeof operand['name'] === 'string') names.add(operand['name']);
    gather(operand, names);
  }
}
