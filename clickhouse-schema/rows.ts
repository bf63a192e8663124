import type { CommitRecord, EntitySnapshot, EventTracked, Fact, LifecycleChanged } from '../actors/facts.ts';
import type { EntityState } from '../actors/state.ts';
import { encodeState } from '../streams/codec.ts';

/** Tables the sink writes. */
export type TableName = 'events' | 'player_snapshots' | 'lifecycle_transitions';

/** A row: column → value as JSONEachRow takes it. Times are integer milliseconds, which DateTime64(3) reads exactly. */
type Row = Readonly<Record<string, string | number | boolean | null>>;
type TableRow = readonly [table: TableName, row: Row];

/** Where a fact stands in the log. */
export interface FactPlace {
  /** FACTS' creation, as the broker spells it. */
  stream: string;
  /** The record's sequence. */
  sequence: number;
  /** The fact's place in its record. */
  index: number;
  partition: number;
}

/** The rows of one fact. A new kind does not compile until it says here what it becomes. */
export function rowsOf(fact: Fact, place: FactPlace): TableRow[] {
  switch (fact.kind) {
    case 'EventTracked':
      return [['events', eventRow(fact, place)]];
    case 'LifecycleChanged':
      return [['lifecycle_transitions', transitionRow(fact, place)]];
    case 'EntitySnapshot':
      return [['player_snapshots', snapshotRow(fact, place)]];
    // What these changed is in the snapshot that follows.
    case 'PlayerRegistered':
    case 'PlayerUpdated':
    case 'IdempotencyKeyUsed':
    case 'SnapshotMark':
      return [];
  }
}

function eventRow(fact: EventTracked, place: FactPlace): Row {
  return {
    event_id: fact.eventId,
    game_id: fact.game,
    environment: fact.environment,
    player_id: fact.entityId,
    external_id: fact.externalId,
    event_name: fact.eventName,
    session_id: fact.sessionId,
    properties: fact.properties,
    timestamp: storable(fact.timestamp),
    received_at: storable(fact.at),
    lifecycle_stage: fact.lifecycleStage,
    is_payer: fact.isPayer,
    country: fact.country,
    facts_sequence: place.sequence,
    facts_index: place.index,
  };
}

function transitionRow(fact: LifecycleChanged, place: FactPlace): Row {
  return {
    game_id: fact.game,
    environment: fact.environment,
    player_id: fact.entityId,
    external_id: fact.externalId,
    from_stage: fact.from,
    to_stage: fact.to,
    changed_at: storable(fact.changedAt),
    received_at: storable(fact.at),
    facts_sequence: place.sequence,
    facts_index: place.index,
  };
}

function snapshotRow(fact: EntitySnapshot, place: FactPlace): Row {
  return {
    ...analystColumns(fact.state),
    partition: place.partition,
    received_at: storable(fact.at),
    state: Buffer.from(encodeState(fact.state)).toString('base64'),
    last_seq: fact.state.lastSeq,
    version: snapshotVersion(place),
  };
}

/** Rows gathered for one insert per table, already as the bytes of JSONEachRow. */
export interface RowBatch {
  add(record: CommitRecord, place: Pick<FactPlace, 'stream' | 'sequence'>): void;
  /** Rows held, over all tables. */
  readonly rows: number;
  /** Every table with rows, in a fixed order, and the bytes of its block. */
  blocks(): { table: TableName; rows: number; bytes: Uint8Array }[];
}

/** An empty batch. */
export function createRowBatch(): RowBatch {
  const lines: Record<TableName, string[]> = { events: [], player_snapshots: [], lifecycle_transitions: [] };
  let rows = 0;
  return {
    add(record, { stream, sequence }) {
      record.facts.forEach((fact, index) => {
        for (const [table, row] of rowsOf(fact, { stream, sequence, index, partition: record.partition })) {
          lines[table].push(JSON.stringify(row));
          rows += 1;
        }
      });
    },
    get rows() {
      return rows;
    },
    blocks: () =>
      TABLES.filter((table) => lines[table].length > 0).map((table) => ({
        table,
        rows: lines[table].length,
        bytes: Buffer.from(`${lines[table].join('\n')}\n`, 'utf8'),
      })),
  };
}

const TABLES: readonly TableName[] = ['events', 'player_snapshots', 'lifecycle_transitions'];

/** Newer snapshots replace older ones: first by the stream's creation, as sequences start over with it. */
function snapshotVersion(place: FactPlace): string {
  const createdMs = Date.parse(place.stream);
  return String((BigInt(Number.isNaN(createdMs) ? 0 : createdMs) << 64n) | BigInt(place.sequence));
}

const NO_PLAYER = '00000000-0000-0000-0000-000000000000';

/** What analysts see of an entity; for what is no player only where it belongs. */
function analystColumns(state: EntityState): Row {
  const scope = { game_id: state.game, environment: state.environment, kind: state.kind };
  switch (state.kind) {
    case 'ledger':
      return { ...scope, player_id: NO_PLAYER, entity_id: state.id };
    case 'player':
      return {
        ...scope,
        player_id: state.id,
        entity_id: '',
        external_id: state.externalId,
        device_id: state.deviceId,
        email: state.email,
        lifecycle_stage: state.lifecycleStage,
        lifecycle_changed_at: storable(state.lifecycleChangedAt),
        session_count: state.sessionCount,
        purchase_count: state.purchaseCount,
        total_revenue: decimalText(state.totalRevenue),
        total_playtime_seconds: Math.round(state.totalPlaytimeSeconds),
        is_payer: state.isPayer,
        country: state.country,
        first_seen_at: storable(state.firstSeenAt),
        last_seen_at: storable(state.lastSeenAt),
        attributes: state.attributes,
      };
  }
}

/** What DateTime64 can hold: a device's clock may say anything, and one such row must not refuse its whole block. */
const EARLIEST_MS = Date.UTC(1900, 0, 1);
const LATEST_MS = Date.UTC(2299, 11, 31, 23, 59, 59, 999);

function storable(epochMs: number): number {
  return Math.min(LATEST_MS, Math.max(EARLIEST_MS, Math.trunc(epochMs)));
}

/** Integer ten-thousandths as the text of a Decimal(18, 4). */
export function decimalText(tenThousandths: number): string {
  const digits = String(Math.abs(tenThousandths)).padStart(5, '0');
  return `${tenThousandths < 0 ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`;
}
