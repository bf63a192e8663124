import { currencyOf, CURRENCY_RULE } from '../../../core/kernel/currencies.ts';
import type { FieldFault } from '../../../core/kernel/errors.ts';
import { isCurrency } from '../../../core/kernel/validation/currencies.ts';
import { dateOf } from '../../../core/kernel/zoned-days.ts';
import { DAY_MS } from '../../../core/kernel/days.ts';
import type { DailyRates, ExchangeRatesDocument } from '../../../core/vocabulary/documents/exchange-rates.ts';
import { RATE_LIMITS } from './limits.ts';

/* A table of exchange rates as callers write it, and as it is stored. */

/** One rate, and where the caller wrote it. */
export interface RateRow {
  path: string;
  currency: string;
  /** As `2026-01-15`. */
  day: string;
  rate: number;
}

export type RateTable = { kind: 'table'; rates: Record<string, DailyRates> } | { kind: 'faults'; faults: FieldFault[] };

/** The rates by currency and day, as the API takes and answers them. */
export type RatesByDay = Record<string, Record<string, number>>;

/**
 * The table that rows make, or the first of their faults.
 * @param own the game's currency
 * @param at where the rows are
 */
export function tableOf(rows: readonly RateRow[], own: string, at: string): RateTable {
  const faults: FieldFault[] = [];
  const { exchangeRates: most } = RATE_LIMITS;
  if (rows.length === 0) faults.push({ path: at, message: 'must have a rate' });
  if (rows.length > most) faults.push({ path: at, message: `has ${rows.length} rates; the maximum is ${most}` });
  const found = new Map<string, Map<number, number>>();
  for (const { path, currency, day: date, rate } of faults.length > 0 ? [] : rows) {
    const day = dayOf(date);
    const days = found.get(currency) ?? new Map<number, number>();
    const message =
      faultOf(currency, day, rate, own) ?? (days.has(day) ? `has two rates of ${currency} for a day` : undefined);
    found.set(currency, days.set(day, rate));
    if (message !== undefined) faults.push({ path, message });
    if (faults.length === RATE_LIMITS.rateFaults) break;
  }
  if (faults.length > 0) return { kind: 'faults', faults };
  return { kind: 'table', rates: Object.fromEntries([...found].map(([currency, days]) => [currency, inOrder(days)])) };
}

function faultOf(currency: string, day: number, rate: number, own: string): string | undefined {
  if (currencyOf(currency) !== currency && !isCurrency(currency)) return CURRENCY_RULE;
  if (currency === own) return `must be of another currency than ${own}, which is the game's`;
  if (Number.isNaN(day)) return 'must be of a day, such as `2026-01-15`';
  if (!(rate > 0 && Number.isFinite(rate))) return 'must be a number greater than 0';
  return undefined;
}

/** NaN: it is no day. */
function dayOf(date: string): number {
  const day = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) / DAY_MS : Number.NaN;
  return !Number.isNaN(day) && dateOf(day) === date ? day : Number.NaN;
}

function inOrder(byDay: ReadonlyMap<number, number>): DailyRates {
  const entries = [...byDay].toSorted(([one], [other]) => one - other);
  return { days: entries.map(([day]) => day), rates: entries.map(([, rate]) => rate) };
}

/** The rows of a body. */
export function rowsOf(rates: RatesByDay): RateRow[] {
  return Object.entries(rates).flatMap(([currency, days]) =>
    Object.entries(days).map(([day, rate]) => ({ path: `/rates/${currency}/${day}`, currency, day, rate })),
  );
}

/** The rates of a stored table, as `rowsOf` takes them. */
export function ratesByDay({ rates }: ExchangeRatesDocument): RatesByDay {
  return Object.fromEntries(
    Object.entries(rates).map(([currency, { days, rates: ofDays }]) => [
      currency,
      Object.fromEntries(days.map((day, place) => [dateOf(day), ofDays[place] ?? 0])),
    ]),
  );
}
