import type { RecordPurchase } from '../../../../core/vocabulary/commands/recorded.ts';
import type { Paid, RecordedPurchase } from '../../../../core/vocabulary/state/player.ts';

/** Purchases in other currencies as documented: half to even in ten-thousandths, at the rate of the first report. */

type Sent = Pick<RecordPurchase, 'amount' | 'currency' | 'exchange'>;

/** What a purchase counts, and what was paid; `undefined`: it is refused. */
export function modelCounted(sent: Sent, before?: RecordedPurchase): { amount: number; paid?: Paid } | undefined {
  const { amount, currency, exchange } = sent;
  if (before?.paid?.amount === amount && before.paid.currency === currency) {
    const { refunded: _, ...paid } = before.paid;
    return { amount: before.amount, paid };
  }
  const wasPlain = before !== undefined && before.paid === undefined;
  if (wasPlain && before.amount === amount && (before.details?.currency ?? currency) === currency) return { amount };
  if (currency === null) return { amount };
  const rate = before?.paid?.currency === currency ? before.paid.rate : exchange?.rate;
  if (rate === undefined) return { amount };
  const counted = rate === null ? 0 : modelConverted(amount, rate);
  return counted === 0 || rate === null ? undefined : { amount: counted, paid: { amount, currency, rate } };
}

/** Rates of the simulation have few digits and no exponent. */
export function modelConverted(amount: number, rate: number): number {
  const [whole = '', decimals = ''] = String(rate).split('.');
  const scale = 10n ** BigInt(decimals.length);
  const product = BigInt(amount) * BigInt(whole + decimals);
  const [floor, rest] = [product / scale, (product % scale) * 2n];
  return Number(rest > scale || (rest === scale && floor % 2n === 1n) ? floor + 1n : floor);
}
