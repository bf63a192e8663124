import type { JsonText } from '../core/kernel/text/json.ts';
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

/** Where a path may have its value: at a key of the document, or below it at further keys. */
interface Place {
  path: number;
  key: string;
  below: readonly string[];
}

interface CompiledPaths {
  /** How the values of each path begin. */
  starts: readonly string[];
  /** What says that an event has none. */
  nones: readonly string[];
  /** By the length of their keys as JSON: the fewest keys of a document have one of these lengths. */
  places: readonly (readonly Place[] | undefined)[];
}

/** How the values of a path begin. No start is that of another: a quoted text ends where it ends. */
const startOf = (path: string): string => `${JSON.stringify(path)}:`;
/** A key as a document has it, without its quotes. */
const keyOf = (key: string): string => JSON.stringify(key).slice(1, -1);

const compiled = new WeakMap<readonly string[], CompiledPaths>();

/** A path is one key, which may have dots, or keys joined by dots. */
function compile(paths: readonly string[]): CompiledPaths {
  const found = compiled.get(paths);
  if (found !== undefined) return found;
  const places: Place[][] = [];
  for (const [path, name] of paths.entries()) {
    const [first = '', ...below] = name.split('.').map((key) => keyOf(key));
    const own = [{ path, key: keyOf(name), below: [] }, ...(below.length === 0 ? [] : [{ path, key: first, below }])];
    for (const place of own) (places[place.key.length] ??= []).push(place);
  }
  const starts = paths.map((path) => startOf(path));
  const made = { starts, nones: starts.map((start) => `${start}-`), places };
  compiled.set(paths, made);
  return made;
}

/**
 * The values of paths, one for each. It walks once over the members of the document: to parse it took three times as
 * long. @param properties as `JSON.stringify` writes them
 */
export function extracted(properties: JsonText, paths: readonly string[]): string[] {
  const { starts, nones, places } = compile(paths);
  const values = [...nones];
  let isReadable: boolean | undefined;
  for (let at = 0; isNextMember(properties, at);) {
    const keyEnd = textEnd(properties, at + 1);
    const valueAt = keyEnd + 1;
    for (const { path, key, below } of places[keyEnd - at - 3] ?? NO_PLACES) {
      if (!properties.startsWith(key, at + 2)) continue;
      const found = valueBelow(properties, valueAt, below);
      const said = found < 0 ? NONE : saidAt(properties, found);
      if (said === NONE) continue;
      isReadable ??= !UNREADABLE.test(properties);
      const isOnly = values[path] === nones[path];
      values[path] = said === UNSAID || !isReadable || !isOnly ? UNSAID : `${starts[path]}${said}`;
    }
    at = valueEnd(properties, valueAt);
  }
  return values;
}

const NO_PLACES: readonly Place[] = [];
/** What `saidAt` returns where there is no value, and where the value stays in the JSON. */
const NONE = '-';
const UNSAID = '';

/** ClickHouse reads no document with a whole number beyond 64 bits or half a surrogate pair. */
const UNREADABLE = /\d{19}|\\ud[89a-f]/i;

const [QUOTE, COMMA, BACKSLASH, BRACKET, BRACKET_END, BRACE, BRACE_END] = [34, 44, 92, 91, 93, 123, 125] as const;

/** Whether a member begins behind the brace or the comma at a place. */
const isNextMember = (text: JsonText, at: number): boolean =>
  text.charCodeAt(at) === (at === 0 ? BRACE : COMMA) && text.charCodeAt(at + 1) === QUOTE;

/** The end of the text that begins with the quote at a place: behind its other quote. */
function textEnd(text: JsonText, at: number): number {
  let end = text.indexOf('"', at + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end + 1;
}

function isEscaped(text: JsonText, at: number): boolean {
  let from = at;
  while (text.charCodeAt(from - 1) === BACKSLASH) from -= 1;
  return (at - from) % 2 === 1;
}

function valueEnd(text: JsonText, at: number): number {
  let depth = 0;
  for (let end = at; end < text.length; end++) {
    const unit = text.charCodeAt(end);
    if (unit === QUOTE) end = textEnd(text, end) - 1;
    else if (unit === BRACE || unit === BRACKET) depth += 1;
    else if (depth === 0 && (unit === COMMA || unit === BRACE_END || unit === BRACKET_END)) return end;
    else if (unit === BRACE_END || unit === BRACKET_END) depth -= 1;
  }
  return text.length;
}

/** Where the value at keys below a value begins; -1: there is none. */
function valueBelow(text: JsonText, at: number, keys: readonly string[]): number {
  let found = at;
  for (const key of keys) {
    found = text.charCodeAt(found) === BRACE ? memberOf(text, found, key) : -1;
    if (found < 0) return -1;
  }
  return found;
}

/** Where the value of a key begins in the object at a place; -1: there is none. */
function memberOf(text: JsonText, from: number, key: string): number {
  for (let at = from; text.charCodeAt(at + 1) === QUOTE;) {
    const valueAt = textEnd(text, at + 1) + 1;
    if (valueAt - at === key.length + 4 && text.startsWith(key, at + 2)) return valueAt;
    at = valueEnd(text, valueAt);
    if (text.charCodeAt(at) !== COMMA) return -1;
  }
  return -1;
}

/** The kind and text of a value. null and the empty text count as none. */
function saidAt(text: JsonText, at: number): string {
  const end = valueEnd(text, at);
  const written = text.slice(at, end);
  switch (written.charCodeAt(0)) {
    case QUOTE: {
      const said = written.includes('\\') ? String(JSON.parse(written)) : written.slice(1, -1);
      if (said === '') return NONE;
      return said.length > STATE_LIMITS.extractedLength ? UNSAID : `s${said}`;
    }
    case BRACE:
    case BRACKET:
      return UNSAID;
    default:
      if (written === 'null') return NONE;
      if (written === 'true' || written === 'false') return `b${written}`;
      return written.includes('e') ? UNSAID : `n${written}`;
  }
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
