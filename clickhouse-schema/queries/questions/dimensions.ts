import { QUESTION_LIMITS } from './limits.ts';
import { type ExtractedColumn, extractedSql } from '../../extracted-properties.ts';
import { columnSql } from '../../metrics/dimension-sql.ts';
import type { Source } from '../../../core/vocabulary/metrics/metric.ts';
import { type Bindings, ofGame } from './bindings.ts';
import type { Dimension, Scope } from './question.ts';

/** A value as expressions. */
export interface Value {
  /** As text, '' where there is none; a long one is cut to what a condition may name. */
  text: string;
  /** The same, as long as it is. */
  whole: string;
  /** The number that it is, or NULL; undefined: it is always a text. */
  number: string | undefined;
}

/**
 * Where a value is found: in the row itself, in the player's row of `player_days` on the day of the row, or with the
 * player now, by `player_id` in a table.
 */
export type Found = Value & { from: 'row' | 'day' | 'player' };

/** @returns undefined if rows of the source have no such value */
export function valueOf(bindings: Bindings, source: Source, dimension: Dimension, scope: Scope): Found | undefined {
  switch (dimension.kind) {
    case 'column': {
      const column = columnSql(dimension.column, source);
      return column && { from: column.of, text: column.text, whole: column.text, number: undefined };
    }
    case 'property':
      return { from: 'row', ...propertyOf(bindings, dimension.path, scope) };
    case 'attribute':
      return { from: 'player', ...valueAt(bindings, 'attributes', dimension.path) };
    case 'segment': {
      const text = `if(player_id IN (${membersOf(bindings, dimension.key, scope)}), 'true', 'false')`;
      return { from: 'row', text, whole: text, number: undefined };
    }
  }
}

/** The text of an event's own column or property. */
export function textOf(bindings: Bindings, dimension: Dimension, scope: Scope): string {
  return valueOf(bindings, 'events', dimension, scope)?.text ?? `''`;
}

/** The number at a path of an event's properties; NULL where there is none, as a text like "12" is none. */
export const numberOf = (bindings: Bindings, path: string, scope: Scope): string =>
  propertyOf(bindings, path, scope).number;

/** The value at a path of an event's properties; a column of `eventsOf` if the path has one. */
function propertyOf(bindings: Bindings, path: string, { extracted = [] }: Scope): ValueInJson {
  if (!extracted.some((one) => one.path === path)) return valueAt(bindings, 'properties', path);
  const [whole, number] = columnsOf(path, extracted);
  return { whole, text: shown(whole), number };
}

/** The names of a path's columns in `eventsOf`. */
function columnsOf(path: string, extracted: readonly ExtractedColumn[]): [whole: string, number: string] {
  const place = extracted.findIndex((one) => one.path === path);
  return [`text_${place}`, `number_${place}`];
}

/**
 * The table of events, with the question's extracted properties as columns. It reads rows in which all of these are
 * extracted apart from the others: only for those the engine opens `properties`. One expression for all rows would have
 * it decompress them, a fifth of the whole cost.
 */
export function eventsOf(bindings: Bindings, { extracted = [] }: Scope): string {
  if (extracted.length === 0) return 'events';
  const held = extracted.map((column) => ({ path: column.path, ...extractedSql(column, bindings.bind) }));
  const areThere = held.map(({ isThere }) => isThere).join(' AND ');
  const read = (values: readonly (Pick<Value, 'whole' | 'number'> & { path: string })[], condition: string): string => {
    const columns = values.flatMap(({ path, whole, number }) => {
      const [text, amount] = columnsOf(path, extracted);
      return [`${whole} AS ${text}`, `${number} AS ${amount}`];
    });
    return `SELECT *, happened_at, ${columns.join(', ')} FROM events PREWHERE ${condition}`;
  };
  const parsed = extracted.map(({ path }) => {
    const { whole, number } = valueAt(bindings, 'properties', path);
    return { path, whole: `toLowCardinality(${whole})`, number };
  });
  return `(
  ${read(held, areThere)}
  UNION ALL
  ${read(parsed, `NOT (${areThere})`)}
)`;
}

/** Events with one of these names, as a condition that begins with AND; without names all. */
export function named({ bind }: Bindings, names: readonly string[]): string {
  return names.length === 0 ? '' : ` AND event_name IN ${bind('Array(String)', names)}`;
}

/** The players who are in a segment now. */
function membersOf(bindings: Bindings, key: string, scope: Scope): string {
  return `SELECT player_id FROM segment_memberships
    WHERE ${ofGame(bindings, scope)} AND segment_key = ${bindings.bind('String', key)}`;
}

type ValueInJson = Value & { number: string };

function valueAt(bindings: Bindings, column: string, path: string): ValueInJson {
  const places = placesOf(bindings, path);
  const [first = `''`, nested] = places.map((place) => textAt(column, place));
  const whole = nested === undefined ? first : `if(${first} != '', ${first}, ${nested})`;
  return { text: shown(whole), whole, number: numberIn(column, places) };
}

const shown = (whole: string): string => `substringUTF8(${whole}, 1, ${QUESTION_LIMITS.questionValueLength})`;

/** A path as arguments of JSON functions: as one key, which may have dots, and as keys joined by dots. */
function placesOf({ bind }: Bindings, path: string): string[] {
  const keys = path.split('.');
  const whole = bind('String', path);
  return keys.length === 1 ? [whole] : [whole, keys.map((key) => bind('String', key)).join(', ')];
}

/** null counts as absent. */
const textAt = (column: string, place: string): string =>
  `multiIf(JSONType(${column}, ${place}) = 'String', JSONExtractString(${column}, ${place}), ` +
  `JSONType(${column}, ${place}) = 'Null', '', JSONExtractRaw(${column}, ${place}))`;

function numberIn(column: string, places: readonly string[]): string {
  const [first = 'NULL', ...others] = places.map((place) => {
    const isNumber = `JSONType(${column}, ${place}) IN ('Int64', 'UInt64', 'Double')`;
    return `if(${isNumber}, toNullable(JSONExtractFloat(${column}, ${place})), NULL)`;
  });
  return others.length === 0 ? first : `coalesce(${[first, ...others].join(', ')})`;
}
