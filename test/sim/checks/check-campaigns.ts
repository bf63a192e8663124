import type { DomainFact } from '../../../core/vocabulary/facts/facts.ts';
import type { CampaignDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { CampaignHistory } from '../model/campaign-history.ts';
import { isScheduled } from './check-own-doings.ts';
import type { Observer } from '../observer.ts';
import type { World } from '../world.ts';
import type {
  InterventionClicked,
  InterventionDismissed,
  InterventionOffered,
  InterventionShown,
  InterventionSuppressed,
  InterventionTriggered,
} from '../../../core/vocabulary/facts/campaign-facts.ts';
import type { PartitionLog } from './partition-log.ts';
import { SIM_LIMITS } from '../machines/sim-limits.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const dayOf = (atMs: number): number => Math.floor(atMs / DAY_MS);
/** How long before its time a campaign must be known for every process to have received it. */
const WATCH_DELAY_MS = 3_000;

/** The campaigns of one life of a player, counted without any limit. Places count the facts in the log. */
interface Life {
  given: InterventionTriggered[];
  /** Campaign, reason and UTC day of recorded suppressions. */
  noted: Set<string>;
  /** Campaign and time of the schedules that the player had. */
  scheduled: Set<string>;
  held: Map<string, Held>;
  /** Ids of interventions that were withdrawn before a delivery. */
  withdrawn: Set<string>;
  /** The place at which each session was opened. */
  opened: Map<string, number>;
}

interface Held {
  given: InterventionTriggered;
  offers: number;
  /** The place of its last delivery. */
  offeredPlace: number;
  end: 'shown' | 'clicked' | undefined;
}

/**
 * Checks what players got from campaigns: caps and cooldowns are never exceeded, a schedule triggers once, a reason is
 * recorded once a day, and an intervention is delivered again only in a session opened after its last delivery.
 */
export function checkCampaigns(world: World, observer: Observer, history: CampaignHistory): void {
  const lives = new Map<string, Life>();
  const ids = new Set<string>();
  let place = 0;
  for (const { record, sequence } of observer.commits) {
    const campaigns = history.campaignsAt(record.configRevision);
    for (const fact of record.facts) {
      place += 1;
      if (fact.kind === 'EntitySnapshot' || fact.kind === 'SnapshotMark') continue;
      if (fact.kind === 'PlayerErased') lives.delete(fact.entityId);
      const wrong = (invariant: string, message: string): void =>
        world.violate(invariant, `record ${sequence}: ${message}: ${JSON.stringify(fact)}`);
      const campaign = 'campaignId' in fact ? campaigns.find(({ id }) => id === fact.campaignId) : undefined;
      take(fact, campaign, lifeOf(lives, fact.entityId), wrong);
    }
  }

  function take(fact: DomainFact, campaign: CampaignDocument | undefined, life: Life, wrong: Wrong): void {
    if (fact.kind === 'SessionOpened') life.opened.set(fact.sessionId, place);
    if (fact.kind === 'InterventionTriggered') {
      if (ids.has(fact.interventionId)) wrong('delivered-once', 'the id was used before');
      ids.add(fact.interventionId);
      world.cover(`set off by: ${fact.cause.split(':')[0]}`);
      if (campaign === undefined) wrong('caps', 'the campaign is disabled or deleted');
      else takeGiven(fact, campaign, life, wrong);
    }
    if (fact.kind === 'InterventionSuppressed') {
      world.cover(`suppressed: ${fact.reason}`);
      if (fact.interventionId !== undefined) takeWithdrawn(fact.interventionId, life, wrong);
      else if (campaign !== undefined) takeNoted(fact, campaign, life, wrong);
    }
    if (fact.kind === 'InterventionOffered') {
      if (campaign === undefined) wrong('delivered-once', 'the campaign of the offer is disabled or deleted');
      takeOffer(fact, life, wrong);
    }
    if (
      fact.kind === 'InterventionShown' ||
      fact.kind === 'InterventionClicked' ||
      fact.kind === 'InterventionDismissed'
    )
      takeEnd(fact, life, wrong);
  }

  function takeOffer({ interventionId, sessionId, at }: InterventionOffered, life: Life, wrong: Wrong): void {
    const held = life.held.get(interventionId);
    if (held === undefined || held.end !== undefined || at >= held.given.expiresAt) {
      wrong('delivered-once', 'the intervention was shown before, has expired, or never existed');
      return;
    }
    if (held.offers >= SIM_LIMITS.interventionOffers)
      wrong('delivered-once', `it was delivered ${held.offers} times before`);
    if ((life.opened.get(sessionId) ?? 0) < held.offeredPlace) {
      wrong('delivered-once', 'the session was already open at the last delivery');
    }
    if (held.offers > 0) world.cover('an intervention delivered again');
    held.offers += 1;
    held.offeredPlace = place;
  }
}

/** A withdrawn intervention counts as if it had never been given. */
function takeWithdrawn(interventionId: string, life: Life, wrong: Wrong): void {
  const held = life.held.get(interventionId);
  if (held === undefined || held.end !== undefined) {
    wrong('delivered-once', 'the withdrawn intervention was shown before, or never existed');
    return;
  }
  life.held.delete(interventionId);
  life.withdrawn.add(interventionId);
}

function takeEnd(
  fact: InterventionShown | InterventionClicked | InterventionDismissed,
  life: Life,
  wrong: Wrong,
): void {
  const held = life.held.get(fact.interventionId);
  const end = fact.kind === 'InterventionShown' ? 'shown' : 'clicked';
  const isNext = end === 'shown' ? held?.end === undefined : held?.end === 'shown';
  if (held === undefined || !isNext) wrong('delivered-once', `${end} after ${held?.end}`);
  else held.end = end;
}

type Wrong = (invariant: string, message: string) => void;

function takeGiven(fact: InterventionTriggered, campaign: CampaignDocument, life: Life, wrong: Wrong): void {
  const { caps, cooldownSeconds, id } = campaign;
  const day = dayOf(fact.at);
  const before = life.given.filter(({ campaignId }) => campaignId === id);
  const today = life.given.filter(({ at, interventionId }) => dayOf(at) === day && !life.withdrawn.has(interventionId));
  const taken = before.filter(({ interventionId }) => isTaken(life.held.get(interventionId), fact.at));
  if (taken.length >= (caps.total ?? Infinity)) wrong('caps', `more than the total cap of ${caps.total}`);
  if (today.filter(({ campaignId }) => campaignId === id).length >= (caps.perDay ?? Infinity)) {
    wrong('caps', `more than the daily cap of ${caps.perDay}`);
  }
  if (today.length >= SIM_LIMITS.interventionsPerDay)
    wrong('caps', `more than ${today.length} of all campaigns in a day`);
  const sinceMs = fact.at - (before.at(-1)?.at ?? -Infinity);
  if (sinceMs < cooldownSeconds * 1_000) wrong('caps', `only ${sinceMs} ms after the previous one`);
  takeTurn(fact, campaign, life, wrong);
  life.given.push(fact);
  life.held.set(fact.interventionId, { given: fact, offers: 0, offeredPlace: 0, end: undefined });
}

/** Whether the player saw the intervention, or still may. */
function isTaken(held: Held | undefined, at: number): boolean {
  if (held === undefined) return false;
  return held.end !== undefined || held.offers >= SIM_LIMITS.interventionOffers || at < held.given.expiresAt;
}

function takeNoted(fact: InterventionSuppressed, campaign: CampaignDocument, life: Life, wrong: Wrong): void {
  const noted = `${campaign.id} ${fact.reason} ${dayOf(fact.at)}`;
  // A schedule records an outcome for each of its times.
  if (!isScheduled(fact) && life.noted.has(noted)) wrong('caps', 'the reason was already recorded that day');
  life.noted.add(noted);
  takeTurn(fact, campaign, life, wrong);
}

function takeTurn(
  fact: InterventionTriggered | InterventionSuppressed,
  { id, trigger }: CampaignDocument,
  life: Life,
  wrong: Wrong,
): void {
  if (!isScheduled(fact) || trigger.kind !== 'schedule') return;
  const turn = `${id} ${trigger.at}`;
  if (life.scheduled.has(turn)) wrong('schedule', 'the player already had this scheduled time');
  life.scheduled.add(turn);
}

function lifeOf(lives: Map<string, Life>, playerId: string): Life {
  const life = lives.get(playerId) ?? {
    given: [],
    noted: new Set(),
    scheduled: new Set(),
    held: new Map(),
    withdrawn: new Set(),
    opened: new Map(),
  };
  lives.set(playerId, life);
  return life;
}

/**
 * After the run, every player that existed at a campaign's scheduled time has had that time, whoever owned the
 * partition then. Checked only for campaigns that were known early enough and have no audience, and for runs without
 * faults that change the time.
 */
export function checkScheduled(world: World, log: PartitionLog, history: CampaignHistory, observer: Observer): void {
  if (TIME_FAULTS.some((fault) => world.coverage.has(fault))) return;
  for (const { campaign, writtenAtMs } of history.latest()) {
    const { trigger, audience, startAt, endAt, id } = campaign;
    if (trigger.kind !== 'schedule' || audience !== null || startAt !== null || endAt !== null) continue;
    if (trigger.at > world.clock.wallMs() || trigger.at < writtenAtMs + WATCH_DELAY_MS) continue;
    for (const state of log.timeline.upTo(Infinity).values()) {
      if (state.kind !== 'player' || !wasThere(observer, state.id, trigger.at)) continue;
      const tally = state.campaignTallies.find(({ campaignId }) => campaignId === id);
      world.cover('schedule checked');
      if (Math.max(tally?.lastAt ?? 0, tally?.suppressedAt ?? 0) >= trigger.at) continue;
      world.violate('schedule', `${state.id} did not get the scheduled time ${trigger.at} of ${id}`);
    }
  }
}

const TIME_FAULTS = [
  'fault: wall clock off',
  'fault: night',
  'fault: a night for timers',
  'fault: suspended',
  'fault: clocks drift',
  'a night without requests',
];

/** Whether the player's last registration was stored before that time. */
function wasThere({ commits }: Observer, playerId: string, atMs: number): boolean {
  const registered = commits.findLast(({ record }) =>
    record.facts.some((fact) => fact.kind === 'PlayerRegistered' && fact.entityId === playerId),
  );
  return registered !== undefined && registered.record.committedAt < atMs;
}
