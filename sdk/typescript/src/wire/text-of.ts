/** What was thrown or received as a text. Some values have none: to read an object without `toString` throws. */
export function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'no text';
  }
}
