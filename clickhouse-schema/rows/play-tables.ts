import { keyKind } from '../queries/event-source.ts';
import { decimalText, timeText } from './column-values.ts';
import { ORIGIN, SCOPE } from './common-columns.ts';
import { factTable } from './table.ts';

/** Tables of sessions, opened by an init or recorded by a caller, and of purchases. */

const sessions = factTable(['SessionClosed', 'SessionRecorded'], (fact) => [
  fact.kind === 'SessionClosed'
    ? { ...fact, endReason: fact.reason, startedAt: fact.openedAt }
    : { ...fact, endReason: 'recorded', ...NOTHING_COUNTED },
])({
  placing: 'facts',
  receivedMs: (fact) => fact.at,
  columns: {
    ...SCOPE,
    session_id: (fact) => fact.sessionId,
    player_id: (fact) => fact.entityId,
    external_id: (fact) => fact.externalId,
    end_reason: (fact) => fact.endReason,
    start_time: (fact) => timeOrNull(fact.startedAt),
    end_time: (fact) => timeOrNull(fact.endedAt),
    duration_seconds: (fact) => Math.round(fact.durationSeconds),
    total_events: (fact) => fact.eventCount,
    achievements_unlocked: (fact) => fact.achievements,
    interventions_shown: (fact) => fact.interventionsShown,
    interventions_clicked: (fact) => fact.interventionsClicked,
    received_at: (fact) => timeText(fact.at),
    ...ORIGIN,
  },
});

const NOTHING_COUNTED = { eventCount: 0, achievements: [], interventionsShown: 0, interventionsClicked: 0 };

const purchases = factTable(
  ['PurchaseRecorded', 'PurchaseReversed'],
  // A reversal has the receive time of its purchase, so that the sum of each day is correct.
  (fact) => [
    fact.kind === 'PurchaseRecorded'
      ? { ...fact, receivedAt: fact.at, recordedBy: keyKind(fact.by), counts: 1 }
      : { ...fact, receivedAt: fact.recordedAt, recordedBy: 'client', counts: -1 },
  ],
)({
  placing: 'facts',
  receivedMs: ({ receivedAt }) => receivedAt,
  columns: {
    ...SCOPE,
    player_id: (fact) => fact.entityId,
    external_id: (fact) => fact.externalId,
    amount: (fact) => decimalText(fact.counts * fact.amount),
    currency: (fact) => fact.currency,
    product_id: (fact) => fact.productId,
    transaction_id: (fact) => fact.transactionId,
    received_at: (fact) => timeText(fact.receivedAt),
    recorded_by: (fact) => fact.recordedBy,
    counts: (fact) => fact.counts,
    ...ORIGIN,
  },
});

export const PLAY_TABLES = { sessions, purchases };

function timeOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : timeText(epochMs);
}
