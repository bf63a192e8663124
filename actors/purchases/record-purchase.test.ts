import { describe, expect, it } from 'vitest';
import { PURCHASE_LIMITS } from './limits.ts';
import { SHARED_LIMITS } from '../../core/kernel/limits.ts';
import { STATE_LIMITS } from '../../core/vocabulary/limits.ts';
import type { RecordPurchase } from '../../core/vocabulary/commands/recorded.ts';
import { decide } from '../decide.ts';
import { createDraft } from '../runtime/term/draft.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { aCommand, aPlayer, definitionsOf } from '../testing-players.ts';
import type { CallerKind } from '../../core/vocabulary/documents/scope.ts';

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

/** The results of one player's purchases in order; `by` is the kind of key. */
function after(player: PlayerState | undefined, ...bodies: (RecordPurchase & { by?: CallerKind })[]) {
  const draft = createDraft(() => player);
  const replies = bodies.map(({ by, ...body }, n) =>
    decide(draft, aCommand(body, { receivedAt: 2_000 + n, ...(by === undefined ? {} : { by }) }), definitionsOf()),
  );
  const state = draft.get(ID);
  return { replies, facts: draft.facts, state: state?.kind === 'player' ? state : undefined };
}

describe('recording a purchase', () => {
  it('sums integers and makes the player a payer', () => {
    const { replies, state } = after(aPlayer(), purchase({ amount: 1_000 }), purchase({ amount: 2_000 }));
    expect(replies).toEqual([
      { kind: 'purchaseRecorded', playerId: ID, amount: 1_000, totalRevenue: 1_000, purchaseCount: 1 },
      { kind: 'purchaseRecorded', playerId: ID, amount: 2_000, totalRevenue: 3_000, purchaseCount: 2 },
    ]);
    expect(state).toMatchObject({ totalRevenue: 3_000, purchaseCount: 2, isPayer: true, lastSeenAt: 2_001 });
  });

  it('also tracks an event of a payer, with the amount in units', () => {
    const fields = { currency: 'EUR', productId: 'gems "100"', transactionId: 'tx-1' };
    const { facts } = after(aPlayer(), purchase(fields));
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

  it('counts a transaction once: a repeat changes nothing and repeats the first reply, whatever its fields', () => {
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

  describe('of a transaction that a client key recorded first', () => {
    const taken = {
      ...purchase({ transactionId: 'tx-1', amount: SHARED_LIMITS.purchaseAmount, productId: 'fake' }),
      by: 'client',
    } as const;
    const true1 = { ...purchase({ transactionId: 'tx-1', amount: 99_900 }), by: 'server' } as const;

    it('replaces it when a server key records it: one purchase, with the totals corrected', () => {
      const { replies, facts, state } = after(aPlayer(), taken, true1, true1, taken);
      const answer = { kind: 'purchaseRecorded', playerId: ID, amount: 99_900, totalRevenue: 99_900, purchaseCount: 1 };
      expect(replies.slice(1)).toEqual([answer, { ...answer, replayed: true }, { ...answer, replayed: true }]);
      expect(state).toMatchObject({ totalRevenue: 99_900, purchaseCount: 1, isPayer: true });
      expect(facts.filter(({ kind }) => kind.startsWith('Purchase'))).toMatchObject([
        { kind: 'PurchaseRecorded', by: 'client', amount: SHARED_LIMITS.purchaseAmount },
        {
          kind: 'PurchaseReversed',
          amount: SHARED_LIMITS.purchaseAmount,
          productId: 'fake',
          recordedAt: 2_000,
          at: 2_001,
        },
        { kind: 'PurchaseRecorded', by: 'server', amount: 99_900, at: 2_001, firstReportedAt: 2_000 },
      ]);
      expect(facts.filter(({ kind }) => kind === 'EventTracked')).toMatchObject([
        { eventName: 'purchase' },
        {
          eventName: 'purchase_corrected',
          properties: '{"amount":9.99,"previous_amount":900000000000,"transaction_id":"tx-1"}',
          timestamp: 2_001,
        },
      ]);
    });

    it('is no activity of the player: neither when last seen nor the stage follows the server', () => {
      const old = { lifecycleStage: 'churned', lastSeenAt: 1 } as const;
      for (const amount of [99_900, 5]) {
        const bought = after(aPlayer(old), { ...true1, by: 'client' }).state;
        const { state, facts } = after(bought && { ...bought, ...old, lifecycleDueAt: 0 }, { ...true1, amount });
        expect(state).toMatchObject({ lifecycleStage: 'churned', lastSeenAt: 2_000, totalRevenue: amount });
        expect(facts.map(({ kind }) => kind)).not.toContain('LifecycleChanged');
      }
    });

    it('confirms it when a server key sends the same values, without another event', () => {
      const same = { ...true1, by: 'client' } as const;
      const { replies, facts, state } = after(aPlayer(), same, true1, { ...true1, amount: 5 });
      expect(replies[1]).toEqual({ ...replies[0], replayed: true });
      expect(replies[2]).toEqual({ ...replies[0], replayed: true });
      expect(facts.filter(({ kind }) => kind === 'EventTracked')).toHaveLength(1);
      expect(state).toMatchObject({ totalRevenue: 99_900, purchaseCount: 1 });
    });

    it('keeps it for a client key, and keeps one recorded before kinds were stored', () => {
      const other = { ...taken, amount: 1 };
      expect(after(aPlayer(), taken, other).state?.totalRevenue).toBe(SHARED_LIMITS.purchaseAmount);
      expect(after(aPlayer(), true1, other).state?.totalRevenue).toBe(99_900);
      expect(after(aPlayer(), purchase({ transactionId: 'tx-1' }), { ...true1, amount: 1 }).state?.totalRevenue).toBe(
        99_900,
      );
    });

    it('also replaces it when later purchases left only its amount in the state', () => {
      const many = Array.from({ length: PURCHASE_LIMITS.detailedPurchases + 1 }, (_, n) => ({
        ...purchase({ transactionId: `tx-${n}`, amount: 2, currency: 'EUR' }),
        by: 'client' as const,
      }));
      const { facts, state } = after(aPlayer(), ...many, {
        ...purchase({ transactionId: 'tx-0', amount: 1 }),
        by: 'server',
      });
      expect(state).toMatchObject({ totalRevenue: 2 * many.length - 1, purchaseCount: many.length });
      expect(facts.find(({ kind }) => kind === 'PurchaseReversed')).toMatchObject({ amount: 2, currency: null });
    });
  });

  it('by a client leaves quota for a server, whatever the client claims', () => {
    const most = { ...purchase({ amount: SHARED_LIMITS.purchaseAmount }), by: 'client' } as const;
    const { replies, state } = after(
      aPlayer(),
      most,
      { ...most, amount: 1 },
      { ...most, amount: 99_900, by: 'server' },
    );
    expect(replies).toMatchObject([{ kind: 'purchaseRecorded' }, { code: 'CONFLICT' }, { kind: 'purchaseRecorded' }]);
    expect(state?.totalRevenue).toBe(SHARED_LIMITS.purchaseAmount + 99_900);
  });

  it('by a client never evicts a transaction of a server', () => {
    const held = Array.from({ length: STATE_LIMITS.recordedPurchases - 1 }, (_, n) => ({
      digest: `d${n}`,
      amount: 1,
      totalRevenue: n,
      purchaseCount: n,
    }));
    const byClient = (n: number) => ({ ...purchase({ transactionId: `tx-${n}` }), by: 'client' }) as const;
    const { state } = after(aPlayer({ recordedPurchases: held }), byClient(1), byClient(2), byClient(3));
    expect(state?.recordedPurchases).toHaveLength(STATE_LIMITS.recordedPurchases);
    expect(state?.recordedPurchases.slice(0, -1)).toEqual(held);
  });

  it('counts every purchase without a transaction', () => {
    expect(after(aPlayer(), purchase(), purchase(), purchase()).state?.purchaseCount).toBe(3);
  });

  it('refuses a purchase beyond the largest total, and changes nothing', () => {
    const player = aPlayer({ totalRevenue: STATE_LIMITS.totalRevenue - 10, purchaseCount: 7 });
    const { replies, state } = after(
      player,
      purchase({ amount: 11 }),
      purchase({ amount: 10 }),
      purchase({ amount: 1 }),
    );
    expect(replies).toMatchObject([
      { kind: 'failure', code: 'CONFLICT' },
      { kind: 'purchaseRecorded', totalRevenue: STATE_LIMITS.totalRevenue, purchaseCount: 8 },
      { kind: 'failure', code: 'CONFLICT' },
    ]);
    expect(state).toMatchObject({ totalRevenue: STATE_LIMITS.totalRevenue, purchaseCount: 8 });
  });

  it('is refused for a missing player and for a player of another game or environment', () => {
    for (const player of [undefined, aPlayer({ game: 'other' }), aPlayer({ environment: 'test' })]) {
      const { replies, facts } = after(player, purchase());
      expect(replies).toMatchObject([{ kind: 'failure', code: 'PLAYER_NOT_FOUND' }]);
      expect(facts).toEqual([]);
    }
  });
});
