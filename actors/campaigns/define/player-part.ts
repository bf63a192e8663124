import { isObject, type Json, type JsonObject } from '../../../core/kernel/text/json.ts';

/**
 * The part of a trigger's conditions that reads the player and not the event: the conditions with every test of
 * `properties.<path>` replaced by the result that lets more players through. A player for whom the part does not hold
 * does not meet the conditions, whatever the event was.
 * @returns `{}` if nothing is left to ask
 */
export function playerPart(conditions: JsonObject): JsonObject {
  const part = partOf(conditions, true);
  return typeof part === 'boolean' ? {} : part;
}

/** A condition, or its constant result. */
type Part = JsonObject | boolean;

/** @param wanted the result of this part that lets more players through; `$not` and `$nor` turn it around */
function partOf(condition: JsonObject, wanted: boolean): Part {
  return allOf(Object.entries(condition).map(([name, operand]) => memberPart(name, operand, wanted)));
}

function memberPart(name: string, operand: Json, wanted: boolean): Part {
  switch (name) {
    case '$and':
      return allOf(itemParts(operand, wanted));
    case '$or':
      return anyOf(itemParts(operand, wanted));
    case '$nor':
      return not(anyOf(itemParts(operand, !wanted)));
    case '$not':
      return isObject(operand) ? not(partOf(operand, !wanted)) : wanted;
    default:
      return name.startsWith('properties.') ? wanted : Object.fromEntries([[name, operand]]);
  }
}

function itemParts(list: Json, wanted: boolean): Part[] {
  return Array.isArray(list) ? list.filter(isObject).map((item) => partOf(item, wanted)) : [];
}

function allOf(parts: readonly Part[]): Part {
  if (parts.includes(false)) return false;
  const open = parts.filter((part) => typeof part !== 'boolean');
  const [only] = open;
  return only === undefined ? true : open.length === 1 ? only : { $and: open };
}

/** An empty list holds, as in the language. */
function anyOf(parts: readonly Part[]): Part {
  if (parts.length === 0 || parts.includes(true)) return true;
  const open = parts.filter((part) => typeof part !== 'boolean');
  const [only] = open;
  return only === undefined ? false : open.length === 1 ? only : { $or: open };
}

function not(part: Part): Part {
  return typeof part === 'boolean' ? !part : { $not: part };
}
