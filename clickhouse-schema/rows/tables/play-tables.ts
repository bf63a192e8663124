import type { PurchaseImported, RefundImported, SessionImported } from '../../../core/vocabulary/facts/import-facts.ts';
import type {
  PurchaseHeld,
  PurchaseRecorded,
  PurchaseRefunded,
  PurchaseReversed,
  ReceiptDecided,
} from '../../../core/vocabulary/facts/purchase-facts.ts';
import type { SessionClosed, SessionRecorded } from '../../../core/vocabulary/facts/session-facts.ts';
import { keyKind } from '../event-source.ts';
import { createdMs, ORIGIN, SCOPE } from '../common-columns.ts';
import {
  int8,
  money,
  nullableMoney,
  nullableText,
  nullableTime,
  text,
  texts,
  time,
  uint32,
  uint64,
  uuid,
} from '../column-types.ts';
import { factTable } from './table.ts';

/** Tables of sessions, opened by an init or recorded by a caller, and of purchases. */

const sessions = factTable(['SessionClosed', 'SessionRecorded', 'SessionImported'], (fact) => [sessionRow(fact)])({
  placing: 'facts',
  onMerge: 'copy',
  receivedMs: (fact) => fact.at,
  columns: {
    ...SCOPE,
    session_id: text((fact) => fact.sessionId),
    player_id: uuid((fact) => fact.entityId),
    external_id: text((fact) => fact.externalId),
    end_reason: text((fact) => fact.endReason),
    start_time: nullableTime((fact) => fact.startedAt),
    end_time: nullableTime((fact) => fact.endedAt),
    duration_seconds: uint32((fact) => Math.round(fact.durationSeconds)),
    total_events: uint32((fact) => fact.eventCount),
    achievements_unlocked: texts((fact) => fact.achievements),
    interventions_shown: uint32((fact) => fact.interventionsShown),
    interventions_clicked: uint32((fact) => fact.interventionsClicked),
    received_at: time((fact) => fact.at),
    ...ORIGIN,
    facts_created: uint64((fact, { stream }) => (fact.kind === 'SessionImported' ? createdMs(stream) : 0)),
    platform: text((fact) => fact.platform ?? ''),
    app_version: text((fact) => fact.appVersion ?? ''),
    build: text((fact) => fact.build ?? ''),
    country: text((fact) => fact.country ?? ''),
  },
});

function sessionRow(fact: SessionClosed | SessionRecorded | SessionImported) {
  switch (fact.kind) {
    case 'SessionClosed':
      return { ...fact, endReason: fact.reason, startedAt: fact.openedAt };
    case 'SessionRecorded':
      return { ...fact, endReason: 'recorded', ...NOTHING_COUNTED };
    case 'SessionImported': {
      const times = { startedAt: fact.at - Math.round(fact.durationSeconds * 1_000), endedAt: fact.at };
      return { ...fact, endReason: 'imported', ...times, ...NOTHING_COUNTED };
    }
  }
}

const NOTHING_COUNTED = { eventCount: 0, achievements: [], interventionsShown: 0, interventionsClicked: 0 };

const purchases = factTable(
  [
    'PurchaseRecorded',
    'PurchaseHeld',
    'ReceiptDecided',
    'PurchaseReversed',
    'PurchaseRefunded',
    'PurchaseImported',
    'RefundImported',
  ],
  // A reversal, the purchase that replaces and a decided receipt have the time of the first report, so that the sum of
  // each day is right.
  // A refund has its own.
  (fact) => [purchaseRow(fact)],
)({
  placing: 'facts',
  onMerge: 'copy',
  receivedMs: ({ receivedAt }) => receivedAt,
  columns: {
    ...SCOPE,
    player_id: uuid((fact) => fact.entityId),
    external_id: text((fact) => fact.externalId),
    amount: money((fact) => signOf(fact) * fact.amount),
    currency: nullableText((fact) => fact.currency),
    paid_amount: nullableMoney(paidAmount),
    product_id: nullableText((fact) => fact.productId),
    transaction_id: nullableText((fact) => fact.transactionId),
    received_at: time((fact) => fact.receivedAt),
    recorded_by: text((fact) => fact.recordedBy),
    counts: int8((fact) => fact.counts),
    kind: text((fact) => fact.rowKind),
    refund_id: nullableText((fact) => fact.refundId),
    store: text((fact) => fact.store),
    receipt_state: text((fact) => fact.receiptState),
    receipt_reason: text((fact) => fact.reason),
    reported_amount: nullableMoney((fact) => fact.reportedAmount),
    proven_product_id: nullableText((fact) => fact.provenProductId),
    ...ORIGIN,
    facts_created: uint64((fact, { stream }) => (fact.recordedBy === 'import' ? createdMs(stream) : 0)),
  },
});

function paidAmount(fact: ReturnType<typeof purchaseRow>): number | null {
  return fact.paid === undefined ? null : signOf(fact) * fact.paid.amount;
}

/** What a row does with its amount: adds it, takes it off, or nothing. */
function signOf({ rowKind, counts }: { rowKind: string; counts: number }): number {
  return rowKind === 'refund' ? -1 : counts;
}

type PurchaseFact =
  | PurchaseRecorded
  | PurchaseHeld
  | ReceiptDecided
  | PurchaseReversed
  | PurchaseRefunded
  | PurchaseImported
  | RefundImported;

const NO_RECEIPT = { store: '', receiptState: '', reason: '', provenProductId: null } as const;
const OTHER = { ...NO_RECEIPT, refundId: null, reportedAmount: null } as const;

function purchaseRow(fact: PurchaseFact) {
  switch (fact.kind) {
    case 'PurchaseRecorded':
    case 'PurchaseHeld': {
      const { firstReportedAt: receivedAt = fact.at, receipt, amount: reportedAmount } = fact;
      const isHeld = fact.kind === 'PurchaseHeld';
      const what = isHeld ? { counts: 0, rowKind: 'held' } : { counts: 1, rowKind: 'purchase' };
      const { store = '', state: receiptState = '', reason = '' } = receipt ?? {};
      const by = { ...OTHER, store, receiptState, reason, reportedAmount, recordedBy: keyKind(fact.by) };
      return { ...fact, ...by, ...what, receivedAt };
    }
    case 'PurchaseImported':
      return { ...fact, ...OTHER, ...IMPORTED, receivedAt: fact.at, reportedAmount: fact.amount };
    case 'ReceiptDecided': {
      const { verdict, recordedAt: receivedAt, reason, by: recordedBy } = fact;
      const state = { rowKind: verdict, receiptState: verdict, reason: reason ?? '', recordedBy };
      return { ...fact, refundId: null, reportedAmount: null, ...state, receivedAt };
    }
    case 'PurchaseReversed':
      return { ...fact, ...OTHER, receivedAt: fact.recordedAt, recordedBy: 'client', counts: -1, rowKind: 'replaced' };
    case 'PurchaseRefunded':
    case 'RefundImported': {
      const recordedBy = fact.kind === 'RefundImported' ? 'import' : 'server';
      const { at: receivedAt, refundId } = fact;
      const counts = fact.remaining === 0 ? -1 : 0;
      return { ...fact, ...OTHER, refundId, receivedAt, recordedBy, counts, rowKind: 'refund' };
    }
  }
}

const IMPORTED = { recordedBy: 'import', counts: 1, rowKind: 'purchase' } as const;

export const PLAY_TABLES = { sessions, purchases };
