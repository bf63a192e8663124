import { describe, expect, it } from 'vitest';
import type { PurchaseRecorded, PurchaseReversed } from '../../../core/vocabulary/facts/purchase-facts.ts';
import { namedRowsOf } from '../testing-rows.ts';
import type { SessionRecorded } from '../../../core/vocabulary/facts/session-facts.ts';

const PLACE = { stream: '2026-01-01T00:00:00.5Z', sequence: 9, index: 2, partition: 1 };
const BASE = { game: 'demo', environment: 'live', entityId: 'p', at: 5_000, externalId: 'ext-1' } as const;
const session: SessionRecorded = {
  ...BASE,
  kind: 'SessionRecorded',
  sessionId: 's-1',
  digest: 'd',
  startedAt: 1_000,
  endedAt: null,
  durationSeconds: 3,
};
const purchase: PurchaseRecorded = {
  ...BASE,
  kind: 'PurchaseRecorded',
  amount: 1,
  currency: 'EUR',
  productId: null,
  transactionId: 'tx',
  digest: 'd',
};

describe('rows of sessions and purchases', () => {
  it('have a value for each column of their table', () => {
    const reversal: PurchaseReversed = {
      ...purchase,
      kind: 'PurchaseReversed',
      transactionId: 'tx',
      digest: 'd',
      recordedAt: 5_000,
      at: 9_000,
    };
    const replacing: PurchaseRecorded = { ...purchase, firstReportedAt: 5_000, at: 9_000 };
    for (const fact of [session, purchase, reversal, replacing]) {
      const [row, ...more] = namedRowsOf(fact, PLACE);
      expect(more).toEqual([]);
      if (row === undefined) throw new Error('there is no row');
      const [, values, receivedMs] = row;
      expect(Object.values(values)).not.toContain(undefined);
      expect(receivedMs).toBe(5_000);
    }
  });

  it('distinguish absent values from empty ones', () => {
    expect(namedRowsOf(session, PLACE)[0]?.[1]).toMatchObject({
      start_time: 1_000,
      end_time: null,
    });
    expect(namedRowsOf(purchase, PLACE)[0]?.[1]).toMatchObject({ amount: 1, product_id: null });
  });
});
