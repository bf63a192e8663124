import type { EntitySnapshot, PlayerErased } from '../../actors/vocabulary/facts.ts';
import type { EntityState, PlayerState } from '../../actors/vocabulary/state.ts';
import { encodeState } from '../../streams/codec.ts';
import { decimalText, timeText } from './column-values.ts';
import { createdMs, ORIGIN, SCOPE } from './common-columns.ts';
import { factTable, type FactOrigin } from './table.ts';
import type { Value } from './tab-separated.ts';

/** Tables of players' state and of their stage changes. */

/** The `player_id` of ledgers. */
export const NO_PLAYER = '00000000-0000-0000-0000-000000000000';

/** A column that only players have a value for. */
function ofPlayer(valueOf: (player: PlayerState) => Value) {
  return ({ state }: { state: EntityState }): Value => (state.kind === 'player' ? valueOf(state) : undefined);
}

const player_snapshots = factTable(['EntitySnapshot', 'PlayerErased'], (fact, origin) => [
  fact.kind === 'EntitySnapshot' ? fact : tombstone(fact, origin),
])({
  placing: 'snapshots',
  replacing: true,
  receivedMs: (one) => one.at,
  columns: {
    game_id: ({ state }) => state.game,
    environment: ({ state }) => state.environment,
    kind: ({ state }) => state.kind,
    partition: (_, origin) => origin.partition,
    player_id: ({ state }) => (state.kind === 'ledger' ? NO_PLAYER : state.id),
    entity_id: ({ state }, { partition }) => (state.kind === 'ledger' ? ledgerRowId(state.id, partition) : ''),
    external_id: ofPlayer((player) => player.externalId),
    device_id: ofPlayer((player) => player.deviceId),
    email: ofPlayer((player) => player.email),
    lifecycle_stage: ofPlayer((player) => player.lifecycleStage),
    lifecycle_changed_at: ofPlayer((player) => timeText(player.lifecycleChangedAt)),
    session_count: ofPlayer((player) => player.sessionCount),
    purchase_count: ofPlayer((player) => player.purchaseCount),
    total_revenue: ofPlayer((player) => decimalText(player.totalRevenue)),
    total_playtime_seconds: ofPlayer((player) => Math.round(player.totalPlaytimeSeconds)),
    is_payer: ofPlayer((player) => player.isPayer),
    country: ofPlayer((player) => player.country),
    first_seen_at: ofPlayer((player) => timeText(player.firstSeenAt)),
    last_seen_at: ofPlayer((player) => timeText(player.lastSeenAt)),
    attributes: ofPlayer((player) => player.attributes),
    received_at: (one) => timeText(one.at),
    state: (one) => Buffer.from(encodeState(one.state)).toString('base64'),
    last_seq: (one) => one.state.lastSeq,
    version: (_, origin) => snapshotVersion(origin),
  },
});

const lifecycle_transitions = factTable(['LifecycleChanged'], (fact) => [fact])({
  placing: 'facts',
  receivedMs: (fact) => fact.at,
  columns: {
    ...SCOPE,
    player_id: (fact) => fact.entityId,
    external_id: (fact) => fact.externalId,
    from_stage: (fact) => fact.from,
    to_stage: (fact) => fact.to,
    changed_at: (fact) => timeText(fact.changedAt),
    received_at: (fact) => timeText(fact.at),
    ...ORIGIN,
  },
});

/**
 * The ledgers of one API key have the same id in every partition, and a row replaces all rows with its game,
 * environment, `player_id` and `entity_id`. Older versions wrote the id alone.
 */
function ledgerRowId(ledgerId: string, partition: number): string {
  return `${ledgerId}/${partition}`;
}

export const STATE_TABLES = { player_snapshots, lifecycle_transitions };

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
function snapshotVersion({ stream, sequence }: FactOrigin): string {
  return String((createdMs(stream) << 64n) | BigInt(sequence));
}
