/** Characters that a text, an array or an object takes beside its content; a number takes as many. */
const OVERHEAD_CHARS = 8;

/**
 * About how many characters a value takes on the wire, where the names of an object's properties are written once per
 * message. An estimate for cutting messages, from above for all values but long lists of one-letter texts.
 */
export function charsIn(value: unknown): number {
  if (typeof value === 'string') return value.length + OVERHEAD_CHARS;
  if (typeof value !== 'object' || value === null) return OVERHEAD_CHARS;
  let chars = OVERHEAD_CHARS;
  for (const item of Object.values(value)) chars += charsIn(item);
  return chars;
}
