import { isObject } from '../parts/editors/json-text.ts';

/* Values of a campaign that a person may still be writing: any field may be missing or of another type. */

export type Document = Record<string, unknown>;

export const partOf = (document: Document, name: string): Document => {
  const value = document[name];
  return isObject(value) ? value : {};
};

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A time of the API as `datetime-local` in UTC, to the minute. */
export function minuteOf(value: unknown): string {
  const atMs = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? '' : new Date(atMs).toISOString().slice(0, 16);
}

/** A `datetime-local` in UTC as a time of the API. */
export const timeOf = (minute: string): string | null => (minute === '' ? null : `${minute}:00.000Z`);
