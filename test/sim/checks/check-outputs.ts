import type { PartitionStore } from '../../../actors/runtime/store/store.ts';
import type { Fact } from '../../../core/vocabulary/facts/facts.ts';
import type { EntityState } from '../../../core/vocabulary/state/state.ts';
import { isPlayerTable, TABLE_NAMES, TABLES } from '../../../clickhouse-schema/rows/tables/tables.ts';
import type { PendingErasure } from '../../../clickhouse-schema/rows/erased-rows.ts';
import { rowsOf } from '../../../clickhouse-schema/rows/rows.ts';
import { decodeJson } from '../../../core/codec/codec.ts';
import type { MemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { parseRebuildMark, rebuildKey } from '../../../streams/facts/rebuild-mark.ts';
import { lineOf, withZeros } from '../../support/wire/tab-separated.ts';
import type { FakeClickhouse } from '../machines/fake-clickhouse.ts';
import { isErased } from '../machines/fake-erasures.ts';
import type { Observer } from '../observer.ts';
import { MOST_ATTEMPTS, type Receivers } from '../clients/receivers.ts';
import type { World } from '../world.ts';
import type { PartitionLog } from './partition-log.ts';
import { isSameState } from './same-state.ts';

/**
 * ClickHouse's replacement for an erased player's snapshots: a tombstone as of just before the record of its erasure.
 */
function isStandIn(state: EntityState, { timeline }: PartitionLog): boolean {
  if (state.kind !== 'erased') return false;
  return timeline.steps.some(({ sequence }, step) => {
    if (sequence !== state.lastSeq + 1) return false;
    const held = timeline.at(step + 1)(state.id);
    return held?.kind === 'erased' && held.erasedAt === state.erasedAt;
  });
}

/**
 * A local store is a cache of the log: it contains everything up to its mark. State from snapshots may be newer than
 * the mark. Every stored state must equal the model's state at that point of the log.
 */
export function checkStore(world: World, store: PartitionStore, log: PartitionLog, where: string): void {
  const mark = store.mark();
  if (mark === undefined || mark.factsCreated === '') return;
  const due = log.timeline.upTo(mark.appliedSeq);
  for (const { state } of store.all()) {
    const held = log.timeline.upTo(state.lastSeq).get(state.id);
    if (state.lastSeq >= mark.appliedSeq && isStandIn(state, log)) {
      due.delete(state.id);
      continue;
    }
    if (!isSameState(state, held) || state.lastSeq < (due.get(state.id)?.lastSeq ?? 0)) {
      world.violate('store-is-fold', `${where} up to ${mark.appliedSeq}: ${show(state)} should be ${show(held)}`);
    }
    due.delete(state.id);
  }
  for (const id of due.keys()) world.violate('store-is-fold', `${where} up to ${mark.appliedSeq} lacks ${id}`);
}

/**
 * Every fact with rows has each row exactly once, except facts from before an erasure of their player; every row has
 * its fact.
 */
export function checkRows(world: World, clickhouse: FakeClickhouse, observer: Observer): void {
  const last = lastErasures(observer);
  const expected = new Map(TABLE_NAMES.map((table): [string, string[]] => [table, []]));
  for (const { record, sequence } of observer.commits) {
    for (const [index, fact] of record.facts.entries()) {
      const place = { stream: observer.factsCreated, sequence, index, partition: record.partition };
      const erasure = 'entityId' in fact ? last.get(fact.entityId) : undefined;
      for (const [table, values] of rowsOf(fact, place)) {
        const { types } = TABLES[table];
        const line = lineOf(types, withZeros(types, values));
        const gone = erasure !== undefined && isPlayerTable(table) && isErased(table, line, erasure);
        if (gone) world.cover('a row of an erased player is gone');
        if (gone && clickhouse.rows(table).includes(line)) {
          world.violate('erased-is-gone', `${table} still holds ${line.slice(0, 400)}`);
        }
        if (!gone) expected.get(table)?.push(line);
      }
    }
  }
  for (const table of TABLE_NAMES) {
    const count = new Map<string, number>();
    for (const row of clickhouse.rows(table)) count.set(row, (count.get(row) ?? 0) + 1);
    for (const row of expected.get(table) ?? []) {
      const times = count.get(row) ?? 0;
      if (times !== 1) world.violate('one-row-per-fact', `${table} holds ${times} times ${row.slice(0, 400)}`);
      count.delete(row);
    }
    for (const row of count.keys())
      world.violate('one-row-per-fact', `${table} has a row without a fact: ${row.slice(0, 400)}`);
  }
}

/** The last erasure of every player. */
export function lastErasures({ commits }: Observer): Map<string, PendingErasure> {
  const last = new Map<string, PendingErasure>();
  for (const { record, sequence } of commits) {
    for (const [index, fact] of record.facts.entries()) {
      if (fact.kind !== 'PlayerErased') continue;
      const { game, environment, entityId: playerId, at: erasedAt } = fact;
      last.set(playerId, {
        game,
        environment,
        playerId,
        createdMs: 0,
        sequence,
        index,
        erasedAt,
        rows: undefined,
        deviceId: '',
      });
    }
  }
  return last;
}

/** Whether a record erases a player. */
function isErasedBy({ commits }: Observer, playerId: string, sequence: number): boolean {
  const facts = commits[sequence - 1]?.record.facts ?? [];
  return facts.some((fact) => fact.kind === 'PlayerErased' && fact.entityId === playerId);
}

/** The newest snapshots and the facts after the rebuild mark must give the partition's current state. */
export function checkRebuild(
  world: World,
  broker: MemoryBroker,
  clickhouse: FakeClickhouse,
  partition: number,
  log: PartitionLog,
  observer: Observer,
): void {
  const entry = broker.bucket('POSITIONS').get(rebuildKey(partition));
  const mark = entry?.value === undefined ? undefined : parseRebuildMark(decodeJson(entry.value));
  const { firstSequence } = broker.stream('FACTS').bounds();
  const coveredTo = mark?.coveredTo ?? 0;
  if (firstSequence > coveredTo + 1) {
    world.violate(
      'rebuild',
      `FACTS begins at ${firstSequence}, snapshots of partition ${partition} reach ${coveredTo}`,
    );
  }
  const snapshots = clickhouse.snapshots(partition);
  for (const [id, held] of log.timeline.upTo(coveredTo)) {
    const snapshot = snapshots.get(id);
    const then = snapshot === undefined ? undefined : log.timeline.upTo(snapshot.lastSeq).get(id);
    // The tombstone that the sink stores for deleted snapshots has no state, just before the record of the erasure.
    const isTombstone = snapshot?.kind === 'erased' && isErasedBy(observer, id, snapshot.lastSeq + 1);
    if (isTombstone) world.cover('rebuild: from a tombstone');
    const covers =
      snapshot !== undefined && snapshot.lastSeq >= held.lastSeq && (isTombstone || isSameState(snapshot, then));
    if (!covers) {
      world.violate(
        'rebuild',
        `covered up to ${coveredTo}, but ${id} is ${show(snapshot)}, should reach ${show(held)}`,
      );
    }
  }
}

/**
 * Every fact that a webhook matches is queued for it once, under one id. Facts from before the webhook are not queued.
 */
export function checkDeliveries(world: World, broker: MemoryBroker, observer: Observer): void {
  const webhooks = new Map<string, number>();
  for (const { key, revision } of broker.bucket('CONFIG').since(0)) {
    const [, , kind, name] = key.split('.');
    if (kind === 'webhook' && name !== undefined) webhooks.set(name, revision);
  }
  const queued = new Map<string, number>();
  const due = new Map<string, number>();
  for (const delivery of observer.deliveries.values()) {
    const data: unknown = JSON.parse(delivery.data);
    const what = JSON.stringify({ webhook: delivery.webhook, data });
    queued.set(what, (queued.get(what) ?? 0) + 1);
  }
  for (const [webhook, createdRevision] of webhooks) {
    for (const { record } of observer.commits) {
      if (record.configRevision < createdRevision) continue;
      for (const fact of record.facts) {
        const data = dataOf(fact);
        if (data === undefined) continue;
        const what = JSON.stringify({ webhook, data });
        due.set(what, (due.get(what) ?? 0) + 1);
      }
    }
  }
  // A session id may be recorded once in each life of a player: two facts with equal content.
  for (const what of new Set([...queued.keys(), ...due.keys()])) {
    const [times, facts] = [queued.get(what) ?? 0, due.get(what) ?? 0];
    if (times !== facts) world.violate('one-delivery-per-fact', `queued ${times} times for ${facts} facts: ${what}`);
  }
}

/** Every delivery was accepted, or was attempted as often as its webhook allows, or is about an erased player. */
export function checkAttempts(world: World, receivers: Receivers, observer: Observer): void {
  const last = lastErasures(observer);
  for (const { id, webhook, player, place } of observer.deliveries.values()) {
    world.cover('webhooks: attempts checked');
    if (receivers.accepted.has(id) || (receivers.failures.get(id) ?? 0) >= MOST_ATTEMPTS) continue;
    const erasure = last.get(player);
    if (erasure !== undefined && place.sequence <= erasure.sequence) continue;
    world.violate('every-delivery-sent', `${webhook} never got the delivery ${id} of record ${place.sequence}`);
  }
}

/** The payload that the simulation's webhooks get for a fact. */
function dataOf(fact: Fact): object | undefined {
  if (fact.kind === 'EventTracked') {
    const { entityId: player_id, externalId: external_id, eventName: event_name } = fact;
    const properties: unknown = JSON.parse(fact.properties);
    return { player_id, external_id, event_name, properties };
  }
  if (fact.kind === 'LifecycleChanged') {
    const { entityId: player_id, externalId: external_id, from, to, changedAt } = fact;
    return { player_id, external_id, from, to, changed_at: new Date(changedAt).toISOString() };
  }
  if (fact.kind === 'InterventionTriggered') {
    const { entityId: player_id, externalId: external_id, campaignId, interventionId, message, heldUntil } = fact;
    const campaign = {
      campaign_id: campaignId,
      campaign_key: fact.campaignKey,
      campaign_version: fact.campaignVersion,
    };
    const why = { intervention_id: interventionId, cause: fact.cause, variant: fact.variant ?? null, locale: null };
    const held_until = heldUntil === undefined ? null : new Date(heldUntil).toISOString();
    const expires_at = new Date(fact.expiresAt).toISOString();
    const links = { image: null, deep_link: null, buttons: [], data: null };
    const content = { title: message?.title, body: message?.body, cta: '', ...links };
    return { player_id, external_id, ...campaign, ...why, held_until, expires_at, content };
  }
  if (fact.kind !== 'ChurnRiskChanged' || !fact.high) return undefined;
  const { entityId: player_id, externalId: external_id, risk } = fact;
  const factors = risk.factors.map((factor) => ({ ...factor, contribution: factor.contribution / 10_000 }));
  const score = { risk_score: risk.score / 10_000, risk_level: 'high', factors };
  const prediction_date = new Date(risk.predictedAt).toISOString();
  return { player_id, external_id, ...score, prediction_date, confidence: risk.confidence / 100 };
}

function show(value: EntityState | undefined): string {
  return JSON.stringify(value)?.slice(0, 500) ?? 'missing';
}
