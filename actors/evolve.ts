import { LIMITS } from '../src/kernel/limits.ts';
import { append } from '../src/kernel/bounded.ts';
import { clicked, offered, shown, suppressed, triggered } from './campaigns/evolve.ts';
import { DAY_MS } from '../src/kernel/days.ts';
import { counted } from './events/counters.ts';
import { afterErasure, quarantined, released } from './events/quarantine.ts';
import { remembered } from './events/recent-events.ts';
import type {
  DomainFact,
  EventTracked,
  IdempotencyKeyUsed,
  PlayerErased,
  PlayerRegistered,
  PlayerUpdated,
  SegmentEntered,
  SegmentExited,
} from './vocabulary/facts.ts';
import type { FlagExposed, FlagOverridden } from './vocabulary/flag-facts.ts';
import { seenVariant } from './flags/seen-variant.ts';
import { flagsServed } from './flags/serve.ts';
import { bounded, LEDGER_BOUND, PLAYER_BOUND } from './idempotency/bounded-keys.ts';
import { countryOf } from './player/attributes.ts';
import { purchaseRecorded, purchaseReversed } from './purchases/evolve.ts';
import { closed, flagsTold, opened, sessionRecorded, synced } from './sessions/evolve.ts';
import type { EntityState, ErasedState, LedgerState, PlayerState, RememberedKey } from './vocabulary/state.ts';
import { NO_ACTIVITY, NO_QUARANTINE, type RecentEvent } from './vocabulary/player.ts';

/** A fact that cannot follow the state it meets: the log is not what we think it is. A bug, never a caller's fault. */
export class FactOrderError extends Error {}

/**
 * The state after `fact`. Pure; never changes its input. No business rules here: what was decided stays decided, also
 * when rules change later. `lastSeq` is kept by the runtime, which knows the record's sequence.
 */
export function evolve(state: EntityState | undefined, fact: DomainFact): EntityState {
  switch (fact.kind) {
    case 'PlayerRegistered':
      return registered(state, fact);
    case 'PlayerUpdated':
      return updated(player(state, fact), fact);
    case 'PlayerErased':
      return erased(fact);
    case 'EventTracked':
      return tracked(player(state, fact), fact);
    case 'EventQuarantined':
      return quarantined(player(state, fact), fact);
    case 'LifecycleChanged':
      return {
        ...player(state, fact),
        lifecycleStage: fact.to,
        lifecycleChangedAt: fact.changedAt,
        sessionsInStage: 0,
      };
    case 'ChurnRiskChanged':
      return { ...player(state, fact), churnHigh: fact.high };
    case 'LifecycleScheduled':
      return { ...player(state, fact), lifecycleDueAt: fact.dueAt };
    case 'IdempotencyKeyUsed':
      return keyUsed(state, fact);
    case 'SegmentEntered':
      return entered(player(state, fact), fact);
    case 'SegmentExited':
      return exited(player(state, fact), fact);
    case 'SegmentsScheduled':
      return { ...player(state, fact), segmentsDueAt: fact.dueAt };
    case 'FlagOverridden':
      return overridden(player(state, fact), fact);
    case 'FlagsServed':
      return flagsServed(player(state, fact), fact);
    case 'FlagExposed':
      return exposed(player(state, fact), fact);
    case 'SessionOpened':
      return opened(player(state, fact), fact);
    case 'SessionSynced':
      return synced(player(state, fact), fact);
    case 'SessionFlagsTold':
      return flagsTold(player(state, fact), fact);
    case 'SessionClosed':
      return closed(player(state, fact), fact);
    case 'SessionRecorded':
      return sessionRecorded(player(state, fact), fact);
    case 'PurchaseRecorded':
      return purchaseRecorded(player(state, fact), fact);
    case 'PurchaseReversed':
      return purchaseReversed(player(state, fact), fact);
    case 'InterventionTriggered':
      return triggered(player(state, fact), fact);
    case 'InterventionSuppressed':
      return suppressed(player(state, fact), fact);
    case 'InterventionOffered':
      return offered(player(state, fact), fact);
    case 'InterventionShown':
      return shown(player(state, fact), fact);
    case 'InterventionClicked':
      return clicked(player(state, fact), fact);
  }
}

function player(state: EntityState | undefined, fact: DomainFact): PlayerState {
  if (state?.kind === 'player') return state;
  throw new FactOrderError(`${fact.kind} for ${fact.entityId}, which is not a player`);
}

/** Keys of an erasure live on in the player's next life, so that a late repeat of the erasure does not end that one too. */
function registered(state: EntityState | undefined, fact: PlayerRegistered): PlayerState {
  return {
    ...fact.player,
    kind: 'player',
    game: fact.game,
    environment: fact.environment,
    lifecycleChangedAt: fact.at,
    purchaseCount: 0,
    totalPlaytimeSeconds: 0,
    country: countryOf(fact.player.attributes),
    recentEvents: [],
    keys: state?.kind === 'erased' ? state.keys : [],
    counters: [],
    device: null,
    segments: [],
    segmentsDueAt: 0,
    overrides: [],
    exposures: [],
    servedFlags: [],
    sessions: [],
    activity: NO_ACTIVITY,
    recordedSessions: [],
    recordedPurchases: [],
    sessionsInStage: 0,
    interventions: [],
    campaignTallies: [],
    // Nothing changes by time before.
    lifecycleDueAt: fact.at + DAY_MS,
    churnHigh: false,
    quarantine: state?.kind === 'erased' ? afterErasure(state.quarantined) : NO_QUARANTINE,
    lastSeq: 0,
  };
}

/** Needs nothing of the state before, so it applies whatever a rebuild still has of that. */
function erased({ entityId: id, game, environment, at, quarantined = 0 }: PlayerErased): ErasedState {
  return { kind: 'erased', id, game, environment, erasedAt: at, keys: [], quarantined, lastSeq: 0 };
}

function updated(state: PlayerState, fact: PlayerUpdated): PlayerState {
  return { ...state, ...fact.player, country: countryOf(fact.player.attributes) };
}

function tracked(state: PlayerState, fact: EventTracked): PlayerState {
  const recentEvents = fact.remember ? remembered(state.recentEvents, recentEventOf(fact)) : state.recentEvents;
  const counters = counted(state.counters, fact.eventName, fact.at, fact.forgets);
  const next = { ...state, recentEvents, counters, lastSeenAt: Math.max(state.lastSeenAt, fact.at) };
  return fact.release === undefined ? next : released(next, fact, fact.release.number);
}

function recentEventOf({ eventId, eventName, timestamp, at: receivedAt, by }: EventTracked): RecentEvent {
  const event = { eventId, eventName, timestamp, receivedAt };
  return by === undefined || by === 'service' ? event : { ...event, by };
}

function entered(state: PlayerState, { segmentId, segmentKey, at }: SegmentEntered): PlayerState {
  const others = state.segments.filter((membership) => membership.segmentId !== segmentId);
  const next = others.findIndex((membership) => membership.segmentId > segmentId);
  const place = next === -1 ? others.length : next;
  return { ...state, segments: others.toSpliced(place, 0, { segmentId, segmentKey, since: at }) };
}

function exited(state: PlayerState, { segmentId }: SegmentExited): PlayerState {
  return { ...state, segments: state.segments.filter((membership) => membership.segmentId !== segmentId) };
}

function overridden(state: PlayerState, { flagKey, value }: FlagOverridden): PlayerState {
  const others = state.overrides.filter((override) => override.flagKey !== flagKey);
  return { ...state, overrides: value === null ? others : [...others, { flagKey, value }] };
}

function exposed(state: PlayerState, fact: FlagExposed): PlayerState {
  const { flagKey, flagVersion, period = 0 } = fact;
  const exposure = { flagKey, flagVersion, period, variantKey: seenVariant(fact) };
  return { ...state, exposures: append(state.exposures, exposure, LIMITS.exposuresPerPlayer) };
}

function keyUsed(state: EntityState | undefined, fact: IdempotencyKeyUsed): EntityState {
  const holder = state ?? emptyLedger(fact);
  const { key, bodyHash, at, reply, by } = fact;
  const fresh = holder.keys.filter((entry) => entry.at + LIMITS.idempotencyTtlMs > at);
  const entry: RememberedKey = by === undefined ? { key, bodyHash, at, reply } : { key, bodyHash, at, reply, by };
  return { ...holder, keys: bounded([...fresh, entry], holder.kind === 'ledger' ? LEDGER_BOUND : PLAYER_BOUND) };
}
function emptyLedger(fact: IdempotencyKeyUsed): LedgerState {
  const { entityId: id, game, environment } = fact;
  return { kind: 'ledger', id, game, environment, keys: [], lastSeq: 0 };
}
