import { jsonText } from '../../../core/kernel/text/json.ts';
import type { EntitySnapshot, PlayerErased } from '../../../core/vocabulary/facts/facts.ts';
import type { EntityState, PlayerState } from '../../../core/vocabulary/state/state.ts';
import { encodeState } from '../../../core/codec/state/state-codec.ts';
import { type ComputedValue, propertyKeyOf } from '../../../core/vocabulary/documents/computed.ts';
import { TEST_PLAYER_FIELD } from '../../../core/vocabulary/state/player.ts';
import { valueAt } from '../../../core/vocabulary/state/computed-buckets.ts';
import { createdMs, memberVersion, ORIGIN, SCOPE } from '../common-columns.ts';
import {
  bool,
  money,
  nullableText,
  text,
  time,
  uint128,
  uint16,
  uint32,
  uint64,
  uint8,
  uuid,
} from '../column-types.ts';
import { factTable, type FactOrigin } from './table.ts';

/** Tables of players' state and of their stage changes. */

/** The `player_id` of ledgers. */
const NO_PLAYER = '00000000-0000-0000-0000-000000000000';

/** A column that only players have a value for. */
function ofPlayer<V>(valueOf: (player: PlayerState) => V) {
  return ({ state }: { state: EntityState }): V | undefined => (state.kind === 'player' ? valueOf(state) : undefined);
}

const player_snapshots = factTable(['EntitySnapshot', 'PlayerErased'], (fact, origin) => [
  fact.kind === 'EntitySnapshot' ? fact : tombstone(fact, origin),
])({
  placing: 'snapshots',
  onMerge: 'keep',
  replacing: true,
  receivedMs: (one) => one.at,
  columns: {
    game_id: text(({ state }) => state.game),
    environment: text(({ state }) => state.environment),
    kind: text(({ state }) => state.kind),
    partition: uint16((_, origin) => origin.partition),
    player_id: uuid(({ state }) => (state.kind === 'ledger' ? NO_PLAYER : state.id)),
    entity_id: text(({ state }, { partition }) => (state.kind === 'ledger' ? ledgerRowId(state.id, partition) : '')),
    external_id: text(ofPlayer((player) => player.externalId)),
    device_id: nullableText(ofPlayer((player) => player.deviceId)),
    email: nullableText(ofPlayer((player) => player.email)),
    lifecycle_stage: text(ofPlayer((player) => player.lifecycleStage)),
    lifecycle_changed_at: time(ofPlayer((player) => player.lifecycleChangedAt)),
    session_count: uint32(ofPlayer((player) => player.sessionCount)),
    purchase_count: uint32(ofPlayer((player) => player.purchaseCount)),
    total_revenue: money(ofPlayer((player) => player.totalRevenue)),
    total_playtime_seconds: uint64(ofPlayer((player) => Math.round(player.totalPlaytimeSeconds))),
    is_payer: bool(ofPlayer((player) => player.isPayer)),
    country: text(ofPlayer((player) => player.country)),
    first_seen_at: time(ofPlayer((player) => player.firstSeenAt)),
    last_seen_at: time(ofPlayer((player) => player.lastSeenAt)),
    attributes: text(ofPlayer((player) => player.attributes)),
    received_at: time((one) => one.at),
    computed: text(({ state, at }) => (state.kind === 'player' ? namedValues(state, at) : '{}')),
    state: text((one) => Buffer.from(encodeState(one.state)).toString('base64')),
    last_seq: uint64((one) => one.state.lastSeq),
    version: uint128((_, origin) => snapshotVersion(origin)),
    platform: text(ofPlayer((player) => player.device?.platform ?? '')),
    app_version: text(ofPlayer((player) => player.device?.appVersion ?? '')),
    build: text(ofPlayer((player) => player.device?.build ?? '')),
  },
});

const player_beginnings = factTable(['PlayerImported'], (fact) =>
  fact.begunAt === undefined ? [] : [{ ...fact, begunAt: fact.begunAt }],
)({
  placing: 'facts',
  onMerge: 'copy',
  receivedMs: (fact) => fact.at,
  columns: {
    ...SCOPE,
    player_id: uuid((fact) => fact.entityId),
    external_id: text((fact) => fact.player.externalId),
    first_seen_at: time((fact) => fact.begunAt),
    received_at: time((fact) => fact.at),
    ...ORIGIN,
  },
});

const lifecycle_transitions = factTable(['LifecycleChanged'], (fact) => [fact])({
  placing: 'facts',
  onMerge: 'copy',
  receivedMs: (fact) => fact.at,
  columns: {
    ...SCOPE,
    player_id: uuid((fact) => fact.entityId),
    external_id: text((fact) => fact.externalId),
    from_stage: text((fact) => fact.from),
    to_stage: text((fact) => fact.to),
    changed_at: time((fact) => fact.changedAt),
    received_at: time((fact) => fact.at),
    ...ORIGIN,
  },
});

const test_players = factTable(['PlayerUpdated'], (fact) => (fact.changed.includes(TEST_PLAYER_FIELD) ? [fact] : []))({
  placing: 'memberships',
  onMerge: 'drop',
  replacing: true,
  receivedMs: (fact) => fact.at,
  columns: {
    ...SCOPE,
    player_id: uuid((fact) => fact.entityId),
    external_id: text((fact) => fact.player.externalId),
    received_at: time((fact) => fact.at),
    unmarked: uint8((fact) => (fact.player.isTestPlayer ? 0 : 1)),
    version: uint128((_, origin) => memberVersion(origin)),
  },
});

/** The named computed properties as of `nowMs`, as JSON by their key. */
function namedValues({ computed = [] }: PlayerState, nowMs: number): string {
  const latest = new Map<string, ComputedValue>();
  for (const value of computed) {
    const key = propertyKeyOf(value.id);
    if (key === undefined) continue;
    // After an edit the earlier definition's value stays until the sweep has reached the player.
    if ((latest.get(key)?.generation ?? 0) < value.generation) latest.set(key, value);
  }
  const values = Array.from(latest, ([key, { aggregate, days, buckets }]) => [
    key,
    valueAt(aggregate, days, buckets, nowMs),
  ]);
  return jsonText(Object.fromEntries(values));
}

/**
 * The ledgers of one API key have the same id in every partition, and a row replaces all rows with its game,
 * environment, `player_id` and `entity_id`.
 */
function ledgerRowId(ledgerId: string, partition: number): string {
  return `${ledgerId}/${partition}`;
}

export const STATE_TABLES = { player_snapshots, player_beginnings, lifecycle_transitions, test_players };

/**
 * Replaces the player's snapshots, which will be deleted, until the player's next snapshot. A rebuild must find no
 * snapshot older than the record of the erasure, and then apply that whole record.
 */
function tombstone(fact: PlayerErased, origin: FactOrigin): EntitySnapshot {
  const { entityId: id, game, environment, at, quarantined = 0 } = fact;
  const lastSeq = origin.sequence - 1;
  const state = { kind: 'erased', id, game, environment, erasedAt: at, keys: [], quarantined, lastSeq } as const;
  return { kind: 'EntitySnapshot', entityId: id, game, environment, at, state };
}

/** Newer snapshots replace older ones. The stream's creation counts first, because sequences restart with it. */
function snapshotVersion({ stream, sequence }: FactOrigin): bigint {
  return (createdMs(stream) << 64n) | BigInt(sequence);
}
