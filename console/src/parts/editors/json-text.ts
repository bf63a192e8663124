import type { Json, JsonObject } from '../../../../core/kernel/text/json.ts';

/** JSON that a person types: the value, or why there is none. */
export type ParsedJson = { kind: 'value'; value: Json } | { kind: 'fault'; message: string };

export function parseJson(text: string): ParsedJson {
  try {
    const value: Json = JSON.parse(text);
    return { kind: 'value', value };
  } catch (error) {
    return { kind: 'fault', message: error instanceof Error ? error.message : String(error) };
  }
}

/** The object of a text; undefined: the text is no JSON object. */
export function parseObject(text: string): JsonObject | undefined {
  const parsed = parseJson(text);
  return parsed.kind === 'value' && isObject(parsed.value) ? parsed.value : undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A document as people read it. */
export function prettyJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** Whether two values are the same JSON. The order of an object's keys does not count. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, place) => isSameJson(item, b[place]));
  }
  if (!isObject(a) || !isObject(b)) return a === b;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSameJson(a[name], b[name]))
  );
}
