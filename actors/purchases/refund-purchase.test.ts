import { describe, expect, it } from 'vitest';
import { compileCondition } from '../conditions/compile-condition.ts';
import { decide } from '../decide.ts';
import { createDraft } from '../runtime/term/draft.ts';
import { createSegmentSet } from '../segments/segment-set.ts';
import { aCommand, aPlayer, definitionsOf } from '../testing-players.ts';
import { decideSteps, type PurchaseStep } from './testing-steps.ts';
import { PURCHASE_LIMITS } from './limits.ts';
import type { RecordPurchase, RefundPurchase } from '../../core/vocabulary/commands/recorded.ts';
import type { CallerKind } from '../../core/vocabulary/documents/scope.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';

const ID = aPlayer().id;

const bought = (transactionId: string | null, amount = 99_900, by: CallerKind = 'server') => {
  const details = { currency: 'EUR', productId: 'gems', eventId: `bought-${transactionId}` };
  const body: RecordPurchase = { kind: 'RecordPurchase', playerId: ID, amount, transactionId, ...details };
  return { body, by };
};
const refund = (transactionId: string, amount: number | null = null, refundId: string | null = null) => {
  const body: RefundPurchase = { kind: 'RefundPurchase', playerId: ID, transactionId, amount, refundId, eventId: 'e' };
  return { body, by: 'server' as const };
};

const after = (player: PlayerState | undefined, ...steps: PurchaseStep[]) => decideSteps(player, steps);

describe('a refund', () => {
  it('of a part leaves the purchase, of the rest takes it away', () => {
    const { replies, facts, state } = after(aPlayer(), bought('tx-1'), refund('tx-1', 20_000), refund('tx-1'));
    const totals = { kind: 'purchaseRefunded', playerId: ID };
    expect(replies.slice(1)).toEqual([
      { ...totals, amount: 20_000, remaining: 79_900, totalRevenue: 79_900, purchaseCount: 1 },
      { ...totals, amount: 79_900, remaining: 0, totalRevenue: 0, purchaseCount: 0 },
    ]);
    expect(state).toMatchObject({ totalRevenue: 0, purchaseCount: 0, isPayer: false });
    expect(facts.filter(({ kind }) => kind === 'PurchaseRefunded')).toMatchObject([
      { amount: 20_000, remaining: 79_900, currency: 'EUR', productId: 'gems', transactionId: 'tx-1' },
      { amount: 79_900, remaining: 0, refundId: null },
    ]);
  });

  it('is an event of the player as it is afterwards, but no activity', () => {
    const { facts, state } = after(aPlayer(), bought('tx-1'), refund('tx-1', null, 'r-1'));
    expect(facts.filter(({ kind }) => kind === 'EventTracked').at(-1)).toMatchObject({
      eventName: 'purchase_refunded',
      by: 'service',
      isPayer: false,
      properties:
        '{"amount":9.99,"remaining":0,"currency":"EUR","product_id":"gems","transaction_id":"tx-1","refund_id":"r-1"}',
    });
    expect(state).toMatchObject({ lastSeenAt: 2_000 });
    expect(state?.counters.find(({ name }) => name === 'purchase_refunded')?.counts[0]).toBe(1);
  });

  it('does not wake a player who churned, and schedules nothing', () => {
    const churned = aPlayer({
      ...after(aPlayer(), bought('tx-1')).state,
      lifecycleStage: 'churned',
      lifecycleDueAt: 0,
    });
    const { facts, state } = after(churned, refund('tx-1', 1));
    expect(state).toMatchObject({ lifecycleStage: 'churned', lifecycleDueAt: 0, lastSeenAt: churned.lastSeenAt });
    expect(facts.map(({ kind }) => kind)).toEqual(['PurchaseRefunded', 'EventTracked']);
  });

  it('is never of more than remains', () => {
    const { replies, state } = after(aPlayer(), bought('tx-1'), refund('tx-1', 99_901), refund('tx-1', 99_900));
    expect(replies[1]).toEqual({
      kind: 'failure',
      code: 'CONFLICT',
      message:
        '`amount` is 9.9901; 9.99 of the purchase of 9.99 remain. Send at most that, or no `amount` to refund what remains.',
      details: { remaining: 9.99 },
    });
    expect(state).toMatchObject({ totalRevenue: 0 });
    const again = after(state, refund('tx-1'), refund('tx-1', 1));
    expect(again.replies).toMatchObject([
      { code: 'CONFLICT', message: 'The purchase of 9.99 is refunded already; nothing of it remains.' },
      { code: 'CONFLICT', details: { remaining: 0 } },
    ]);
    expect(again.facts).toEqual([]);
  });

  it('of an unknown transaction, or of a missing player, is refused', () => {
    const { replies, facts } = after(aPlayer(), refund('tx-1'));
    expect(replies).toMatchObject([{ code: 'NOT_FOUND', message: expect.stringContaining('latest 10,000') }]);
    expect(facts).toEqual([]);
    expect(after(undefined, refund('tx-1')).replies).toMatchObject([{ code: 'PLAYER_NOT_FOUND' }]);
  });

  it('counts once for its id, and answers a repeat as the first request', () => {
    const { replies, state } = after(
      aPlayer(),
      bought('tx-1'),
      bought('tx-2'),
      refund('tx-1', 20_000, 'r-1'),
      refund('tx-2', null, 'r-2'),
      refund('tx-1', 20_000, 'r-1'),
      refund('tx-2', null, 'r-2'),
      refund('tx-2', 99_900, 'r-2'),
    );
    expect(replies[4]).toEqual({ ...replies[2], replayed: true });
    expect(replies[5]).toEqual({ ...replies[3], replayed: true });
    expect(replies[6]).toEqual({ ...replies[3], replayed: true });
    expect(state).toMatchObject({ totalRevenue: 79_900, purchaseCount: 1 });
  });

  it('with the id of another is refused', () => {
    const first = [bought('tx-1'), bought('tx-2'), refund('tx-1', 20_000, 'r-1')];
    for (const other of [refund('tx-1', 10_000, 'r-1'), refund('tx-1', null, 'r-1'), refund('tx-2', 20_000, 'r-1')]) {
      const { replies, state } = after(aPlayer(), ...first, other);
      expect(replies[3]).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('another `refund_id`') });
      expect(state?.totalRevenue).toBe(179_800);
    }
  });

  it('without an id is a new refund each time', () => {
    const { state } = after(aPlayer(), bought('tx-1'), refund('tx-1', 20_000), refund('tx-1', 20_000));
    expect(state?.totalRevenue).toBe(59_900);
  });

  it('confirms the purchase of a client key: a record of a server key changes it no more', () => {
    const first = bought('tx-1', 99_900, 'client');
    const { replies, state } = after(aPlayer(), first, refund('tx-1', 20_000), bought('tx-1', 50_000));
    expect(replies[2]).toEqual({ ...replies[0], replayed: true });
    expect(state).toMatchObject({ totalRevenue: 79_900, purchaseCount: 1 });
  });

  it('leaves a player with another purchase a payer', () => {
    const { state } = after(aPlayer(), bought('tx-1'), bought(null, 5), refund('tx-1'));
    expect(state).toMatchObject({ isPayer: true, purchaseCount: 1, totalRevenue: 5 });
  });

  it('moves the player between segments at once', () => {
    const conditions = { is_payer: true };
    const made = compileCondition(conditions);
    if (made.kind === 'invalid') throw new Error('does not compile');
    const segment = { id: 'seg_1', key: 'payers', condition: made.condition };
    const segments = createSegmentSet([{ segment, conditions }]);
    const paid = after(aPlayer(), bought('tx-1')).state;
    const member = aPlayer({ ...paid, segments: [{ segmentId: 'seg_1', segmentKey: 'payers', since: 1 }] });
    const draft = createDraft(() => member);
    decide(draft, aCommand(refund('tx-1').body, { by: 'server' }), definitionsOf({}, segments));
    expect(draft.facts.map(({ kind }) => kind)).toContain('SegmentExited');
  });

  it('of an older purchase has no currency and no product, and older ids are forgotten', () => {
    const player = after(aPlayer(), bought('tx-0', 5_000_000)).state;
    const many = Array.from({ length: PURCHASE_LIMITS.detailedPurchases }, (_, n) => bought(`tx-${n + 1}`));
    const { state } = after(player, ...many);
    const { facts } = after(state, refund('tx-0', 1));
    expect(facts[0]).toMatchObject({ kind: 'PurchaseRefunded', currency: null, productId: null });
    const refunds = Array.from({ length: PURCHASE_LIMITS.recordedRefunds + 1 }, (_, n) => refund('tx-0', 1, `r-${n}`));
    const refunded = after(player, ...refunds);
    expect(refunded.state?.recordedRefunds).toHaveLength(PURCHASE_LIMITS.recordedRefunds);
    expect(after(refunded.state, refund('tx-0', 1, 'r-1')).replies).toMatchObject([{ replayed: true }]);
  });
});
