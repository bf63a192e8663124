import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { RecordPurchase } from '../commands.ts';
import { decide } from '../decide.ts';
import { createDraft } from '../runtime/draft.ts';
import type { PlayerState } from '../state.ts';
import { aCommand, aPlayer, definitionsOf } from '../testing.ts';

const ID = aPlayer().id;

const purchase = (some: Partial<RecordPurchase> = {}): RecordPurchase => ({
  kind: 'RecordPurchase',
  playerId: ID,
  amount: 99_900,
  currency: null,
  productId: null,
  transactionId: null,
  eventId: 'e-1',
  ...some,
});

/** What purchases of one player lead to, one after another. */
function after(player: PlayerState | undefined, ...bodies: RecordPurchase[]) {
  const draft = createDraft(() => player);
  const replies = bodies.map((body) => decide(draft, aCommand(body), definitionsOf()));
  const state = draft.get(ID);
  return { replies, facts: draft.facts, state: state?.kind === 'player' ? state : undefined };
}

describe('recording a purchase', () => {
  it('adds up in integers and makes a payer', () => {
    const { replies, state } = after(aPlayer(), purchase({ amount: 1_000 }), purchase({ amount: 2_000 }));
    expect(replies).toEqual([
      { kind: 'purchaseRecorded', playerId: ID, amount: 1_000, totalRevenue: 1_000, purchaseCount: 1 },
      { kind: 'purchaseRecorded', playerId: ID, amount: 2_000, totalRevenue: 3_000, purchaseCount: 2 },
    ]);
    expect(state).toMatchObject({ totalRevenue: 3_000, purchaseCount: 2, isPayer: true, lastSeenAt: 2_000 });
  });

  it('is an event too, of a payer, with the amount in units', () => {
    const told = { currency: 'EUR', productId: 'gems "100"', transactionId: 'tx-1' };
    const { facts } = after(aPlayer(), purchase(told));
    expect(facts.map(({ kind }) => kind).slice(0, 2)).toEqual(['PurchaseRecorded', 'EventTracked']);
    expect(facts[1]).toMatchObject({
      eventId: 'e-1',
      eventName: 'purchase',
      properties: '{"amount":9.99,"currency":"EUR","product_id":"gems \\"100\\"","transaction_id":"tx-1"}',
      isPayer: true,
      timestamp: 2_000,
    });
    expect(after(aPlayer(), purchase()).facts[1]).toMatchObject({ properties: '{"amount":9.99}' });
  });

  it('counts a transaction once: a repeat changes nothing and answers as the first did, whatever it says', () => {
    const first = purchase({ transactionId: 'tx-1' });
    const { replies, facts, state } = after(
      aPlayer(),
      first,
      purchase({ transactionId: 'tx-2' }),
      purchase({ transactionId: 'tx-1', amount: 5, eventId: 'e-9' }),
    );
    expect(replies[2]).toEqual({ ...replies[0], replayed: true });
    expect(facts.filter(({ kind }) => kind === 'PurchaseRecorded')).toHaveLength(2);
    expect(state).toMatchObject({ totalRevenue: 199_800, purchaseCount: 2 });
  });

  it('counts every purchase without a transaction', () => {
    expect(after(aPlayer(), purchase(), purchase(), purchase()).state?.purchaseCount).toBe(3);
  });

  it('refuses what would pass the largest total, and changes nothing', () => {
    const player = aPlayer({ totalRevenue: LIMITS.totalRevenue - 10, purchaseCount: 7 });
    const { replies, state } = after(
      player,
      purchase({ amount: 11 }),
      purchase({ amount: 10 }),
      purchase({ amount: 1 }),
    );
    expect(replies).toMatchObject([
      { kind: 'failure', code: 'CONFLICT' },
      { kind: 'purchaseRecorded', totalRevenue: LIMITS.totalRevenue, purchaseCount: 8 },
      { kind: 'failure', code: 'CONFLICT' },
    ]);
    expect(state).toMatchObject({ totalRevenue: LIMITS.totalRevenue, purchaseCount: 8 });
  });

  it('of nobody, or of a player of another game or environment, is refused', () => {
    for (const player of [undefined, aPlayer({ game: 'other' }), aPlayer({ environment: 'test' })]) {
      const { replies, facts } = after(player, purchase());
      expect(replies).toMatchObject([{ kind: 'failure', code: 'PLAYER_NOT_FOUND' }]);
      expect(facts).toEqual([]);
    }
  });
});
