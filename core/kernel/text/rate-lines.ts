import { csvFields } from './csv-fields.ts';

/** An exchange rate in a file. */
export interface RateLine {
  /** Of the file, from 1. */
  line: number;
  /** As `2026-01-15`, if it is a day. */
  day: string;
  currency: string;
  /** NaN: it is no number. */
  rate: number;
}

export const RATE_COLUMNS = ['day', 'currency', 'rate'];

/** The rates of CSV whose first line names the columns, in any order; or its first fault, which follows "line 5". */
export function rateLines(text: string): RateLine[] | { line: number; fault: string } {
  const places: number[] = [];
  const rates: RateLine[] = [];
  for (const [index, record] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = index + 1;
    const fields = csvFields(record);
    if ('fault' in fields) return { line, ...fields };
    if (line === 1) {
      places.push(...RATE_COLUMNS.map((name) => fields.indexOf(name)));
      if (places.includes(-1) || fields.length !== RATE_COLUMNS.length) return { line, fault: HEADER };
    } else if (fields.length !== 1 || fields[0] !== '') {
      if (fields.length !== RATE_COLUMNS.length) return { line, fault: `has ${fields.length} fields instead of 3` };
      const [day = '', currency = '', rate = ''] = places.map((place) => fields[place]?.trim());
      rates.push({ line, day, currency, rate: /^[\d.eE+-]+$/.test(rate) ? Number(rate) : NaN });
    }
  }
  return rates;
}

const HEADER = `must name the columns ${RATE_COLUMNS.join(', ')}, and no others`;
