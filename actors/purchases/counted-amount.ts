import { type Failure, failure } from '../../core/kernel/errors.ts';
import { SHARED_LIMITS } from '../../core/kernel/limits.ts';
import { convertedAt, LARGEST_PURCHASE, unitsText } from '../../core/kernel/money.ts';
import type { Exchange, RecordPurchase } from '../../core/vocabulary/commands/recorded.ts';
import type { Paid, RecordedPurchase } from '../../core/vocabulary/state/player.ts';

/** What a purchase counts in the game's currency, and what was paid if that is another one. */
export interface CountedAmount {
  kind: 'counted';
  amount: number;
  paid?: Paid;
}

/**
 * What a purchase counts. The same amount of a transaction, reported again, counts as before, whatever became of the
 * rates meanwhile. Another amount of it counts at the rate of the first report, whose day it belongs to.
 */
export function countedAmount(
  { amount: sent, currency, exchange }: Pick<RecordPurchase, 'amount' | 'currency' | 'exchange'>,
  earlier?: RecordedPurchase,
): CountedAmount | Failure {
  if (earlier !== undefined && isSameReport(earlier, sent, currency)) return countedBefore(earlier);
  if (currency === null) return { kind: 'counted', amount: sent };
  const of: Exchange | undefined = earlier?.paid?.currency === currency ? { rate: earlier.paid.rate } : exchange;
  if (of === undefined) return { kind: 'counted', amount: sent };
  if (of.rate === null) return unrated(currency, of.day);
  const { rate } = of;
  const amount = convertedAt(rate, sent);
  if (amount === 0 || amount > SHARED_LIMITS.purchaseAmount) return outOfBounds(sent, currency, rate);
  return { kind: 'counted', amount, paid: { amount: sent, currency, rate } };
}

function isSameReport({ amount, paid, details }: RecordedPurchase, sent: number, currency: string | null): boolean {
  const before = paid?.currency ?? (details === undefined ? currency : details.currency);
  return sent === (paid?.amount ?? amount) && currency === before;
}

export function countedBefore({ amount, paid }: RecordedPurchase): CountedAmount {
  if (paid === undefined) return { kind: 'counted', amount };
  const { refunded: _, ...sent } = paid;
  return { kind: 'counted', amount, paid: sent };
}

function unrated(currency: string, day: string): Failure {
  const message =
    `There is no exchange rate of ${currency} for ${day} or the ${SHARED_LIMITS.rateAgeDays} days before it, so the ` +
    'purchase is refused. Upload one (PUT /v1/settings/exchange-rates), then send the purchase again.';
  return failure('CONFLICT', message, { currency, day });
}

function outOfBounds(sent: number, currency: string, rate: number): Failure {
  return failure(
    'CONFLICT',
    `${unitsText(sent)} ${currency} at the rate ${rate} is less than 0.0001 or more than ${LARGEST_PURCHASE} of the ` +
      "game's currency. Check the amount and the rate.",
    { currency },
  );
}
