import { isObject } from '../editors/json-text.ts';
import { minuteText, momentOf } from '../zoned-time.ts';

/* Values of a definition that a person may still be writing: any field may be missing or of another type. */

export type Document = Record<string, unknown>;

export const partOf = (document: Document, name: string): Document => {
  const value = document[name];
  return isObject(value) ? value : {};
};

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A time of the API as `datetime-local` in a zone, to the minute. */
export function minuteOf(zone: string, value: unknown): string {
  const atMs = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? '' : minuteText(zone, atMs).replace(' ', 'T');
}

/** A `datetime-local` in a zone as a time of the API. */
export function timeOf(zone: string, minute: string): string | null {
  const atMs = momentOf(zone, minute);
  return atMs === undefined ? null : new Date(atMs).toISOString();
}
