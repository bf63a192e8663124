import type { AnswerOf } from '../../../frame/api.ts';

/* The purchases of a player, from entries of its timeline. */

export type Entry = AnswerOf<'GET /v1/players/players/{id}/timeline'>['entries'][number];

export interface Purchase {
  /** Unique in the list. */
  id: string;
  at: string;
  product: string;
  /** Empty: it has none, and cannot be refunded. */
  transaction: string;
  currency: string;
  by: string;
  paid: number;
  refunded: number;
  /** Of a purchase that was converted: the same in `currency`, in which it is refunded. */
  sent?: { paid: number; refunded: number };
}

/**
 * One line for each transaction, by its last record: a record of a server replaces one of a client.
 * @param entries newest first, from the newest on: the refunds of a purchase are newer than it
 */
export function purchasesOf(entries: readonly Entry[]): Purchase[] {
  const refunds = new Map<string, number>();
  const returned = new Map<string, number>();
  const found = new Map<string, Purchase>();
  for (const [place, { id: transaction = '', what, number: amount = 0, ...entry }] of entries.entries()) {
    if (what === 'refunded') refunds.set(transaction, (refunds.get(transaction) ?? 0) - amount);
    if (what === 'refunded') returned.set(transaction, (returned.get(transaction) ?? 0) - (entry.paid?.amount ?? 0));
    const id = transaction === '' ? `${entry.received_at} ${place}` : transaction;
    if (what !== 'recorded' || found.has(id)) continue;
    const currency = typeof entry.value === 'string' ? entry.value : '';
    const { received_at: at, name: product, why: by = '', paid } = entry;
    const sent = paid === undefined ? {} : { sent: { paid: paid.amount, refunded: 0 } };
    found.set(id, { id, at, product, transaction, currency, by, paid: amount, refunded: 0, ...sent });
  }
  return [...found.values()].map(({ sent, ...each }) => ({
    ...each,
    refunded: exact(refunds.get(each.transaction) ?? 0),
    ...(sent && { sent: { ...sent, refunded: exact(returned.get(each.transaction) ?? 0) } }),
  }));
}

/** What can be refunded of a purchase, in the currency in which the service takes it. */
export function refundable(purchase: Purchase, own: string | null): { most: number; currency: string } {
  const { sent, currency } = purchase;
  if (sent === undefined) return { most: remainsOf(purchase), currency: own ?? '' };
  return { most: remainsOf(purchase) > 0 ? remainsOf(sent) : 0, currency };
}

/** What remains of a purchase. */
export const remainsOf = ({ paid, refunded }: Pick<Purchase, 'paid' | 'refunded'>): number => exact(paid - refunded);

/** With the four decimals that amounts have. */
const exact = (amount: number): number => Math.round(amount * 10_000) / 10_000;

/** An amount that a person writes; `undefined`: it is none, or not above 0 and at most `most`. */
export function amountOf(text: string, most: number): number | undefined {
  const amount = text.trim() === '' ? Number.NaN : exact(Number(text.trim().replace(',', '.')));
  return amount > 0 && amount <= most ? amount : undefined;
}
