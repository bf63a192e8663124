import { isUtf8 } from 'node:buffer';
import { isPlainObject } from '../../../../core/kernel/validation/plain-object.ts';
import type { ParquetType, Struct } from './parquet-types.ts';

/** The columns of a Parquet file by name. */
export type ParquetColumns = readonly { name: string; type: ParquetType }[];

/**
 * A row as the line of JSON that an NDJSON file would have.
 * - A member of a struct without a value is left out: a struct has the members of all rows, and NDJSON those of its
 *   own. The engine reads a missing list, map or struct as an empty one, so empty ones are left out too.
 * - JSON stays as it is, also null in it. Values of maps and items of lists stay.
 * - Whole numbers and decimals keep all their digits. As columns of their own they are texts, because ids may be
 *   numbers.
 * @param line a row in which the engine quotes such numbers
 */
export function parquetLine(line: Buffer, columns: ParquetColumns): Buffer {
  // What reads the line names the fault.
  if (!isUtf8(line)) return line;
  const row: unknown = JSON.parse(line.toString('utf8'));
  const fields = isPlainObject(row) ? row : {};
  const texts = columns.flatMap(({ name, type }) => {
    const value = own(fields, name);
    if (value === undefined || value === null) return [];
    return [`${JSON.stringify(name)}:${type.kind === 'number' ? JSON.stringify(value) : textOf(value, type)}`];
  });
  return Buffer.from(`{${texts.join(',')}}`);
}

/** A member that the row has: names such as `constructor` are none of every object. */
function own(fields: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function textOf(value: unknown, type: ParquetType): string {
  if (value === null || value === undefined) return 'null';
  const plain = typeof value === 'string' ? value : JSON.stringify(value);
  switch (type.kind) {
    case 'struct':
      return structText(value, type.members);
    case 'list':
      return Array.isArray(value) ? `[${value.map((item) => textOf(item, type.item)).join(',')}]` : 'null';
    case 'map':
      return mapText(value, type.value);
    case 'json':
      return jsonText(value);
    case 'time':
      return JSON.stringify(shortTime(plain));
    case 'timeOfDay':
      return JSON.stringify(timeOfDay(plain));
    case 'number':
      return plain;
    case 'bytes':
    case 'plain':
      return JSON.stringify(value);
  }
}

function structText(value: unknown, members: Struct['members']): string {
  const fields = isPlainObject(value) ? value : {};
  const texts = members.flatMap(({ name, type }) => {
    const member = own(fields, name);
    if (member === undefined || member === null) return [];
    const text = textOf(member, type);
    const isEmpty = type.kind !== 'json' && (text === '[]' || text === '{}');
    return isEmpty ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${texts.join(',')}}`;
}

function mapText(value: unknown, type: ParquetType): string {
  if (!isPlainObject(value)) return '{}';
  const texts = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}:${textOf(one, type)}`);
  return `{${texts.join(',')}}`;
}

/** The text itself, so that no number loses digits. What is no JSON stays a text, and its reader names the fault. */
function jsonText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  try {
    JSON.parse(value);
    // A line break would end the row.
    return value.replaceAll(/[\r\n]/g, ' ');
  } catch {
    return JSON.stringify(value);
  }
}

/** ISO 8601 in UTC without a fraction of zeros, else with three, six or nine digits. */
function shortTime(text: string): string {
  const dot = text.indexOf('.');
  if (dot < 0) return text;
  const digits = text.slice(dot + 1).replace(/Z$/, '');
  const kept = [3, 6, 9].find((count) => /^0*$/.test(digits.slice(count))) ?? digits.length;
  const fraction = /^0*$/.test(digits) ? '' : `.${digits.slice(0, kept)}`;
  return `${text.slice(0, dot)}${fraction}Z`;
}

const timeOfDay = (text: string): string => shortTime(text).slice(text.indexOf('T') + 1, -1);
