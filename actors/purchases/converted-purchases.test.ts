import { assert, integer, property, array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Exchange, RecordPurchase, RefundPurchase } from '../../core/vocabulary/commands/recorded.ts';
import type { CallerKind } from '../../core/vocabulary/documents/scope.ts';
import { aPlayer } from '../testing-players.ts';
import { decideSteps, type PurchaseStep } from './testing-steps.ts';

/* Purchases in another currency than the game's. Amounts are in ten-thousandths: 15_000_000 is 1,500 yen. */

const ID = aPlayer().id;
const RATE = { rate: 0.00617 } as const;
const LATER = { rate: 0.00598 } as const;
const UNRATED = { rate: null, day: '2026-01-15' } as const;

interface Bought {
  by?: CallerKind;
  currency?: string | null;
  transactionId?: string;
}

function bought(
  amount: number,
  exchange?: Exchange,
  { by = 'server', currency = 'JPY', transactionId = 'tx-1' }: Bought = {},
) {
  const body: RecordPurchase = {
    kind: 'RecordPurchase',
    playerId: ID,
    amount,
    currency,
    productId: null,
    transactionId,
    eventId: `bought-${amount}-${by}`,
    ...(exchange === undefined ? {} : { exchange }),
  };
  return { body, by };
}
const refund = (amount: number | null = null, refundId: string | null = null) => {
  const body: RefundPurchase = {
    kind: 'RefundPurchase',
    playerId: ID,
    transactionId: 'tx-1',
    amount,
    refundId,
    eventId: 'e',
  };
  return { body, by: 'server' as const };
};

function after(...steps: PurchaseStep[]) {
  const { facts, ...outcome } = decideSteps(aPlayer(), steps);
  const events = facts.flatMap((fact) =>
    fact.kind === 'EventTracked' ? [{ name: fact.eventName, ...Object(JSON.parse(fact.properties)) }] : [],
  );
  return { ...outcome, facts, events };
}

describe('a purchase in another currency', () => {
  it("counts in the game's, and keeps what was paid: reply, fact, event and state", () => {
    const { replies, facts, events, state, totals } = after(bought(15_000_000, RATE));
    const paid = { amount: 15_000_000, currency: 'JPY' };
    expect(replies).toMatchObject([{ amount: 92_550, paid, totalRevenue: 92_550 }]);
    expect(facts[0]).toMatchObject({
      kind: 'PurchaseRecorded',
      amount: 92_550,
      currency: 'JPY',
      paid: { ...paid, ...RATE },
    });
    expect(events).toMatchObject([
      { name: 'purchase', amount: 9.255, paid_amount: 1500, exchange_rate: 0.00617, currency: 'JPY' },
    ]);
    expect(state?.recordedPurchases).toMatchObject([{ amount: 92_550, paid: { ...paid, ...RATE } }]);
    expect(totals).toEqual([92_550, 1, true]);
  });

  it('without a rate is refused with currency and day, and records nothing', () => {
    const { replies, facts } = after(bought(15_000_000, UNRATED));
    expect(replies).toMatchObject([
      { kind: 'failure', code: 'CONFLICT', details: { currency: 'JPY', day: '2026-01-15' } },
    ]);
    expect(facts).toEqual([]);
  });

  it.each([
    ['less than 0.0001', 100, 0.0001],
    ['more than the largest purchase', 9_000_000_000_000_000, 1.0837],
  ])('that is %s is refused', (_what, amount, rate) => {
    const { replies, facts } = after(bought(amount, { rate }));
    expect(replies).toMatchObject([{ kind: 'failure', code: 'CONFLICT', details: { currency: 'JPY' } }]);
    expect(facts).toEqual([]);
  });
});

describe('the same transaction again', () => {
  it.each<[string, Exchange | undefined]>([
    ['at another rate', LATER],
    ['without a rate', UNRATED],
    ['after the rates were deleted', undefined],
  ])('is a repeat %s, by the same caller and by the server of a client', (_what, exchange) => {
    for (const first of ['server', 'client'] as const) {
      const { replies, events, totals } = after(bought(15_000_000, RATE, { by: first }), bought(15_000_000, exchange));
      expect(replies[1]).toMatchObject({ kind: 'purchaseRecorded', amount: 92_550, replayed: true });
      expect(events.map(({ name }) => name)).toEqual(['purchase']);
      expect(totals).toEqual([92_550, 1, true]);
    }
  });

  it('that was not converted stays so when the game has rates later', () => {
    const { replies, events } = after(bought(15_000_000, undefined, { by: 'client' }), bought(15_000_000, RATE));
    expect(replies[1]).toMatchObject({ amount: 15_000_000, replayed: true });
    expect(replies[1]).not.toHaveProperty('paid');
    expect(events).toHaveLength(1);
  });

  it('with another amount is a correction, at the rate of the first report', () => {
    const { facts, events, totals } = after(bought(15_000_000, RATE, { by: 'client' }), bought(16_000_000, LATER));
    expect(facts.filter(({ kind }) => kind.startsWith('Purchase'))).toMatchObject([
      { kind: 'PurchaseRecorded', amount: 92_550 },
      { kind: 'PurchaseReversed', amount: 92_550, paid: { amount: 15_000_000 } },
      { kind: 'PurchaseRecorded', amount: 98_720, paid: { amount: 16_000_000, rate: 0.00617 } },
    ]);
    expect(events[1]).toMatchObject({
      name: 'purchase_corrected',
      amount: 9.872,
      previous_amount: 9.255,
      paid_amount: 1600,
    });
    expect(totals).toEqual([98_720, 1, true]);
  });

  it.each<[string, Exchange | undefined]>([
    ['without a rate of the day', UNRATED],
    ['after the rates were deleted', undefined],
  ])('with another amount counts at the rate of the first report %s', (_what, exchange) => {
    const { replies, totals } = after(bought(15_000_000, RATE, { by: 'client' }), bought(16_000_000, exchange));
    expect(replies[1]).toMatchObject({ amount: 98_720, paid: { amount: 16_000_000, currency: 'JPY' } });
    expect(totals).toEqual([98_720, 1, true]);
  });

  it('in another currency is a correction at its own rate', () => {
    const { replies } = after(
      bought(15_000_000, RATE, { by: 'client' }),
      bought(99_900, { rate: 0.9231 }, { currency: 'USD' }),
    );
    expect(replies[1]).toMatchObject({ amount: 92_218, paid: { amount: 99_900, currency: 'USD' } });
  });
});

describe('a refund of a converted purchase', () => {
  it('takes parts in the currency that was paid, at the rate of the purchase, and leaves nothing at the end', () => {
    const { replies, events, facts, totals } = after(bought(15_000_000, RATE), refund(5_000_000), refund());
    expect(replies.slice(1)).toMatchObject([
      { amount: 30_850, remaining: 61_700, paid: { amount: 5_000_000, remaining: 10_000_000, currency: 'JPY' } },
      { amount: 61_700, remaining: 0, paid: { amount: 10_000_000, remaining: 0 } },
    ]);
    expect(events.slice(1)).toMatchObject([
      { name: 'purchase_refunded', amount: 3.085, remaining: 6.17, paid_amount: 500, currency: 'JPY' },
      { name: 'purchase_refunded', amount: 6.17, remaining: 0, paid_amount: 1000 },
    ]);
    expect(facts.filter(({ kind }) => kind === 'PurchaseRefunded')).toHaveLength(2);
    expect(totals).toEqual([0, 0, false]);
  });

  it('of more than remains is refused in the currency that was paid', () => {
    const { replies } = after(bought(15_000_000, RATE), refund(5_000_000), refund(10_000_001));
    expect(replies[2]).toMatchObject({ code: 'CONFLICT', details: { remaining: 1_000 } });
    expect(Object(replies[2]).message).toContain('1000 JPY of the purchase of 1500 JPY remain');
  });

  it('is repeated by its id with the amount as it was sent', () => {
    const { replies } = after(
      bought(15_000_000, RATE),
      refund(5_000_000, 'r'),
      refund(5_000_000, 'r'),
      refund(30_850, 'r'),
    );
    expect(replies[2]).toEqual({ ...replies[1], replayed: true });
    expect(replies[3]).toMatchObject({ code: 'CONFLICT' });
  });

  it('of less than 0.0001 is refused', () => {
    const { replies } = after(bought(15_000_000, RATE), refund(80));
    expect(replies[1]).toMatchObject({ code: 'CONFLICT' });
    expect(Object(replies[1]).message).toContain("less than 0.0001 of the game's currency");
  });

  it('in any parts returns exactly what the purchase counted, and never more', () => {
    const parts = array(integer({ min: 100, max: 9_000_000 }), { maxLength: 6 });
    assert(
      property(parts, integer({ min: 1, max: 99_999 }), (amounts, digits) => {
        const steps = [
          bought(15_000_000, { rate: digits / 1_000_000 }),
          ...amounts.map((amount) => refund(amount)),
          refund(),
        ];
        const { state, replies } = after(...steps);
        expect([state?.totalRevenue, state?.purchaseCount]).toEqual([0, 0]);
        const returned = replies.flatMap((reply) => (reply.kind === 'purchaseRefunded' ? [reply.amount] : []));
        const [first] = replies;
        expect(returned.reduce((sum, part) => sum + part, 0)).toBe(
          first?.kind === 'purchaseRecorded' ? first.amount : 0,
        );
      }),
      { numRuns: 200 },
    );
  });
});
