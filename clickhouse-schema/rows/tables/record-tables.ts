import type { AuditEntry } from '../../../core/vocabulary/records/audit-entry.ts';
import type { DeliveryRecord } from '../../../core/vocabulary/records/delivery-record.ts';
import type { ModelReference } from '../../../core/vocabulary/records/model-reference.ts';
import type { ScoreRecord } from '../../../core/vocabulary/records/score-record.ts';
import type { WebhookDisabling } from '../../../core/vocabulary/records/webhook-disabling.ts';
import {
  bool,
  float64,
  float64s,
  int64,
  nullableTime,
  nullableUint16,
  text,
  time,
  uint32,
  uint64,
  uint8,
  uuid,
} from '../column-types.ts';
import type { ChangedAnnotation } from '../annotation-in.ts';
import { recordTable, type RecordTable } from './table.ts';

/** Tables of scores, model references, delivery attempts, disabled webhooks, audit entries and what is made of them. */

/** The columns of both `scores` and `challenger_scores`. Scores hold a device, not a player. */
const scores: RecordTable<ScoreRecord, null> = recordTable({
  placing: null,
  onMerge: null,
  columns: {
    record_id: uuid((record) => record.recordId),
    game_id: text((record) => record.game),
    tenant: text((record) => record.tenant),
    environment: text((record) => record.environment),
    device_id: text((record) => record.deviceId),
    loot_distinct_types: int64((record) => record.features.loot_distinct_types),
    sess_duration_total: float64((record) => record.features.sess_duration_total),
    match_avg_fight_time: float64((record) => record.features.match_avg_fight_time),
    match_wins: int64((record) => record.features.match_wins),
    install_hour: uint8((record) => record.features.install_hour),
    vpay_count: int64((record) => record.features.vpay_count),
    score: float64((record) => record.score),
    bucket: text((record) => record.bucket),
    model_version: text((record) => record.modelVersion),
    forced: bool((record) => record.forced),
    scored_at: time((record) => record.scoredAt),
    received_at: time((_, origin) => origin.storedAtMs),
    records_sequence: uint64((_, origin) => origin.sequence),
    records_index: uint32((_, _origin, index) => index),
  },
});

const model_references: RecordTable<{ reference: ModelReference; measure: ModelReference['measures'][number] }, null> =
  recordTable({
    placing: null,
    onMerge: null,
    replacing: true,
    columns: {
      model_version: text(({ reference }) => reference.modelVersion),
      measure: text(({ measure }) => measure.measure),
      edges: float64s(({ measure }) => measure.edges),
      shares: float64s(({ measure }) => measure.shares),
      received_at: time(({ reference }) => reference.loadedAt),
    },
  });

/** Written from RECORDS, but about a fact: an erased player's rows are deleted together with that fact's. */
const webhook_deliveries: RecordTable<DeliveryRecord, 'facts'> = recordTable({
  placing: 'facts',
  onMerge: 'update',
  columns: {
    delivery_id: uuid((record) => uuidOf(record.deliveryId)),
    webhook_id: text((record) => record.webhook),
    game_id: text((record) => record.game),
    environment: text((record) => record.environment),
    kind: text((record) => record.type),
    player_id: uuid((record) => uuidOf(record.player)),
    attempt: uint32((record) => record.attempt),
    attempted_at: time((record) => record.attemptedAt),
    duration_ms: uint32((record) => Math.round(record.durationMs)),
    outcome: text((record) => record.outcome),
    status: nullableUint16((record) => record.status),
    error: text((record) => record.error),
    response_start: text((record) => record.responseStart),
    url_host: text((record) => record.urlHost),
    next_attempt_at: nullableTime((record) => record.nextAttemptAt),
    received_at: time((_, origin) => origin.storedAtMs),
    facts_created: text((record) => record.place.created),
    facts_sequence: uint64((record) => record.place.sequence),
    facts_index: uint32((record) => record.place.index),
    records_sequence: uint64((_, origin) => origin.sequence),
    records_index: uint32((_, _origin, index) => index),
  },
});

const webhook_disablings: RecordTable<WebhookDisabling, null> = recordTable({
  placing: null,
  onMerge: null,
  replacing: true,
  columns: {
    game_id: text((record) => record.game),
    environment: text((record) => record.environment),
    webhook_id: text((record) => record.webhook),
    reason: text((record) => record.reason),
    disabled_at: time((record) => record.disabledAt),
    received_at: time((_, origin) => origin.storedAtMs),
  },
});

/** An entry is written when its change begins and again with its outcome, which replaces the first row. */
const audit_entries: RecordTable<AuditEntry, null> = recordTable({
  placing: null,
  onMerge: null,
  replacing: true,
  columns: {
    entry_id: uuid((entry) => entry.id),
    game_id: text((entry) => entry.game),
    environment: text((entry) => entry.environment),
    at: time((entry) => entry.at),
    actor_kind: text((entry) => entry.actor.kind),
    actor_id: text((entry) => entry.actor.id),
    actor: text((entry) => entry.actor.name),
    network: text((entry) => entry.network),
    kind: text((entry) => entry.kind),
    key: text((entry) => entry.key),
    action: text((entry) => entry.action),
    player_id: uuid((entry) => uuidOf(entry.playerId)),
    before: text((entry) => entry.before),
    after: text((entry) => entry.after),
    reason: text((entry) => entry.reason),
    outcome: text((entry) => entry.outcome),
    version: uint8((entry) => (entry.outcome === 'begun' ? 0 : 1)),
    received_at: time((_, origin) => origin.storedAtMs),
  },
});

/** As in `audit_entries`, the row with the outcome replaces the first. */
const definition_changes: RecordTable<AuditEntry, null> = recordTable({
  placing: null,
  onMerge: null,
  replacing: true,
  columns: {
    game_id: text((entry) => entry.game),
    environment: text((entry) => entry.environment),
    kind: text((entry) => entry.kind),
    key: text((entry) => entry.key),
    at: time((entry) => entry.at),
    entry_id: uuid((entry) => entry.id),
    version: uint32((entry) => entry.definition?.version ?? 0),
    action: text((entry) => entry.action),
    actor_kind: text((entry) => entry.actor.kind),
    actor_id: text((entry) => entry.actor.id),
    actor: text((entry) => entry.actor.name),
    reason: text((entry) => entry.reason),
    document: text((entry) => entry.definition?.document ?? ''),
    outcome: text((entry) => entry.outcome),
    written: uint8((entry) => (entry.outcome === 'begun' ? 0 : 1)),
    received_at: time((_, origin) => origin.storedAtMs),
  },
});

/** The newest version of an annotation replaces the others; a deleted one keeps its place. */
const annotation_rows: RecordTable<ChangedAnnotation, null> = recordTable({
  placing: null,
  onMerge: null,
  replacing: true,
  columns: {
    game_id: text((one) => one.game),
    environment: text((one) => one.environment),
    annotation_id: text((one) => one.id),
    day: text((one) => one.day),
    moment: nullableTime((one) => one.atMs),
    text: text((one) => one.text),
    link_kind: text((one) => one.link.kind),
    link_key: text((one) => one.link.key),
    version: uint32((one) => one.version),
    removed: uint8((one) => Number(one.isRemoved)),
    received_at: time((_, origin) => origin.storedAtMs),
  },
});

export const RECORD_TABLES = {
  scores,
  challenger_scores: scores,
  model_references,
  webhook_deliveries,
  webhook_disablings,
  audit_entries,
  definition_changes,
  annotation_rows,
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NO_UUID = '00000000-0000-0000-0000-000000000000';

/** Deliveries queued by an old version may lack an id. One such row must not fail its whole block. */
function uuidOf(text: string): string {
  return UUID.test(text) ? text : NO_UUID;
}
