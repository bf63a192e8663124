import { describe, expect, it } from 'vitest';
import type {
  DecideReceipt,
  ReceiptVerdict,
  RecordPurchase,
  RefundPurchase,
} from '../../core/vocabulary/commands/recorded.ts';
import type { CallerKind } from '../../core/vocabulary/documents/scope.ts';
import { aPlayer } from '../testing-players.ts';
import { decideSteps, type PurchaseStep } from './testing-steps.ts';

/* Purchases with receipts. Amounts are in ten-thousandths. */

const ID = aPlayer().id;

interface Bought {
  by?: CallerKind;
  amount?: number;
  store?: 'apple';
  countsVerified?: true;
  transactionId?: string | null;
}

const bought = ({ by = 'client', amount = 99_900, transactionId = 'tx-1', ...some }: Bought = {}) => {
  const what = { currency: 'EUR', productId: 'gems', transactionId, eventId: `bought-${by}` };
  const body: RecordPurchase = { kind: 'RecordPurchase', playerId: ID, amount, ...what, ...some };
  return { body, by };
};
const decided = (verdict: ReceiptVerdict, transactionId = 'tx-1') => {
  const what = { playerId: ID, transactionId, store: 'apple', verdict, eventId: 'receipt' } as const;
  const body: DecideReceipt = { kind: 'DecideReceipt', ...what };
  return { body, by: 'server' as const };
};
const refund = (amount: number | null = null) => {
  const what = { playerId: ID, transactionId: 'tx-1', amount, refundId: null, eventId: 'refund' };
  const body: RefundPurchase = { kind: 'RefundPurchase', ...what };
  return { body, by: 'server' as const };
};
const VERIFIED = { kind: 'verified', productId: 'gems' } as const;
const FORGED = { kind: 'rejected', reason: 'invalid_signature' } as const;
const REFUNDED = { kind: 'rejected', reason: 'refunded' } as const;

const APPLE = { store: 'apple' } as const;
const STRICT = { store: 'apple', countsVerified: true } as const;

function after(...steps: PurchaseStep[]) {
  const { facts, ...outcome } = decideSteps(aPlayer(), steps);
  const events = facts.flatMap((fact) => (fact.kind === 'EventTracked' ? [fact.eventName] : []));
  return { ...outcome, facts, events, last: outcome.replies.at(-1) };
}

describe('where all purchases count', () => {
  it('a receipt waits, and its verification changes no total', () => {
    const { replies, totals, events } = after(bought(APPLE), decided(VERIFIED));
    expect(replies).toMatchObject([{ state: 'pending' }, { state: 'verified', totalRevenue: 99_900 }]);
    expect(totals).toEqual([99_900, 1, true]);
    expect(events).toEqual(['purchase', 'purchase_verified']);
  });

  it('a rejected receipt takes the purchase back at the time of its report, and leaves the reason', () => {
    const { facts, totals, events, last } = after(bought(APPLE), decided(FORGED));
    expect(last).toMatchObject({ state: 'rejected', reason: 'invalid_signature', totalRevenue: 0, purchaseCount: 0 });
    expect(facts.find(({ kind }) => kind === 'ReceiptDecided')).toMatchObject({ counts: -1, recordedAt: 2_000 });
    expect(totals).toEqual([0, 0, false]);
    expect(events).toEqual(['purchase', 'purchase_rejected']);
  });

  it('a rejection takes back what refunds left', () => {
    const { totals } = after(bought(APPLE), refund(40_000), decided(FORGED));
    expect(totals).toEqual([0, 0, false]);
  });

  it('a rejected receipt of a purchase that was reported without one changes nothing', () => {
    const { totals, last } = after(bought(), decided(FORGED));
    expect(totals).toEqual([99_900, 1, true]);
    expect(last).not.toHaveProperty('state');
  });

  it('a purchase that was reported without a receipt can be verified later', () => {
    expect(after(bought(), decided(VERIFIED)).last).toMatchObject({ state: 'verified', totalRevenue: 99_900 });
  });

  it("a server's correction keeps what is known of the receipt", () => {
    const { last, totals } = after(bought(APPLE), decided(VERIFIED), bought({ by: 'server', amount: 199_900 }));
    expect(last).toMatchObject({ state: 'verified', amount: 199_900 });
    expect(totals).toEqual([199_900, 1, true]);
  });
});

describe('where verified purchases count', () => {
  it('one with a receipt counts when it is verified, at the time of its report', () => {
    const { replies, facts, totals, events } = after(bought(STRICT), decided(VERIFIED));
    expect(replies).toMatchObject([
      { state: 'pending', amount: 99_900, totalRevenue: 0, purchaseCount: 0 },
      { state: 'verified', amount: 99_900, totalRevenue: 99_900, purchaseCount: 1 },
    ]);
    expect(facts.find(({ kind }) => kind === 'ReceiptDecided')).toMatchObject({ counts: 1, recordedAt: 2_000 });
    expect(totals).toEqual([99_900, 1, true]);
    expect(events).toEqual(['purchase', 'purchase_verified']);
  });

  it('a late verification is no activity of the player', () => {
    const { state } = after(bought(STRICT), decided(VERIFIED));
    expect(state?.lastSeenAt).toBe(2_000);
  });

  it('one with a rejected receipt never counts, for a server that repeats it either', () => {
    const { totals, last, events } = after(bought(STRICT), decided(FORGED), bought({ ...STRICT, by: 'server' }));
    expect(last).toMatchObject({ state: 'rejected', replayed: true });
    expect(totals).toEqual([0, 0, false]);
    expect(events).toEqual(['purchase_rejected']);
  });

  it('one by a client key without a receipt waits, until a server vouches for it', () => {
    const { replies, totals, events } = after(
      bought({ countsVerified: true }),
      bought({ countsVerified: true, by: 'server' }),
    );
    expect(replies).toMatchObject([{ state: 'pending', totalRevenue: 0 }, { totalRevenue: 99_900 }]);
    expect(replies[1]).not.toHaveProperty('state');
    expect(totals).toEqual([99_900, 1, true]);
    expect(events).toEqual(['purchase']);
  });

  it('one by a server key with a receipt waits for it too', () => {
    expect(after(bought({ ...STRICT, by: 'server' })).totals).toEqual([0, 0, false]);
  });

  it('one without a transaction adds nothing', () => {
    expect(after(bought({ countsVerified: true, transactionId: null })).totals).toEqual([0, 0, false]);
  });

  it('what counted before the setting changed counts on', () => {
    const { totals } = after(bought(APPLE), bought({ ...STRICT, by: 'server' }));
    expect(totals).toEqual([99_900, 1, true]);
  });

  it('one that waits cannot be refunded', () => {
    expect(after(bought(STRICT), refund()).last).toMatchObject({ kind: 'failure', code: 'CONFLICT' });
  });
});

describe('a decided receipt', () => {
  it.each([APPLE, STRICT])('decides once (%j)', (how) => {
    const { totals, replies, events } = after(bought(how), decided(VERIFIED), decided(VERIFIED), decided(FORGED));
    expect(replies.slice(2)).toMatchObject([
      { state: 'verified', replayed: true },
      { state: 'verified', replayed: true },
    ]);
    expect(totals).toEqual([99_900, 1, true]);
    expect(events).toEqual(['purchase', 'purchase_verified']);
  });

  it.each([APPLE, STRICT])('that was rejected gives way to a valid one (%j)', (how) => {
    const { totals, last } = after(bought(how), decided(FORGED), decided(VERIFIED));
    expect(last).toMatchObject({ state: 'verified' });
    expect(last).not.toHaveProperty('reason');
    expect(totals).toEqual([99_900, 1, true]);
  });

  it.each([APPLE, STRICT])('that the store has refunded never counts again (%j)', (how) => {
    const { totals, last } = after(bought(how), decided(REFUNDED), decided(VERIFIED));
    expect(last).toMatchObject({ state: 'rejected', reason: 'refunded' });
    expect(totals).toEqual([0, 0, false]);
  });

  it('is refunded once, and its state says so', () => {
    const { totals, replies } = after(bought(STRICT), decided(VERIFIED), refund(), bought(STRICT));
    expect(replies[3]).toMatchObject({ state: 'refunded', replayed: true });
    expect(totals).toEqual([0, 0, false]);
  });

  it('of an unknown transaction is refused', () => {
    expect(after(bought(APPLE), decided(VERIFIED, 'tx-2')).last).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('names the product that it proves if the report named another', () => {
    const { facts } = after(bought(APPLE), decided({ kind: 'verified', productId: 'coins' }));
    const said = facts.flatMap((fact) => (fact.kind === 'EventTracked' ? [JSON.parse(fact.properties)] : []));
    expect(said[1]).toMatchObject({ product_id: 'gems', proven_product_id: 'coins', store: 'apple' });
  });
});
