import {
  array,
  assert,
  constantFrom,
  integer,
  oneof,
  option,
  property,
  record,
  tuple,
  type Arbitrary,
} from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { PLAYER_LIMITS } from '../decision/limits.ts';
import { decodeCommit, encodeCommit } from '../../core/codec/codec.ts';
import { decodeState, encodeState } from '../../core/codec/state/state-codec.ts';
import type { CampaignDocument } from '../../core/vocabulary/documents/documents.ts';
import type { TrackItem } from '../../core/vocabulary/commands/commands.ts';
import { DAY_MS, dayOf } from '../../core/kernel/days.ts';
import { decide } from '../decide.ts';
import type { Draft } from '../decision/decision.ts';
import { evolve } from '../evolve.ts';
import type { DomainFact } from '../../core/vocabulary/facts/facts.ts';
import type { EntityState } from '../../core/vocabulary/state/state.ts';
import { aCommand, aPlayer } from '../testing-players.ts';
import { aCampaign, campaignId, campaignsOf } from './testing-campaign.ts';
import type { InterventionTriggered } from '../../core/vocabulary/facts/campaign-facts.ts';
import type { Definitions } from '../decision/definitions.ts';

/*
 * Caps are exact with gateways whose clocks differ, discarded drafts, players loaded from the store and owners that
 * rebuild from the log. The reference model has no tallies: it counts all interventions ever given.
 */

const START = 20_000 * DAY_MS + DAY_MS / 2;
const PLAYERS = [1, 2, 3].map((n) => `7d6f3f5e-6f0b-5f8e-9d2c-${String(n).padStart(12, '0')}`);
const EVENTS = ['level_failed', 'level_up'];
const ENOUGH_TRIGGERS = 100_000;

type Step =
  /** Events of players, in one command, `laterMs` after the one before; a clock that is behind makes it negative. */
  | { kind: 'track'; laterMs: number; events: [player: number, event: number][]; isThrownAway: boolean }
  | { kind: 'store' }
  | { kind: 'rebuild' };

const laterMs = oneof(
  { weight: 6, arbitrary: integer({ min: 0, max: 90_000 }) },
  { weight: 2, arbitrary: integer({ min: -5_000, max: 5_000 }) },
  { weight: 1, arbitrary: constantFrom(DAY_MS / 2, DAY_MS, -DAY_MS / 2, 3 * DAY_MS) },
);
const track: Arbitrary<Step> = record({
  kind: constantFrom('track' as const),
  laterMs,
  events: array(tuple(integer({ min: 0, max: 2 }), integer({ min: 0, max: 1 })), { minLength: 1, maxLength: 40 }),
  isThrownAway: integer({ min: 0, max: 9 }).map((n) => n === 0),
});
const step: Arbitrary<Step> = oneof(
  { weight: 12, arbitrary: track },
  { weight: 1, arbitrary: constantFrom<Step>({ kind: 'store' }) },
  { weight: 1, arbitrary: constantFrom<Step>({ kind: 'rebuild' }) },
);
const cap = option(integer({ min: 1, max: 6 }), { nil: null });
const campaigns: Arbitrary<CampaignDocument[]> = array(
  record({
    event: constantFrom(...EVENTS),
    caps: record({ total: option(integer({ min: 1, max: 15 }), { nil: null }), perDay: cap }),
    cooldownSeconds: constantFrom(0, 0, 30, 3_600),
    holdoutPercentage: constantFrom(0, 0, 0, 100),
    expiresAfterSeconds: constantFrom(60, 86_400),
  }),
  { minLength: 1, maxLength: 4 },
).map((list) =>
  list.map(({ event, ...some }, n) => aCampaign({ id: campaignId(n), trigger: { kind: 'event', event }, ...some })),
);

/** The reference model's reason to suppress an intervention at `now`; `undefined`: none. */
function refusal(
  { id, caps, cooldownSeconds, holdoutPercentage }: CampaignDocument,
  given: readonly InterventionTriggered[],
  now: number,
) {
  const own = given.filter((one) => one.campaignId === id);
  const onDay = (list: readonly InterventionTriggered[]) => list.filter(({ at }) => dayOf(at) === dayOf(now)).length;
  // Nothing is delivered here, so an intervention counts until it expires.
  if (caps.total !== null && own.filter(({ expiresAt }) => expiresAt > now).length >= caps.total) return 'cap_total';
  if (caps.perDay !== null && onDay(own) >= caps.perDay) return 'cap_per_day';
  if (own.some(({ at }) => now - at < cooldownSeconds * 1_000)) return 'cooldown';
  if (onDay(given) >= PLAYER_LIMITS.interventionsPerDay) return 'cap_all_campaigns';
  if (given.filter(({ expiresAt }) => expiresAt > now).length >= PLAYER_LIMITS.interventionsPerPlayer)
    return 'waiting_full';
  return holdoutPercentage === 100 ? 'holdout' : undefined;
}

/** An owner of the players: their states, and the log that the states come from. */
function createOwner(definitions: Definitions) {
  const log: DomainFact[] = [];
  let states = new Map<string, EntityState>(PLAYERS.map((id) => [id, newPlayer(id)]));

  return {
    log,
    track(at: number, events: readonly [number, number][], isThrownAway: boolean): DomainFact[] {
      const changed = new Map<string, EntityState>();
      const facts: DomainFact[] = [];
      const draft: Draft = {
        facts,
        limits: PLAYER_LIMITS,
        get: (id) => changed.get(id) ?? states.get(id),
        emit(fact) {
          facts.push(fact);
          changed.set(fact.entityId, evolve(draft.get(fact.entityId), fact));
        },
      };
      const items = events.map(([player, event], index): TrackItem => ({
        index,
        playerId: PLAYERS[player] ?? '',
        eventId: `e-${log.length}-${index}`,
        remember: false,
        eventName: EVENTS[event] ?? '',
        properties: '{}',
        sessionId: null,
        timestamp: at,
      }));
      decide(draft, aCommand({ kind: 'TrackEvents', items }, { receivedAt: at, deadlineAt: at + 5_000 }), definitions);
      if (isThrownAway) return [];
      log.push(...facts);
      states = new Map([...states, ...changed]);
      return facts;
    },
    store() {
      states = new Map([...states].map(([id, state]) => [id, decodeState(encodeState(state))]));
    },
    rebuild() {
      states = new Map(PLAYERS.map((id) => [id, newPlayer(id)]));
      const bytes = encodeCommit({ ...RECORD, facts: log });
      for (const fact of decodeCommit(bytes).facts) {
        if (fact.kind === 'EntitySnapshot' || fact.kind === 'SnapshotMark') continue;
        states.set(fact.entityId, evolve(states.get(fact.entityId), fact));
      }
    },
  };
}

const RECORD = { partition: 0, epoch: 1, owner: 'o', committedAt: START, position: null, configRevision: 0 };
const newPlayer = (id: string): EntityState => aPlayer({ id, lifecycleStage: 'active', lastSeenAt: START });

let triggers = 0;
afterAll(() => {
  expect(triggers).toBeGreaterThan(ENOUGH_TRIGGERS);
});

describe('caps', () => {
  it('are exact over 100,000 triggers, in any order, with any clock, after a load or a rebuild', () => {
    const run = property(campaigns, array(step, { minLength: 30, maxLength: 60 }), (documents, steps) => {
      const owner = createOwner(campaignsOf(documents));
      const known = new Map<string, Known>(PLAYERS.map((id) => [id, { given: [], noted: new Set(), latestAt: 0 }]));
      let now = START;
      for (const one of steps) {
        if (one.kind === 'store') owner.store();
        else if (one.kind === 'rebuild') owner.rebuild();
        else {
          now += one.laterMs;
          const facts = owner.track(now, one.events, one.isThrownAway);
          if (!one.isThrownAway) expect(outcomesOf(facts)).toEqual(expected(documents, known, one.events, now));
        }
      }
    });
    // The seed is fixed, so that the number of triggers is too.
    assert(run, { numRuns: 450, seed: 4_711 });
  }, 60_000);
});

/** The outcomes in order: player, campaign and time, and the reason if suppressed. */
function outcomesOf(facts: readonly DomainFact[]): string[] {
  return facts.flatMap((fact) => {
    if (fact.kind === 'InterventionTriggered') return [`${fact.entityId} ${fact.campaignId} ${fact.at}`];
    if (fact.kind !== 'InterventionSuppressed') return [];
    return [`${fact.entityId} ${fact.campaignId} ${fact.at} ${fact.reason}`];
  });
}

/** The history of one player in the reference model. */
interface Known {
  given: InterventionTriggered[];
  /** Campaign, reason and UTC day of each suppression. */
  noted: Set<string>;
  latestAt: number;
}

/** The same by the reference model, which extends the history. */
function expected(
  documents: readonly CampaignDocument[],
  known: ReadonlyMap<string, Known>,
  events: readonly [number, number][],
  receivedAt: number,
): string[] {
  const recorded: string[] = [];
  for (const [player, event] of events) {
    const entityId = PLAYERS[player] ?? '';
    const one = known.get(entityId);
    if (one === undefined) throw new Error(`no player ${entityId}`);
    for (const document of documents) {
      const { id: campaignIdNow, trigger, expiresAfterSeconds } = document;
      if (trigger.kind !== 'event' || trigger.event !== EVENTS[event]) continue;
      triggers += 1;
      // Time never runs backwards for a player: later facts have the same or a later time.
      const at = Math.max(receivedAt, one.latestAt);
      const reason = refusal(document, one.given, at);
      const note = `${campaignIdNow} ${reason} ${dayOf(at)}`;
      if (reason !== undefined && one.noted.has(note)) continue;
      one.latestAt = at;
      if (reason === undefined) {
        const expiresAt = at + expiresAfterSeconds * 1_000;
        one.given.push({ ...BARE, entityId, campaignId: campaignIdNow, at, expiresAt });
        recorded.push(`${entityId} ${campaignIdNow} ${at}`);
      } else {
        one.noted.add(note);
        recorded.push(`${entityId} ${campaignIdNow} ${at} ${reason}`);
      }
    }
  }
  return recorded;
}

const BARE = {
  kind: 'InterventionTriggered',
  game: 'demo',
  environment: 'live',
  interventionId: '',
  campaignKey: '',
  campaignVersion: 1,
  externalId: '',
  cause: '',
} as const;
