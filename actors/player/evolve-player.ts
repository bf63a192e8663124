import { DAY_MS } from '../../core/kernel/days.ts';
import { ledgerOf } from '../decision/evolve-player.ts';
import { afterErasure } from '../events/quarantine.ts';
import type {
  ChurnRiskChanged,
  LifecycleChanged,
  LifecycleScheduled,
  PlayerErased,
  PlayerRegistered,
  PlayerUpdated,
  TestPlayersCounted,
} from '../../core/vocabulary/facts/facts.ts';
import { NO_ACTIVITY, NO_QUARANTINE } from '../../core/vocabulary/state/player.ts';
import type { EntityState, ErasedState, LedgerState, PlayerState } from '../../core/vocabulary/state/state.ts';
import { countryOf } from './attributes.ts';

/**
 * The state of a new player. It keeps the Idempotency-Keys of an earlier erasure, so that a late repeat of that request
 * does not erase the new player.
 */
export function registered(state: EntityState | undefined, fact: PlayerRegistered): PlayerState {
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
    // The runtime puts the sequence of the record here.
    ...(state?.kind === 'erased' ? { bornSeq: 0 } : undefined),
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
    // No stage and no risk changes within the first day.
    lifecycleDueAt: fact.at + DAY_MS,
    churnHigh: false,
    quarantine: state?.kind === 'erased' ? afterErasure(state.quarantined) : NO_QUARANTINE,
    lastSeq: 0,
  };
}

export function updated(state: PlayerState, fact: PlayerUpdated): PlayerState {
  return { ...state, ...fact.player, country: countryOf(fact.player.attributes) };
}

export function testPlayersCounted(state: EntityState | undefined, fact: TestPlayersCounted): LedgerState {
  return { ...ledgerOf(state, fact), testPlayers: fact.count };
}

/** Ignores the state before, which a rebuild may lack. */
export function erased(
  _: EntityState | undefined,
  { entityId: id, game, environment, at, quarantined = 0 }: PlayerErased,
): ErasedState {
  return { kind: 'erased', id, game, environment, erasedAt: at, keys: [], quarantined, lastSeq: 0 };
}

export function lifecycleChanged(state: PlayerState, { to, changedAt }: LifecycleChanged): PlayerState {
  return { ...state, lifecycleStage: to, lifecycleChangedAt: changedAt, sessionsInStage: 0 };
}

export function churnRiskChanged(state: PlayerState, { high }: ChurnRiskChanged): PlayerState {
  return { ...state, churnHigh: high };
}

export function lifecycleScheduled(state: PlayerState, { dueAt }: LifecycleScheduled): PlayerState {
  return { ...state, lifecycleDueAt: dueAt };
}
