/* Reads what storage, other tabs and the network hold: nothing is known of its shape. */

/** The object that a JSON text holds; undefined for any other text, and for other values than text. */
export function parseObject(text: unknown): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object(value) : undefined;
  } catch {
    return undefined;
  }
}

/** A list, or none. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
