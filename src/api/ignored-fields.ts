import { LIMITS } from '../kernel/limits.ts';
import { isPlainObject } from './plain-object.ts';

/*
 * X-Ignored-Fields: names of fields and query parameters that no schema knows. A list of them is never longer than the
 * header shows, so that collecting names takes time linear in the request, however many unknown fields it has.
 */

/** Adds a name to a list of at most `LIMITS.ignoredFieldNames` distinct names, each cut to its length in the header. */
export function noteIgnoredName(name: string, ignored: string[]): void {
  if (ignored.length >= LIMITS.ignoredFieldNames) return;
  const shown = name.slice(0, LIMITS.ignoredFieldLength);
  if (!ignored.includes(shown)) ignored.push(shown);
}

/** Adds the names of a body's fields that `known` does not hold. @param prefix stands before each name */
export function noteIgnored(body: unknown, known: ReadonlySet<string>, prefix: string, ignored: string[]): void {
  if (ignored.length >= LIMITS.ignoredFieldNames || !isPlainObject(body)) return;
  for (const name in body) {
    if (known.has(name)) continue;
    noteIgnoredName(prefix + name.slice(0, LIMITS.ignoredFieldLength), ignored);
    if (ignored.length >= LIMITS.ignoredFieldNames) return;
  }
}

/** The header's value: plain characters only, everything else percent-encoded, at most `LIMITS.ignoredFieldsBytes`. */
export function ignoredFieldsHeader(names: readonly string[]): string {
  let header = '';
  for (const name of names) {
    const encoded = encodeURIComponent(name.toWellFormed()).replaceAll('%5B%5D', '[]');
    const longer = header === '' ? encoded : `${header}, ${encoded}`;
    if (longer.length > LIMITS.ignoredFieldsBytes) break;
    header = longer;
  }
  return header;
}
