import type { DeliveryRecord } from '../../streams/records/delivery-record.ts';
import type { WebhookDisabling } from '../../streams/records/webhook-disabling.ts';
import { storable, timeText } from './column-values.ts';
import type { RecordOrigin } from './score-rows.ts';
import type { RowFor, TableRow } from './row.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NO_UUID = '00000000-0000-0000-0000-000000000000';

/** The rows of a message of delivery attempts. */
export function deliveryRows(records: readonly DeliveryRecord[], place: RecordOrigin): TableRow[] {
  const receivedMs = storable(place.storedAtMs);
  return records.map((record, index): TableRow => {
    const row: RowFor<'webhook_deliveries'> = {
      delivery_id: uuidOf(record.deliveryId),
      webhook_id: record.webhook,
      game_id: record.game,
      environment: record.environment,
      kind: record.type,
      player_id: uuidOf(record.player),
      attempt: record.attempt,
      attempted_at: timeText(record.attemptedAt),
      duration_ms: Math.round(record.durationMs),
      outcome: record.outcome,
      status: record.status,
      error: record.error,
      response_start: record.responseStart,
      url_host: record.urlHost,
      next_attempt_at: record.nextAttemptAt === null ? null : timeText(record.nextAttemptAt),
      received_at: timeText(place.storedAtMs),
      facts_created: record.place.created,
      facts_sequence: record.place.sequence,
      facts_index: record.place.index,
      records_sequence: place.sequence,
      records_index: index,
    };
    return ['webhook_deliveries', row, receivedMs];
  });
}

/** The rows of a message of webhooks that were disabled. */
export function disablingRows(records: readonly WebhookDisabling[], { storedAtMs }: RecordOrigin): TableRow[] {
  return records.map((record): TableRow => {
    const row: RowFor<'webhook_disablings'> = {
      game_id: record.game,
      environment: record.environment,
      webhook_id: record.webhook,
      reason: record.reason,
      disabled_at: timeText(record.disabledAt),
      received_at: timeText(storedAtMs),
    };
    return ['webhook_disablings', row, storable(storedAtMs)];
  });
}

/** A delivery that an old version queued may not say whom it tells of: one such row must not refuse its whole block. */
function uuidOf(text: string): string {
  return UUID.test(text) ? text : NO_UUID;
}
