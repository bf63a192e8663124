import type { PurchaseRecorded, PurchaseReversed } from '../../actors/vocabulary/purchase-facts.ts';
import { decimalText, timeText } from './column-values.ts';
import { keyKind } from '../queries/event-source.ts';
import type { SessionClosed, SessionRecorded } from '../../actors/vocabulary/session-facts.ts';
import type { FactOrigin, RowFor } from './row.ts';

/** The row of a session that is over, as an init opened it or a caller recorded it. */
export function sessionRow(fact: SessionClosed | SessionRecorded, place: FactOrigin): RowFor<'sessions'> {
  const isRecorded = fact.kind === 'SessionRecorded';
  return {
    game_id: fact.game,
    environment: fact.environment,
    session_id: fact.sessionId,
    player_id: fact.entityId,
    external_id: fact.externalId,
    end_reason: isRecorded ? 'recorded' : fact.reason,
    start_time: timeOrNull(isRecorded ? fact.startedAt : fact.openedAt),
    end_time: timeOrNull(fact.endedAt),
    duration_seconds: Math.round(fact.durationSeconds),
    total_events: isRecorded ? 0 : fact.eventCount,
    achievements_unlocked: isRecorded ? [] : fact.achievements,
    interventions_shown: isRecorded ? 0 : fact.interventionsShown,
    interventions_clicked: isRecorded ? 0 : fact.interventionsClicked,
    received_at: timeText(fact.at),
    facts_sequence: place.sequence,
    facts_index: place.index,
  };
}

/** The row of a purchase. */
export function purchaseRow(fact: PurchaseRecorded, place: FactOrigin): RowFor<'purchases'> {
  return {
    game_id: fact.game,
    environment: fact.environment,
    player_id: fact.entityId,
    external_id: fact.externalId,
    amount: decimalText(fact.amount),
    currency: fact.currency,
    product_id: fact.productId,
    transaction_id: fact.transactionId,
    received_at: timeText(fact.at),
    recorded_by: keyKind(fact.by),
    counts: 1,
    facts_sequence: place.sequence,
    facts_index: place.index,
  };
}

/** The row that takes a purchase back, under the time at which that was received: so every day adds up. */
export function reversalRow(fact: PurchaseReversed, place: FactOrigin): RowFor<'purchases'> {
  return {
    game_id: fact.game,
    environment: fact.environment,
    player_id: fact.entityId,
    external_id: fact.externalId,
    amount: decimalText(-fact.amount),
    currency: fact.currency,
    product_id: fact.productId,
    transaction_id: fact.transactionId,
    received_at: timeText(fact.recordedAt),
    recorded_by: 'client',
    counts: -1,
    facts_sequence: place.sequence,
    facts_index: place.index,
  };
}

function timeOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : timeText(epochMs);
}
