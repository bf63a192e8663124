/** Whether a parsed JSON value is an object (and no array). */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is `[]`, which PHP and some libraries of Lua write for an object without fields. */
export function isEmptyList(value: unknown): value is [] {
  return Array.isArray(value) && value.length === 0;
}

/** Whether a value is `{}`, which other libraries of Lua write for a list without items. */
export function isEmptyObject(value: unknown): boolean {
  return isPlainObject(value) && Object.keys(value).length === 0;
}
