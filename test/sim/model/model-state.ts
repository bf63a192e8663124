import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import type { Scope } from '../../../core/vocabulary/documents/scope.ts';
import type { PlayerView } from '../../../core/vocabulary/state/player.ts';

/** A new player in the model. */
export function newPlayer(id: string, externalId: string, at: number): PlayerView {
  return {
    id,
    externalId,
    deviceId: null,
    email: null,
    lifecycleStage: 'new',
    sessionCount: 0,
    totalRevenue: 0,
    isPayer: false,
    isTestPlayer: false,
    firstSeenAt: at,
    lastSeenAt: at,
    attributes: '{}',
  };
}

export function newState(player: PlayerView, scope: Scope, at: number): PlayerState {
  return {
    kind: 'player',
    ...player,
    ...scope,
    lifecycleChangedAt: at,
    purchaseCount: 0,
    totalPlaytimeSeconds: 0,
    country: countryIn(player.attributes),
    recentEvents: [],
    keys: [],
    counters: [],
    device: null,
    segments: [],
    segmentsDueAt: 0,
    overrides: [],
    exposures: [],
    servedFlags: [],
    sessions: [],
    activity: { day: 0, sessions: [], playtimeSeconds: [] },
    recordedSessions: [],
    recordedPurchases: [],
    sessionsInStage: 0,
    interventions: [],
    campaignTallies: [],
    lifecycleDueAt: at + 24 * 60 * 60 * 1000,
    churnHigh: false,
    quarantine: { last: 0, released: [] },
    lastSeq: 0,
  };
}

/** The part of a player that callers see. */
export function viewOf(state: PlayerState): PlayerView {
  const { id, externalId, deviceId, email, lifecycleStage, sessionCount, totalRevenue, isPayer, isTestPlayer } = state;
  const { firstSeenAt, lastSeenAt, attributes } = state;
  const person = { id, externalId, deviceId, email, attributes };
  return { ...person, lifecycleStage, sessionCount, totalRevenue, isPayer, isTestPlayer, firstSeenAt, lastSeenAt };
}

/** JSON Merge Patch for flat documents. */
export function merged(text: string, patch: string | undefined): string {
  const document = new Map<string, unknown>(Object.entries(JSON.parse(text)));
  for (const [key, value] of Object.entries(JSON.parse(patch ?? '{}'))) {
    if (value === null) document.delete(key);
    else document.set(key, value);
  }
  return JSON.stringify(Object.fromEntries(document));
}

export function countryIn(attributes: string): string {
  const country = new Map<string, unknown>(Object.entries(JSON.parse(attributes))).get('country');
  return typeof country === 'string' ? country : '';
}
