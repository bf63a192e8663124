/** What a number, a list or an object takes beside its content. */
const OVERHEAD_CHARS = 8;

/**
 * Rough characters of a value that is not encoded yet, or that this process never encodes: bounds queues and messages.
 * Encoded it takes at most three bytes a character, as UTF-8 takes at most three bytes per UTF-16 unit. The names of an
 * object's properties are not counted: an encoded message has them once.
 */
export function roughChars(value: unknown): number {
  if (typeof value === 'string') return value.length + OVERHEAD_CHARS;
  if (typeof value !== 'object' || value === null) return OVERHEAD_CHARS;
  if (value instanceof Uint8Array) return Math.ceil(value.length / 3) + OVERHEAD_CHARS;
  let chars = OVERHEAD_CHARS;
  for (const item of Object.values(value)) chars += roughChars(item);
  return chars;
}
