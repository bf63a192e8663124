/** Whether a parsed JSON value is an object (and no array). */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is `[]`, which PHP and Lua write for an object without fields. */
export function isEmptyList(value: unknown): value is [] {
  return Array.isArray(value) && value.length === 0;
}
