import { INPUT_LIMITS } from './limits.ts';
import { isPlainObject } from '../../../core/kernel/validation/plain-object.ts';

/*
 * Collects the names of unknown fields and query parameters for the header X-Ignored-Fields.
 * Invariant: the list is never longer than the header, so collecting takes time linear in the request.
 */

/** Adds a name to a list of at most `ignoredFieldNames` distinct names. Long names are cut. */
export function noteIgnoredName(name: string, ignored: string[]): void {
  if (ignored.length >= INPUT_LIMITS.ignoredFieldNames) return;
  const shown = name.slice(0, INPUT_LIMITS.ignoredFieldLength);
  if (!ignored.includes(shown)) ignored.push(shown);
}

/** Adds the fields of a body that `known` lacks. @param prefix put before each name */
export function noteIgnored(body: unknown, known: ReadonlySet<string>, prefix: string, ignored: string[]): void {
  if (ignored.length >= INPUT_LIMITS.ignoredFieldNames || !isPlainObject(body)) return;
  for (const name in body) {
    if (known.has(name)) continue;
    noteIgnoredName(prefix + name.slice(0, INPUT_LIMITS.ignoredFieldLength), ignored);
    if (ignored.length >= INPUT_LIMITS.ignoredFieldNames) return;
  }
}

/** The header's value, percent-encoded, at most `ignoredFieldsBytes` bytes. */
export function ignoredFieldsHeader(names: readonly string[]): string {
  let header = '';
  for (const name of names) {
    const encoded = encodeURIComponent(name.toWellFormed()).replaceAll('%5B%5D', '[]');
    const longer = header === '' ? encoded : `${header}, ${encoded}`;
    if (longer.length > INPUT_LIMITS.ignoredFieldsBytes) break;
    header = longer;
  }
  return header;
}
