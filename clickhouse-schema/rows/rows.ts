import type {
  EntitySnapshot,
  Fact,
  LifecycleChanged,
  PlayerErased,
  SegmentEntered,
  SegmentExited,
} from '../../actors/vocabulary/facts.ts';
import type { FlagExposed, FlagsServed } from '../../actors/vocabulary/flag-facts.ts';
import type { EntityState, ErasedState } from '../../actors/vocabulary/state.ts';
import { encodeState } from '../../streams/codec.ts';
import { campaignRow } from './campaign-rows.ts';
import { decimalText, storable, timeText } from './column-values.ts';
import { COLUMNS, type TableName } from './columns.ts';
import { eventSource, keyKind } from '../queries/event-source.ts';
import { purchaseRow, reversalRow, sessionRow } from './session-purchase-rows.ts';
import { quarantinedRow, releaseRow } from './quarantine-rows.ts';
import type { Value } from './tab-separated.ts';
import type { FactOrigin, Row, RowFor, TableRow } from './row.ts';
import type { EventTracked } from '../../actors/vocabulary/event-tracked.ts';

/** A row's values in the order of its table's columns. */
export function valuesOf(table: TableName, row: Row): Value[] {
  return COLUMNS[table].map((column) => row[column]);
}

/** The rows of one fact. A new kind does not compile until it says here what it becomes. */
export function rowsOf(fact: Fact, place: FactOrigin): TableRow[] {
  switch (fact.kind) {
    case 'EventTracked':
      return trackedRows(fact, place);
    case 'EventQuarantined':
      return [['quarantined_events', quarantinedRow(fact, place), storable(fact.at)]];
    case 'LifecycleChanged':
      return [['lifecycle_transitions', transitionRow(fact, place), storable(fact.at)]];
    case 'EntitySnapshot':
      return [['player_snapshots', snapshotRow(fact, place), storable(fact.at)]];
    case 'SegmentEntered':
    case 'SegmentExited':
      return [
        ['segment_transitions', segmentTransitionRow(fact, place), storable(fact.at)],
        ['segment_membership_states', membershipRow(fact, place), storable(fact.at)],
      ];
    case 'FlagsServed':
      return fact.mixed.map((flagKey) => ['flag_mixed_players', mixedRow(fact, flagKey, place), storable(fact.at)]);
    case 'FlagExposed':
      return [['flag_exposures', exposureRow(fact, place), storable(fact.at)]];
    case 'SessionClosed':
    case 'SessionRecorded':
      return [['sessions', sessionRow(fact, place), storable(fact.at)]];
    case 'PurchaseRecorded':
      return [['purchases', purchaseRow(fact, place), storable(fact.at)]];
    case 'PurchaseReversed':
      return [['purchases', reversalRow(fact, place), storable(fact.recordedAt)]];
    case 'InterventionTriggered':
    case 'InterventionSuppressed':
    case 'InterventionOffered':
    case 'InterventionShown':
    case 'InterventionClicked':
      return [['campaign_events', campaignRow(fact, place), storable(fact.at)]];
    case 'PlayerErased':
      return [
        ['erasures', erasureRow(fact, place), storable(fact.at)],
        ['player_snapshots', tombstoneRow(fact, place), storable(fact.at)],
      ];
    // What these changed is in the snapshot that follows.
    case 'PlayerRegistered':
    case 'PlayerUpdated':
    case 'IdempotencyKeyUsed':
    case 'ChurnRiskChanged':
    case 'LifecycleScheduled':
    case 'SegmentsScheduled':
    case 'FlagOverridden':
    case 'SessionOpened':
    case 'SessionSynced':
    case 'SessionFlagsTold':
    case 'SnapshotMark':
      return [];
  }
}

function trackedRows(fact: EventTracked, place: FactOrigin): TableRow[] {
  const row: TableRow = ['events', eventRow(fact, place), storable(fact.at)];
  const release = releaseRow(fact, place);
  return release === undefined ? [row] : [row, ['quarantine_releases', release, storable(fact.at)]];
}

function eventRow(fact: EventTracked, place: FactOrigin): RowFor<'events'> {
  return {
    event_id: fact.eventId,
    game_id: fact.game,
    environment: fact.environment,
    player_id: fact.entityId,
    external_id: fact.externalId,
    event_name: fact.eventName,
    session_id: fact.sessionId,
    properties: fact.properties,
    timestamp: timeText(fact.timestamp),
    received_at: timeText(fact.at),
    lifecycle_stage: fact.lifecycleStage,
    is_payer: fact.isPayer,
    country: fact.country,
    schema_fault: fact.schemaFault,
    source: eventSource(fact),
    key_kind: keyKind(fact.by),
    facts_sequence: place.sequence,
    facts_index: place.index,
  };
}

function transitionRow(fact: LifecycleChanged, place: FactOrigin): RowFor<'lifecycle_transitions'> {
  return {
    game_id: fact.game,
    environment: fact.environment,
    player_id: fact.entityId,
    external_id: fact.externalId,
    from_stage: fact.from,
    to_stage: fact.to,
    changed_at: timeText(fact.changedAt),
    received_at: timeText(fact.at),
    facts_sequence: place.sequence,
    facts_index: place.index,
  };
}

function segmentTransitionRow(fact: SegmentEntered | SegmentExited, place: FactOrigin): RowFor<'segment_transitions'> {
  return {
    game_id: fact.game,
    environment: fact.environment,
    segment_id: fact.segmentId,
    segment_key: fact.segmentKey,
    player_id: fact.entityId,
    external_id: fact.externalId,
    transition: fact.kind === 'SegmentEntered' ? 'entered' : 'exited',
    received_at: timeText(fact.at),
    facts_sequence: place.sequence,
    facts_index: place.index,
  };
}

function membershipRow(fact: SegmentEntered | SegmentExited, place: FactOrigin): RowFor<'segment_membership_states'> {
  return {
    game_id: fact.game,
    environment: fact.environment,
    segment_id: fact.segmentId,
    player_id: fact.entityId,
    segment_key: fact.segmentKey,
    external_id: fact.externalId,
    received_at: timeText(fact.at),
    exited: fact.kind === 'SegmentExited' ? 1 : 0,
    version: membershipVersion(place),
  };
}

function exposureRow(fact: FlagExposed, place: FactOrigin): RowFor<'flag_exposures'> {
  return {
    game_id: fact.game,
    environment: fact.environment,
    flag_key: fact.flagKey,
    flag_version: fact.flagVersion,
    period: fact.period,
    variant_key: fact.variantKey,
    value: fact.value,
    reason: fact.reason,
    attribution: fact.attribution,
    player_id: fact.entityId,
    external_id: fact.externalId,
    received_at: timeText(fact.at),
    facts_sequence: place.sequence,
    facts_index: place.index,
  };
}

function mixedRow(fact: FlagsServed, flagKey: string, place: FactOrigin): RowFor<'flag_mixed_players'> {
  const served = fact.flags.find((flag) => flag.flagKey === flagKey);
  return {
    game_id: fact.game,
    environment: fact.environment,
    flag_key: flagKey,
    flag_version: served?.flagVersion,
    period: served?.period,
    player_id: fact.entityId,
    external_id: fact.externalId,
    received_at: timeText(fact.at),
    facts_sequence: place.sequence,
    facts_index: place.index,
  };
}

function erasureRow(fact: PlayerErased, place: FactOrigin): RowFor<'erasures'> {
  return {
    game_id: fact.game,
    environment: fact.environment,
    player_id: fact.entityId,
    erased_at: timeText(fact.at),
    received_at: timeText(fact.at),
    rows_deleted: 0,
    step: 0,
    facts_created: String(createdMs(place.stream)),
    facts_sequence: place.sequence,
    facts_index: place.index,
    device_id: fact.deviceId ?? '',
  };
}

/**
 * Stands in for the player's snapshots, which are to be deleted, until its own next one: a rebuild must meet nothing of the
 * player before the record of its erasure, and then apply all of that.
 */
function tombstoneRow({ entityId: id, game, environment, at, quarantined = 0 }: PlayerErased, place: FactOrigin): Row {
  const lastSeq = place.sequence - 1;
  const state: ErasedState = { kind: 'erased', id, game, environment, erasedAt: at, keys: [], quarantined, lastSeq };
  return snapshotRow({ kind: 'EntitySnapshot', entityId: id, game, environment, at, state }, place);
}

function snapshotRow(fact: EntitySnapshot, place: FactOrigin): Row {
  return {
    ...analystColumns(fact.state),
    partition: place.partition,
    received_at: timeText(fact.at),
    state: Buffer.from(encodeState(fact.state)).toString('base64'),
    last_seq: fact.state.lastSeq,
    version: snapshotVersion(place),
  };
}

/** Newer snapshots replace older ones: first by the stream's creation, as sequences start over with it. */
function snapshotVersion({ stream, sequence }: FactOrigin): string {
  return String((createdMs(stream) << 64n) | BigInt(sequence));
}

/** As of snapshots, and by the place in the record: a player may enter and leave a segment within one. 48, 48 and 32 bits. */
function membershipVersion({ stream, sequence, index }: FactOrigin): string {
  return String((createdMs(stream) << 80n) | (BigInt(sequence) << 32n) | BigInt(index));
}

function createdMs(stream: string): bigint {
  const ms = Date.parse(stream);
  return BigInt(Number.isNaN(ms) ? 0 : ms);
}

const NO_PLAYER = '00000000-0000-0000-0000-000000000000';

/** What analysts see of an entity; for what is no player only where it belongs. */
function analystColumns(state: EntityState): Row {
  const scope = { game_id: state.game, environment: state.environment, kind: state.kind };
  switch (state.kind) {
    case 'ledger':
      return { ...scope, player_id: NO_PLAYER, entity_id: state.id };
    // Under the player's own key, so that it replaces what was known of it.
    case 'erased':
      return { ...scope, player_id: state.id, entity_id: '' };
    case 'player':
      return {
        ...scope,
        player_id: state.id,
        entity_id: '',
        external_id: state.externalId,
        device_id: state.deviceId,
        email: state.email,
        lifecycle_stage: state.lifecycleStage,
        lifecycle_changed_at: timeText(state.lifecycleChangedAt),
        session_count: state.sessionCount,
        purchase_count: state.purchaseCount,
        total_revenue: decimalText(state.totalRevenue),
        total_playtime_seconds: Math.round(state.totalPlaytimeSeconds),
        is_payer: state.isPayer,
        country: state.country,
        first_seen_at: timeText(state.firstSeenAt),
        last_seen_at: timeText(state.lastSeenAt),
        attributes: state.attributes,
      };
  }
}
