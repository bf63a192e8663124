import { dateOf, dayIn } from '../../core/kernel/zoned-days.ts';
import type { Exchange } from '../../core/vocabulary/commands/recorded.ts';
import type { DocumentAddress } from '../../core/vocabulary/documents/documents.ts';
import type { DailyRates } from '../../core/vocabulary/documents/exchange-rates.ts';
import type { ConfigStore } from './config-store.ts';
import { currencyIn, gameAddress, zoneOf } from './games.ts';
import { SHARED_LIMITS } from '../../core/kernel/limits.ts';

/** The address of a game's exchange rates, which both environments share. */
export function ratesAddress(game: string): DocumentAddress<'exchange_rates'> {
  return { game, environment: '_', kind: 'exchange_rates', key: 'rates' };
}

/**
 * How an amount in `currency` counts in a game, at the rate of the day in the game's time zone.
 * @param currency `null`: the caller named none
 * @returns undefined: it is an amount of the game's currency, as every amount is in a game without rates
 */
export function exchangeOf(
  config: Pick<ConfigStore, 'get'>,
  game: string,
  currency: string | null,
  atMs: number,
): Exchange | undefined {
  const table = config.get(ratesAddress(game))?.document;
  if (table === undefined || currency === null) return undefined;
  const settings = config.get(gameAddress(game))?.document;
  const own = currencyIn(settings);
  if (currency === own) return undefined;
  const day = dayIn(zoneOf(settings), atMs);
  const rates = own === table.currency ? table.rates[currency] : undefined;
  const rate = rates === undefined ? undefined : rateOn(rates, day);
  return rate === undefined ? { rate: null, day: dateOf(day) } : { rate };
}

/** The rate of the newest day up to `day`; undefined: it is too old, or there is none. */
function rateOn({ days, rates }: DailyRates, day: number): number | undefined {
  let [from, to] = [0, days.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((days[middle] ?? 0) <= day) from = middle + 1;
    else to = middle;
  }
  const newest = days[from - 1];
  return newest !== undefined && newest >= day - SHARED_LIMITS.rateAgeDays ? rates[from - 1] : undefined;
}
