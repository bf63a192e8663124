import { isObject, type Json, type JsonObject, type JsonText } from '../core/kernel/text/json.ts';
import { STATE_LIMITS } from '../core/vocabulary/limits.ts';

/*
 * Values of properties in the columns `extracted_1` … of `events`, so that a question reads no JSON. Which path has
 * which column follows the game's settings at the time of the insert, so a value names its path: the path as JSON, a
 * colon, the kind of the value, its text. `"level":n12`, `"map":sforest`, `"won":btrue`; `"level":-` has no value.
 *
 * '' says nothing: the properties have to be read. Invariant: a value that is there is what ClickHouse reads from the
 * properties. So values stay away which it writes otherwise than JavaScript.
 */

export const EXTRACTED_COLUMNS: readonly string[] = Array.from(
  { length: STATE_LIMITS.extractedProperties },
  (_, place) => `extracted_${place + 1}`,
);

/** The paths whose values a game's new events have in columns, by their places. */
export type ExtractedOf = (game: string) => readonly string[];

interface ExtractedPath {
  /** How its values begin. */
  start: string;
  /** What the text of properties with such a value contains. */
  signs: readonly string[];
  /** The path as one key, which may have dots, and as keys joined by dots. */
  places: readonly (readonly string[])[];
}

/** How the values of a path begin. No start is that of another: a quoted text ends where it ends. */
const startOf = (path: string): string => `${JSON.stringify(path)}:`;

const compiled = new WeakMap<readonly string[], readonly ExtractedPath[]>();

function compile(paths: readonly string[]): readonly ExtractedPath[] {
  const found = compiled.get(paths);
  if (found !== undefined) return found;
  const made = paths.map((path) => {
    const keys = path.split('.');
    const places = keys.length === 1 ? [[path]] : [[path], keys];
    return { start: startOf(path), signs: places.map(([key = '']) => startOf(key)), places };
  });
  compiled.set(paths, made);
  return made;
}

/** The values of paths, one for each. @param properties as `JSON.stringify` writes them */
export function extracted(properties: JsonText, paths: readonly string[]): string[] {
  let document: JsonObject | undefined;
  return compile(paths).map(({ start, signs, places }) => {
    if (!signs.some((sign) => properties.includes(sign))) return `${start}-`;
    if (document === undefined && UNREADABLE.test(properties)) return '';
    document ??= documentOf(properties);
    const values = places.flatMap((keys) => valuesAt(document, keys));
    if (values.length > 1) return '';
    const said = values[0] === undefined ? '-' : kindAndText(values[0]);
    return said === undefined ? '' : start + said;
  });
}

/** ClickHouse reads no document with a whole number beyond 64 bits or half a surrogate pair. */
const UNREADABLE = /\d{19}|\\ud[89a-f]/i;

function documentOf(properties: JsonText): JsonObject {
  const document: Json = JSON.parse(properties);
  return isObject(document) ? document : {};
}

/** The value at keys, unless it counts as none: null and the empty text do. */
function valuesAt(document: JsonObject | undefined, keys: readonly string[]): Json[] {
  let value: Json | undefined = document;
  for (const key of keys) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return [];
    value = value[key];
  }
  return value === undefined || value === null || value === '' ? [] : [value];
}

function kindAndText(value: Json): string | undefined {
  if (typeof value === 'boolean') return `b${value}`;
  if (typeof value === 'string') return value.length > STATE_LIMITS.extractedLength ? undefined : `s${value}`;
  if (typeof value !== 'number') return undefined;
  const text = String(value);
  return text.includes('e') ? undefined : `n${text}`;
}

/** A path and the place of its column, from 0. */
export interface ExtractedColumn {
  path: string;
  place: number;
}

/** Expressions of an extracted value: whether it is there, its text, '' for none, and the number that it is or NULL. */
export function extractedSql({ path, place }: ExtractedColumn, bind: (type: 'String', value: string) => string) {
  const column = EXTRACTED_COLUMNS[place] ?? `''`;
  const start = startOf(path);
  const whole = `substring(${column}, ${Buffer.byteLength(start) + 2})`;
  // Functions of one such column and constants are evaluated once for each of its values, and not for each row.
  return {
    isThere: `startsWith(${column}, ${bind('String', start)})`,
    whole,
    number: `if(startsWith(${column}, ${bind('String', `${start}n`)}), toFloat64OrNull(${whole}), NULL)`,
  };
}
