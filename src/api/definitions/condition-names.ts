import { below, isObject, type Json, type JsonObject } from '../../../core/kernel/text/json.ts';

/** A name in a condition that events or players may have. */
export type ConditionName =
  | { kind: 'event'; name: string; path: string }
  | { kind: 'attribute'; name: string; path: string }
  | { kind: 'property'; name: string; event: string; path: string };

/**
 * The names that a valid condition reads, with JSON pointers below it. Of a path like `attributes.inventory.gems` only
 * the first part is a name: the rest may depend on the player.
 * @param event the event whose properties the condition reads as `properties.<path>`
 */
export function namesIn(condition: Json, event: string | undefined, path = ''): ConditionName[] {
  if (Array.isArray(condition)) return condition.flatMap((part, place) => namesIn(part, event, `${path}/${place}`));
  if (!isObject(condition)) return [];
  return Object.entries(condition).flatMap(([field, operand]): ConditionName[] => {
    const at = below(path, field);
    if (field.startsWith('$')) return namesIn(operand, event, at);
    if (field === 'events') return isObject(operand) ? eventNames(operand, at) : [];
    const dot = field.indexOf('.');
    const [root, rest] = [field.slice(0, dot), field.slice(dot + 1)];
    const first = rest.split('.', 1)[0] ?? '';
    if (root === 'attributes') return [{ kind: 'attribute', name: first, path: at }];
    if (root === 'events') return [{ kind: 'event', name: rest.slice(0, rest.lastIndexOf('.')), path: at }];
    if (root === 'properties' && event !== undefined) return [{ kind: 'property', name: first, event, path: at }];
    return [];
  });
}

function eventNames({ name, where = null }: JsonObject, path: string): ConditionName[] {
  if (typeof name !== 'string') return [];
  return [{ kind: 'event', name, path: `${path}/name` }, ...namesIn(where, name, `${path}/where`)];
}
