import type { DeliveryRecord } from '../../streams/records/delivery-record.ts';
import type { ModelReference } from '../../streams/records/model-reference.ts';
import type { ScoreRecord } from '../../streams/records/score-record.ts';
import type { WebhookDisabling } from '../../streams/records/webhook-disabling.ts';
import { timeText } from './column-values.ts';
import { recordTable, type RecordTable } from './table.ts';

/** Tables of scores, model references, delivery attempts and disabled webhooks. */

/** The columns of both `scores` and `challenger_scores`. Scores hold a device, not a player. */
const scores: RecordTable<ScoreRecord, null> = recordTable({
  placing: null,
  columns: {
    record_id: (record) => record.recordId,
    game_id: (record) => record.game,
    tenant: (record) => record.tenant,
    environment: (record) => record.environment,
    device_id: (record) => record.deviceId,
    loot_distinct_types: (record) => record.features.loot_distinct_types,
    sess_duration_total: (record) => record.features.sess_duration_total,
    match_avg_fight_time: (record) => record.features.match_avg_fight_time,
    match_wins: (record) => record.features.match_wins,
    install_hour: (record) => record.features.install_hour,
    vpay_count: (record) => record.features.vpay_count,
    score: (record) => record.score,
    bucket: (record) => record.bucket,
    model_version: (record) => record.modelVersion,
    forced: (record) => record.forced,
    scored_at: (record) => timeText(record.scoredAt),
    received_at: (_, origin) => timeText(origin.storedAtMs),
    records_sequence: (_, origin) => origin.sequence,
    records_index: (_, _origin, index) => index,
  },
});

const model_references: RecordTable<{ reference: ModelReference; measure: ModelReference['measures'][number] }, null> =
  recordTable({
    placing: null,
    replacing: true,
    columns: {
      model_version: ({ reference }) => reference.modelVersion,
      measure: ({ measure }) => measure.measure,
      edges: ({ measure }) => arrayText(measure.edges),
      shares: ({ measure }) => arrayText(measure.shares),
      received_at: ({ reference }) => timeText(reference.loadedAt),
    },
  });

/** Written from RECORDS, but about a fact: an erased player's rows are deleted together with that fact's. */
const webhook_deliveries: RecordTable<DeliveryRecord, 'facts'> = recordTable({
  placing: 'facts',
  columns: {
    delivery_id: (record) => uuidOf(record.deliveryId),
    webhook_id: (record) => record.webhook,
    game_id: (record) => record.game,
    environment: (record) => record.environment,
    kind: (record) => record.type,
    player_id: (record) => uuidOf(record.player),
    attempt: (record) => record.attempt,
    attempted_at: (record) => timeText(record.attemptedAt),
    duration_ms: (record) => Math.round(record.durationMs),
    outcome: (record) => record.outcome,
    status: (record) => record.status,
    error: (record) => record.error,
    response_start: (record) => record.responseStart,
    url_host: (record) => record.urlHost,
    next_attempt_at: (record) => (record.nextAttemptAt === null ? null : timeText(record.nextAttemptAt)),
    received_at: (_, origin) => timeText(origin.storedAtMs),
    facts_created: (record) => record.place.created,
    facts_sequence: (record) => record.place.sequence,
    facts_index: (record) => record.place.index,
    records_sequence: (_, origin) => origin.sequence,
    records_index: (_, _origin, index) => index,
  },
});

const webhook_disablings: RecordTable<WebhookDisabling, null> = recordTable({
  placing: null,
  replacing: true,
  columns: {
    game_id: (record) => record.game,
    environment: (record) => record.environment,
    webhook_id: (record) => record.webhook,
    reason: (record) => record.reason,
    disabled_at: (record) => timeText(record.disabledAt),
    received_at: (_, origin) => timeText(origin.storedAtMs),
  },
});

export const RECORD_TABLES = {
  scores,
  challenger_scores: scores,
  model_references,
  webhook_deliveries,
  webhook_disablings,
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NO_UUID = '00000000-0000-0000-0000-000000000000';

/** Deliveries queued by an old version may lack an id. One such row must not fail its whole block. */
function uuidOf(text: string): string {
  return UUID.test(text) ? text : NO_UUID;
}

/** An array of numbers in the format of a column. */
function arrayText(numbers: readonly number[]): string {
  return `[${numbers.join(',')}]`;
}
