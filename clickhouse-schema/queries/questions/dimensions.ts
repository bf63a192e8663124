import { QUESTION_LIMITS } from './limits.ts';
import type { Bindings } from './bindings.ts';
import type { ColumnName, Dimension, Filter } from './question.ts';

/** Each column as text. */
const COLUMN_TEXT: Readonly<Record<ColumnName, string>> = {
  event_name: 'toString(event_name)',
  country: 'toString(country)',
  lifecycle_stage: 'toString(lifecycle_stage)',
  is_payer: `if(is_payer, 'true', 'false')`,
  source: 'toString(source)',
  key_kind: 'toString(key_kind)',
  end_reason: 'toString(end_reason)',
  platform: 'toString(platform)',
  app_version: 'toString(app_version)',
  currency: `ifNull(toString(currency), '')`,
  product_id: `ifNull(toString(product_id), '')`,
  recorded_by: 'toString(recorded_by)',
};

/**
 * The value of a row as text; '' where it has none. Values of properties are cut to what a condition may name: a client
 * may send 64 KiB, and an answer repeats values.
 */
export function textOf(bindings: Bindings, dimension: Dimension): string {
  if (dimension.kind === 'column') return COLUMN_TEXT[dimension.column];
  const [whole, nested] = placesOf(bindings, dimension.path).map(textAt);
  const text = nested === undefined ? `${whole}` : `if(${whole} != '', ${whole}, ${nested})`;
  return `substringUTF8(${text}, 1, ${QUESTION_LIMITS.questionValueLength})`;
}

/** The number at a path of an event's properties; 0 where there is none, as a text like "12" is none. */
export function numberOf(bindings: Bindings, path: string): string {
  return `coalesce(${placesOf(bindings, path).map(numberAt).join(', ')}, 0.)`;
}

/** Rows that pass all filters, as conditions that begin with AND. */
export function passing(bindings: Bindings, filters: readonly Filter[]): string {
  return filters
    .map(({ dimension, values }) => ` AND ${textOf(bindings, dimension)} IN ${bindings.bind('Array(String)', values)}`)
    .join('');
}

/** Events with one of these names, as a condition that begins with AND; without names all. */
export function named({ bind }: Bindings, names: readonly string[]): string {
  return names.length === 0 ? '' : ` AND event_name IN ${bind('Array(String)', names)}`;
}

/** A path as arguments of JSON functions: as one key, which may have dots, and as keys joined by dots. */
function placesOf({ bind }: Bindings, path: string): string[] {
  const keys = path.split('.');
  const whole = bind('String', path);
  return keys.length === 1 ? [whole] : [whole, keys.map((key) => bind('String', key)).join(', ')];
}

const textAt = (place: string): string =>
  `if(JSONType(properties, ${place}) = 'String', JSONExtractString(properties, ${place}), ` +
  `JSONExtractRaw(properties, ${place}))`;

function numberAt(place: string): string {
  const isNumber = `JSONType(properties, ${place}) IN ('Int64', 'UInt64', 'Double')`;
  return `if(${isNumber}, toNullable(JSONExtractFloat(properties, ${place})), NULL)`;
}
