import { rateLines } from '../../../../core/kernel/text/rate-lines.ts';
import type { AnswerOf } from '../../frame/api.ts';
import { DAY_MS } from '../../parts/charts/units.ts';

/* The exchange rates of a game: files of them, and what a table of them has. */

export type Rates = AnswerOf<'GET /v1/settings/exchange-rates'>['rates'];

/** The rates of a CSV file, or the first fault of it. */
export function ratesInFile(text: string): { kind: 'rates'; rates: Rates } | { kind: 'fault'; message: string } {
  const lines = rateLines(text);
  if ('fault' in lines) return { kind: 'fault', message: `Line ${lines.line} ${lines.fault}.` };
  const rates = new Map<string, Map<string, number>>();
  for (const { line, day, currency, rate } of lines) {
    const days = rates.get(currency) ?? new Map<string, number>();
    // A table as JSON can hold neither.
    if (!Number.isFinite(rate)) return { kind: 'fault', message: `Line ${line}: the rate is no number.` };
    if (days.has(day)) return { kind: 'fault', message: `Line ${line} has a second rate of ${currency} for ${day}.` };
    rates.set(currency, days.set(day, rate));
  }
  return {
    kind: 'rates',
    rates: Object.fromEntries([...rates].map(([code, days]) => [code, Object.fromEntries(days)])),
  };
}

/** The rates with one more, which replaces that of its day. */
export function withRate(rates: Rates, currency: string, day: string, rate: number): Rates {
  return { ...rates, [currency]: { ...rates[currency], [day]: rate } };
}

export interface CurrencyRow {
  currency: string;
  count: number;
  firstDay: string;
  lastDay: string;
  lastRate: number;
}

/** What a table has of each currency, by its code. */
export function rowsOf(rates: Rates): CurrencyRow[] {
  return Object.entries(rates)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, byDay]) => {
      const days = Object.keys(byDay).toSorted();
      const lastDay = days.at(-1) ?? '';
      return { currency, count: days.length, firstDay: days[0] ?? '', lastDay, lastRate: byDay[lastDay] ?? NaN };
    });
}

/** Every rate, in the order of days, as rows of the columns of a file. */
export function fileRows(rates: Rates): [string, string, number][] {
  return Object.entries(rates)
    .flatMap(([currency, byDay]) =>
      Object.entries(byDay).map(([day, rate]): [string, string, number] => [day, currency, rate]),
    )
    .toSorted(([one, of], [other, than]) => (`${one} ${of}` < `${other} ${than}` ? -1 : 1));
}

/** How many rates a new table adds, changes and takes away. */
export function changesOf(before: Rates, after: Rates): { added: number; changed: number; removed: number } {
  const [old, now] = [before, after].map(
    (rates) => new Map(fileRows(rates).map(([day, code, rate]) => [`${day} ${code}`, rate])),
  );
  let [added, changed, kept] = [0, 0, 0];
  for (const [name, rate] of now ?? []) {
    const held = old?.get(name);
    if (held === undefined) added += 1;
    else kept += 1;
    if (held !== undefined && held !== rate) changed += 1;
  }
  return { added, changed, removed: (old?.size ?? 0) - kept };
}

/** Whether a purchase of today has no rate: the newest one is too old. @param today as `2026-01-15` */
export const isTooOld = (lastDay: string, today: string, mostDays: number): boolean =>
  Date.parse(today) - Date.parse(lastDay) > mostDays * DAY_MS;
