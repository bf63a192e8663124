import type { PurchaseImported, RefundImported, SessionImported } from '../../../core/vocabulary/facts/import-facts.ts';
import type {
  PurchaseRecorded,
  PurchaseRefunded,
  PurchaseReversed,
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
  ['PurchaseRecorded', 'PurchaseReversed', 'PurchaseRefunded', 'PurchaseImported', 'RefundImported'],
  // A reversal and the purchase that replaces have the time of the first report, so that the sum of each day is right.
  // A refund has its own.
  (fact) => [purchaseRow(fact)],
)({
  placing: 'facts',
  receivedMs: ({ receivedAt }) => receivedAt,
  columns: {
    ...SCOPE,
    player_id: uuid((fact) => fact.entityId),
    external_id: text((fact) => fact.externalId),
    amount: money((fact) => (fact.rowKind === 'purchase' ? fact.amount : -fact.amount)),
    currency: nullableText((fact) => fact.currency),
    paid_amount: nullableMoney(paidAmount),
    product_id: nullableText((fact) => fact.productId),
    transaction_id: nullableText((fact) => fact.transactionId),
    received_at: time((fact) => fact.receivedAt),
    recorded_by: text((fact) => fact.recordedBy),
    counts: int8((fact) => fact.counts),
    kind: text((fact) => fact.rowKind),
    refund_id: nullableText((fact) => fact.refundId),
    ...ORIGIN,
    facts_created: uint64((fact, { stream }) => (fact.recordedBy === 'import' ? createdMs(stream) : 0)),
  },
});

function paidAmount({ paid, rowKind }: ReturnType<typeof purchaseRow>): number | null {
  if (paid === undefined) return null;
  return rowKind === 'purchase' ? paid.amount : -paid.amount;
}

function purchaseRow(fact: PurchaseRecorded | PurchaseReversed | PurchaseRefunded | PurchaseImported | RefundImported) {
  const bought = { receivedAt: fact.at, counts: 1, rowKind: 'purchase', refundId: null };
  switch (fact.kind) {
    case 'PurchaseRecorded':
      return { ...fact, ...bought, receivedAt: fact.firstReportedAt ?? fact.at, recordedBy: keyKind(fact.by) };
    case 'PurchaseImported':
      return { ...fact, ...bought, recordedBy: 'import' };
    case 'PurchaseReversed':
      return {
        ...fact,
        receivedAt: fact.recordedAt,
        recordedBy: 'client',
        counts: -1,
        rowKind: 'replaced',
        refundId: null,
      };
    case 'PurchaseRefunded':
    case 'RefundImported': {
      const recordedBy = fact.kind === 'RefundImported' ? 'import' : 'server';
      return { ...fact, receivedAt: fact.at, recordedBy, counts: fact.remaining === 0 ? -1 : 0, rowKind: 'refund' };
    }
  }
}

export const PLAY_TABLES = { sessions, purchases };
