import type { CommitRecord, EntitySnapshot, EventTracked, Fact, LifecycleChanged } from '../actors/facts.ts';
import type { EntityState } from '../actors/state.ts';
import { encodeState } from '../streams/codec.ts';
import { createTabSeparated, type TabSeparated, type Value } from './tab-separated.ts';

/** Tables the sink writes. */
export type TableName = 'events' | 'player_snapshots' | 'lifecycle_transitions';

/** What is written of every row, in this order. */
export const COLUMNS = {
  events: [
    'event_id',
    'game_id',
    'environment',
    'player_id',
    'external_id',
    'event_name',
    'session_id',
    'properties',
    'timestamp',
    'received_at',
    'lifecycle_stage',
    'is_payer',
    'country',
    'facts_sequence',
    'facts_index',
  ],
  player_snapshots: [
    'game_id',
    'environment',
    'kind',
    'partition',
    'player_id',
    'entity_id',
    'external_id',
    'device_id',
    'email',
    'lifecycle_stage',
    'lifecycle_changed_at',
    'session_count',
    'purchase_count',
    'total_revenue',
    'total_playtime_seconds',
    'is_payer',
    'country',
    'first_seen_at',
    'last_seen_at',
    'attributes',
    'received_at',
    'state',
    'last_seq',
    'version',
  ],
  lifecycle_transitions: [
    'game_id',
    'environment',
    'player_id',
    'external_id',
    'from_stage',
    'to_stage',
    'changed_at',
    'received_at',
    'facts_sequence',
    'facts_index',
  ],
} as const satisfies Record<TableName, readonly string[]>;

/** A row: column → value. A column left out has its default. */
type Row = Readonly<Record<string, Value>>;
type RowFor<T extends TableName> = Readonly<Record<(typeof COLUMNS)[T][number], Value>>;
type TableRow = readonly [table: TableName, row: Row, receivedMs: number];

/** A row's values in the order of its table's columns. */
export function valuesOf(table: TableName, row: Row): Value[] {
  return COLUMNS[table].map((column) => row[column]);
}

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
      return [['events', eventRow(fact, place), storable(fact.at)]];
    case 'LifecycleChanged':
      return [['lifecycle_transitions', transitionRow(fact, place), storable(fact.at)]];
    case 'EntitySnapshot':
      return [['player_snapshots', snapshotRow(fact, place), storable(fact.at)]];
    // What these changed is in the snapshot that follows.
    case 'PlayerRegistered':
    case 'PlayerUpdated':
    case 'IdempotencyKeyUsed':
    case 'SnapshotMark':
      return [];
  }
}

function eventRow(fact: EventTracked, place: FactPlace): RowFor<'events'> {
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
    facts_sequence: place.sequence,
    facts_index: place.index,
  };
}

function transitionRow(fact: LifecycleChanged, place: FactPlace): RowFor<'lifecycle_transitions'> {
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

function snapshotRow(fact: EntitySnapshot, place: FactPlace): Row {
  return {
    ...analystColumns(fact.state),
    partition: place.partition,
    received_at: timeText(fact.at),
    state: Buffer.from(encodeState(fact.state)).toString('base64'),
    last_seq: fact.state.lastSeq,
    version: snapshotVersion(place),
  };
}

/** One insert: rows of one table and one month of `received_at`, so that the engine makes one part of it, all or nothing. */
export interface RowBlock {
  table: TableName;
  rows: number;
  /** TabSeparated, columns as in `COLUMNS`. Valid until the batch is cleared. */
  bytes: Uint8Array;
  /** Bounds of the rows' `received_at`, epoch milliseconds. */
  receivedFromMs: number;
  receivedToMs: number;
}

/** Rows gathered for one insert per table and month, already as the text ClickHouse takes. */
export interface RowBatch {
  add(record: CommitRecord, place: Pick<FactPlace, 'stream' | 'sequence'>): void;
  /** Rows held, over all tables. */
  readonly rows: number;
  /** A block for every table and month with rows, in a fixed order. */
  blocks(): RowBlock[];
  /** Starts over. What `blocks` gave is gone. */
  clear(): void;
}

interface Lines {
  month: number;
  text: TabSeparated;
  rows: number;
  receivedFromMs: number;
  receivedToMs: number;
}

/** An empty batch. */
export function createRowBatch(): RowBatch {
  const held: Record<TableName, Lines[]> = { events: [], player_snapshots: [], lifecycle_transitions: [] };
  /** Memory of the batch before. */
  const spare: Partial<Record<TableName, TabSeparated | undefined>> = {};
  let rows = 0;

  function linesOf(table: TableName, receivedMs: number): Lines {
    const month = monthOf(receivedMs);
    const found = held[table].find((lines) => lines.month === month);
    if (found !== undefined) return found;
    const text = spare[table] ?? createTabSeparated();
    spare[table] = undefined;
    const fresh = { month, text, rows: 0, receivedFromMs: receivedMs, receivedToMs: receivedMs };
    held[table].push(fresh);
    return fresh;
  }

  return {
    add(record, { stream, sequence }) {
      record.facts.forEach((fact, index) => {
        for (const [table, row, receivedMs] of rowsOf(fact, { stream, sequence, index, partition: record.partition })) {
          const to = linesOf(table, receivedMs);
          to.text.add(valuesOf(table, row));
          to.rows += 1;
          to.receivedFromMs = Math.min(to.receivedFromMs, receivedMs);
          to.receivedToMs = Math.max(to.receivedToMs, receivedMs);
          rows += 1;
        }
      });
    },
    get rows() {
      return rows;
    },
    blocks: () =>
      TABLES.flatMap((table) =>
        held[table].map(({ text, rows: count, receivedFromMs, receivedToMs }) => ({
          table,
          rows: count,
          bytes: text.bytes(),
          receivedFromMs,
          receivedToMs,
        })),
      ),
    clear() {
      for (const table of TABLES) {
        const [first] = held[table].splice(0);
        first?.text.clear();
        spare[table] = first?.text ?? spare[table];
      }
      rows = 0;
    },
  };
}

let month = { fromMs: 0, toMs: 0, number: 0 };

/** The month of a moment in UTC, as `toYYYYMM` tells months apart. The last answer is kept: rows come in runs of one month. */
function monthOf(epochMs: number): number {
  if (epochMs >= month.fromMs && epochMs < month.toMs) return month.number;
  const date = new Date(epochMs);
  const [year, index] = [date.getUTCFullYear(), date.getUTCMonth()];
  month = { fromMs: Date.UTC(year, index), toMs: Date.UTC(year, index + 1), number: year * 12 + index };
  return month.number;
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

/** What DateTime64 can hold: a device's clock may say anything, and one such row must not refuse its whole block. */
const EARLIEST_MS = Date.UTC(1900, 0, 1);
const LATEST_MS = Date.UTC(2299, 11, 31, 23, 59, 59, 999);

let second = { number: Number.NaN, text: '' };

/** A time as DateTime64(3, 'UTC') reads it. The last second is kept: rows come in runs of one. */
function timeText(epochMs: number): string {
  const ms = storable(epochMs);
  const number = Math.floor(ms / 1000);
  if (number !== second.number) {
    second = { number, text: new Date(number * 1000).toISOString().slice(0, 19).replace('T', ' ') };
  }
  return `${second.text}.${String(ms - number * 1000).padStart(3, '0')}`;
}

function storable(epochMs: number): number {
  return Math.min(LATEST_MS, Math.max(EARLIEST_MS, Math.trunc(epochMs)));
}

/** Integer ten-thousandths as the text of a Decimal(18, 4). */
export function decimalText(tenThousandths: number): string {
  const digits = String(Math.abs(tenThousandths)).padStart(5, '0');
  return `${tenThousandths < 0 ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`;
}
