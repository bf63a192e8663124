import type { DomainFact } from '../../../actors/vocabulary/facts.ts';
import type { CampaignDocument } from '../../../actors/vocabulary/documents.ts';
import type { CampaignHistory } from '../model/campaign-history.ts';
import { isScheduled } from './check-own-doings.ts';
import type { Observer } from '../observer.ts';
import type { World } from '../world.ts';
import type {
  InterventionClicked,
  InterventionOffered,
  InterventionShown,
  InterventionSuppressed,
  InterventionTriggered,
} from '../../../actors/vocabulary/campaign-facts.ts';
import type { PartitionLog } from './partition-log.ts';
import { SIM_LIMITS } from '../sim-limits.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const dayOf = (atMs: number): number => Math.floor(atMs / DAY_MS);
/** How long a campaign is known before its time for everybody to have heard of it. */
const HEARD_MS = 3_000;

/** What one life of a player had of campaigns, counted one by one and never forgotten. Places are of facts in the log. */
interface Life {
  given: InterventionTriggered[];
  /** Campaign, reason and UTC day of what was noted. */
  noted: Set<string>;
  /** Campaign and time of the schedules that it had its turn of. */
  scheduled: Set<string>;
  held: Map<string, Held>;
  /** Where sessions were opened. */
  opened: Map<string, number>;
}

interface Held {
  given: InterventionTriggered;
  offers: number;
  /** Where it was delivered last. */
  offeredPlace: number;
  end: 'shown' | 'clicked' | undefined;
}

/**
 * Counts what players got of campaigns against what they promise: caps and cooldowns are never exceeded, a schedule gives once,
 * a reason is noted once a day, and an intervention is delivered again only in a session opened after its last delivery.
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
      if (ids.has(fact.interventionId)) wrong('delivered-once', 'an id that was given before');
      ids.add(fact.interventionId);
      world.cover(`set off by: ${fact.cause.split(':')[0]}`);
      if (campaign === undefined) wrong('caps', 'given by a campaign that is disabled or gone');
      else takeGiven(fact, campaign, life, wrong);
    }
    if (fact.kind === 'InterventionSuppressed') {
      world.cover(`suppressed: ${fact.reason}`);
      if (campaign !== undefined) takeNoted(fact, campaign, life, wrong);
    }
    if (fact.kind === 'InterventionOffered') {
      if (campaign === undefined) wrong('delivered-once', 'of a campaign that is disabled or gone');
      takeOffer(fact, life, wrong);
    }
    if (fact.kind === 'InterventionShown' || fact.kind === 'InterventionClicked') takeEnd(fact, life, wrong);
  }

  function takeOffer({ interventionId, sessionId, at }: InterventionOffered, life: Life, wrong: Wrong): void {
    const held = life.held.get(interventionId);
    if (held === undefined || held.end !== undefined || at >= held.given.expiresAt) {
      wrong('delivered-once', 'shown before, over, or never given');
      return;
    }
    if (held.offers >= SIM_LIMITS.interventionOffers) wrong('delivered-once', `delivered ${held.offers} times before`);
    if ((life.opened.get(sessionId) ?? 0) < held.offeredPlace) {
      wrong('delivered-once', 'in a session that was open when it was delivered last');
    }
    if (held.offers > 0) world.cover('an intervention delivered again');
    held.offers += 1;
    held.offeredPlace = place;
  }
}

function takeEnd(fact: InterventionShown | InterventionClicked, life: Life, wrong: Wrong): void {
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
  const today = life.given.filter(({ at }) => dayOf(at) === day);
  if (before.length >= (caps.total ?? Infinity)) wrong('caps', `one more than ${caps.total}`);
  if (today.filter(({ campaignId }) => campaignId === id).length >= (caps.perDay ?? Infinity)) {
    wrong('caps', `one more a day than ${caps.perDay}`);
  }
  if (today.length >= SIM_LIMITS.interventionsPerDay) wrong('caps', `one more a day of all than ${today.length}`);
  const sinceMs = fact.at - (before.at(-1)?.at ?? -Infinity);
  if (sinceMs < cooldownSeconds * 1_000) wrong('caps', `${sinceMs} ms after the one before`);
  takeTurn(fact, campaign, life, wrong);
  life.given.push(fact);
  life.held.set(fact.interventionId, { given: fact, offers: 0, offeredPlace: 0, end: undefined });
}

function takeNoted(fact: InterventionSuppressed, campaign: CampaignDocument, life: Life, wrong: Wrong): void {
  const noted = `${campaign.id} ${fact.reason} ${dayOf(fact.at)}`;
  // A schedule says of each of its times what became of it.
  if (!isScheduled(fact) && life.noted.has(noted)) wrong('caps', 'noted on that day before');
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
  if (life.scheduled.has(turn)) wrong('schedule', 'the player had its turn before');
  life.scheduled.add(turn);
}

function lifeOf(lives: Map<string, Life>, playerId: string): Life {
  const life = lives.get(playerId) ?? {
    given: [],
    noted: new Set(),
    scheduled: new Set(),
    held: new Map(),
    opened: new Map(),
  };
  lives.set(playerId, life);
  return life;
}

/**
 * Once all is calm, everybody who was there at a campaign's scheduled time has had a turn of it, who led meanwhile or nobody
 * did: where the campaign was known in good time and is for all, and no clock or night makes that time another.
 */
export function checkScheduled(world: World, log: PartitionLog, history: CampaignHistory, observer: Observer): void {
  if (world.coverage.has('fault: wall clock off') || world.coverage.has('fault: night')) return;
  for (const { campaign, writtenAtMs } of history.latest()) {
    const { trigger, audience, startAt, endAt, id } = campaign;
    if (trigger.kind !== 'schedule' || audience !== null || startAt !== null || endAt !== null) continue;
    if (trigger.at > world.clock.wallMs() || trigger.at < writtenAtMs + HEARD_MS) continue;
    for (const state of log.timeline.upTo(Infinity).values()) {
      if (state.kind !== 'player' || !wasThere(observer, state.id, trigger.at)) continue;
      const tally = state.campaignTallies.find(({ campaignId }) => campaignId === id);
      world.cover('a schedule looked for');
      if (Math.max(tally?.lastAt ?? 0, tally?.suppressedAt ?? 0) >= trigger.at) continue;
      world.violate('schedule', `${state.id} had no turn of ${id} at ${trigger.at}`);
    }
  }
}

/** Whether the player's last registration was stored by then. */
function wasThere({ commits }: Observer, playerId: string, atMs: number): boolean {
  const registered = commits.findLast(({ record }) =>
    record.facts.some((fact) => fact.kind === 'PlayerRegistered' && fact.entityId === playerId),
  );
  return registered !== undefined && registered.record.committedAt < atMs;
}
