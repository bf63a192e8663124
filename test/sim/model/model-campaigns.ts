import { createHash } from 'node:crypto';
import type { DomainFact } from '../../../core/vocabulary/facts/facts.ts';
import type { Intervention } from '../../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import type { ModelDefinitions } from './model-definitions.ts';
import { SIM_LIMITS } from '../machines/sim-limits.ts';
import type { CampaignDocument } from '../../../core/vocabulary/documents/documents.ts';
import { compareUrgency, type ModelCampaigns } from './campaign-history.ts';
import { ZONES } from '../clients/change-campaigns.ts';
import { bucketOf } from './flags/model-buckets.ts';
import { messageFor, variantFor, variantNow } from './model-messages.ts';
import { isTrue } from './model-segments.ts';
import type { Called } from './players/model-sessions.ts';
import type { Scope } from '../../../core/vocabulary/documents/scope.ts';
import type { CampaignTally, PendingIntervention } from '../../../core/vocabulary/state/player.ts';
import type {
  InterventionClicked,
  InterventionDismissed,
  InterventionShown,
  InterventionSuppressed,
  InterventionTriggered,
} from '../../../core/vocabulary/facts/campaign-facts.ts';
import type { EventTracked } from '../../../core/vocabulary/facts/event-tracked.ts';

/**
 * Campaigns as documented: which facts trigger them, what suppresses an intervention, what a sync delivers, and how
 * players respond.
 */

type Outcome = InterventionTriggered | InterventionSuppressed;

const DAY_MS = 24 * 60 * 60 * 1000;
const MINUTE_MS = 60_000;
const dayOf = (atMs: number): number => Math.floor(atMs / DAY_MS);

/**
 * What facts lead to in campaigns. This comes after all their other consequences.
 * @param view the players after these facts
 */
export function predictCampaigns(
  facts: readonly DomainFact[],
  view: (playerId: string) => PlayerState | undefined,
  { campaigns, campaignFactsPerCommand }: Pick<ModelDefinitions, 'campaigns' | 'campaignFactsPerCommand'>,
  at: number,
): { facts: DomainFact[]; next: Map<string, PlayerState> } {
  const led: DomainFact[] = [];
  const next = new Map<string, PlayerState>();
  const take = (called: Called): void => {
    led.push(...called.facts);
    next.set(called.next.id, called.next);
  };
  for (const fact of facts) {
    const player = (): PlayerState | undefined => next.get(fact.entityId) ?? view(fact.entityId);
    if (fact.kind === 'EventTracked') {
      const state = player();
      if (state !== undefined) take(predictResponse(state, fact, at));
    }
    for (const campaign of campaigns) {
      if (!isSetOffBy(campaign, fact)) continue;
      if (led.length >= campaignFactsPerCommand) break;
      const state = player();
      if (state === undefined) break;
      const nowMs = Math.max(at, latestOf(state));
      if (!applies(campaign, state, fact, nowMs)) continue;
      const outcome = outcomeFor(campaign, state, nowMs);
      if (outcome.kind === 'InterventionSuppressed' && isNoted(tallyOf(state, campaign.id), outcome)) continue;
      take(after(state, outcome));
    }
  }
  return { facts: led, next };
}

/**
 * What a campaign's scheduled time leads to for a player. `undefined`: the campaign does not apply, or already had its
 * turn.
 */
export function predictScheduled(campaign: CampaignDocument, state: PlayerState, nowMs: number): Called | undefined {
  const { trigger } = campaign;
  if (trigger.kind !== 'schedule' || state.firstSeenAt > trigger.at) return undefined;
  const { lastAt, suppressedAt } = tallyOf(state, campaign.id);
  if (lastAt >= trigger.at || suppressedAt >= trigger.at) return undefined;
  const atMs = Math.max(nowMs, trigger.at, state.lastSeenAt, latestOf(state));
  return applies(campaign, state, undefined, atMs) ? after(state, outcomeFor(campaign, state, atMs)) : undefined;
}

/** What a sync delivers: pending interventions that were not delivered to a session opened before this one. */
export function predictOffers(
  state: PlayerState,
  sessionId: string,
  campaigns: ModelCampaigns,
  scope: Scope,
  at: number,
): Called & { interventions: Intervention[] } {
  const openedAt = state.sessions.find((session) => session.sessionId === sessionId)?.openedAt ?? 0;
  const turns = state.interventions
    .filter((held) => isWaiting(held, at) && held.offeredAt < openedAt)
    .flatMap((held) => {
      const campaign = campaigns.find(({ id }) => id === held.campaignId);
      const isOff = campaign === undefined || at >= (campaign.endAt ?? Infinity) || at < (campaign.startAt ?? 0);
      return isOff || isQuiet(campaign, state, at) ? [] : { held, campaign };
    })
    .sort((a, b) => compareUrgency(a.campaign, b.campaign));
  // An offer counts as delivered to every open session.
  const offeredAt = Math.max(at, ...state.sessions.map((session) => session.openedAt));
  const base = { entityId: state.id, ...scope, at };
  const facts: DomainFact[] = [];
  const interventions: Intervention[] = [];
  let next = state;
  for (const { held, campaign } of turns) {
    const reason = withdrawalReason(campaign, state, at);
    const given = variantNow(campaign, held.variant);
    const { variant: _, ...names } = namesOf(held, state);
    const fact = { ...base, ...names, ...given };
    if (reason !== undefined) {
      facts.push({ kind: 'InterventionSuppressed', ...fact, reason, cause: causeOf(campaign) });
      next = afterWithdrawal(next, held, reason, at);
      continue;
    }
    facts.push({ kind: 'InterventionOffered', ...fact, sessionId });
    const { key, version, displayRules } = campaign;
    const content = messageFor(campaign, state, given.variant);
    const of = { campaign: { key, version }, variant: given.variant ?? null };
    const { interventionId } = held;
    interventions.push({ interventionId, type: 'in_app_message', ...of, content, displayRules });
    const { variant: __, ...others } = held;
    next = afterOffer(next, { ...others, ...given }, offeredAt);
  }
  return { facts, next, interventions };
}

/** Why an intervention that waits is taken back: the audience and the player's own conditions are asked again. */
function withdrawalReason(
  { audience, trigger, id, holdoutPercentage }: CampaignDocument,
  state: PlayerState,
  at: number,
): Reason | undefined {
  const conditions = trigger.kind === 'event' ? (trigger.conditions ?? {}) : {};
  // The simulation's conditions are one list of tests, without `$or` and `$not`.
  const own = Object.fromEntries(Object.entries(conditions).filter(([field]) => !field.startsWith('properties.')));
  const isMember = audience === null || state.segments.some(({ segmentId }) => segmentId === audience);
  if (!isMember || !isTrue(own, state, at)) return 'not_eligible';
  return bucketOf(`${id}:holdout`, state.id) < Math.round(holdoutPercentage * 100) ? 'holdout' : undefined;
}

/** The intervention is gone, and the cap of the day on which it was created is free again. */
function afterWithdrawal(state: PlayerState, held: PendingIntervention, reason: Reason, at: number): PlayerState {
  const tally = tallyOf(state, held.campaignId);
  const today = tally.day === dayOf(held.createdAt) ? Math.max(tally.today - 1, 0) : tally.today;
  const before = dayOf(tally.suppressedAt) === dayOf(at) ? tally.suppressed : 0;
  const noted = { ...tally, today, suppressedAt: at, suppressed: before | bitOf(reason) };
  return {
    ...state,
    interventions: state.interventions.filter((other) => other.interventionId !== held.interventionId),
    campaignTallies: [...state.campaignTallies.filter((other) => other.campaignId !== held.campaignId), noted],
  };
}

/** The last delivery counts as seen. */
function afterOffer(state: PlayerState, held: PendingIntervention, offeredAt: number): PlayerState {
  const offers = held.offers + 1;
  const next = {
    ...state,
    interventions: state.interventions.map((other) =>
      other.interventionId === held.interventionId ? { ...held, offers, offeredAt } : other,
    ),
  };
  return offers === SIM_LIMITS.interventionOffers ? seen(next, held.campaignId) : next;
}

function seen(state: PlayerState, campaignId: string): PlayerState {
  const tally = tallyOf(state, campaignId);
  const others = state.campaignTallies.filter((other) => other.campaignId !== campaignId);
  return { ...state, campaignTallies: [...others, { ...tally, shown: tally.shown + 1 }] };
}

/** An event's report of an intervention that was shown or clicked. */
function predictResponse(state: PlayerState, event: EventTracked, at: number): Called {
  const { eventName, entityId, game, environment, sessionId, properties } = event;
  if (!eventName.startsWith('intervention_')) return { facts: [], next: state };
  const named = propertyOf(properties, 'intervention_id');
  const held = state.interventions.find(({ interventionId }) => interventionId === named);
  if (held === undefined) return { facts: [], next: state };
  const fact = { entityId, game, environment, at, ...namesOf(held, state), sessionId };
  const shown: InterventionShown[] = held.shownAt === 0 ? [{ kind: 'InterventionShown', ...fact }] : [];
  const clicked: InterventionClicked = { kind: 'InterventionClicked', ...fact };
  const dismissed: InterventionDismissed = { kind: 'InterventionDismissed', ...fact };
  const others = state.interventions.filter((other) => other !== held);
  const isNew = shown.length > 0 && held.offers < SIM_LIMITS.interventionOffers;
  const counted = isNew ? seen(state, held.campaignId) : state;
  if (eventName === 'intervention_clicked' || eventName === 'intervention_dismissed') {
    const end = eventName === 'intervention_clicked' ? clicked : dismissed;
    return { facts: [...shown, end], next: { ...counted, interventions: others } };
  }
  if (eventName !== 'intervention_shown' || shown.length === 0) return { facts: [], next: state };
  const interventions = state.interventions.map((other) => (other === held ? { ...held, shownAt: at } : other));
  return { facts: shown, next: { ...counted, interventions } };
}

function isSetOffBy({ trigger }: CampaignDocument, fact: DomainFact): boolean {
  // History sets nothing off.
  if ('imported' in fact) return false;
  switch (trigger.kind) {
    case 'event':
      return fact.kind === 'EventTracked' && fact.eventName === trigger.event;
    case 'segment_entered':
      return fact.kind === 'SegmentEntered' && fact.segmentId === trigger.segmentId;
    case 'segment_exited':
      return fact.kind === 'SegmentExited' && fact.segmentId === trigger.segmentId;
    case 'lifecycle':
      return fact.kind === 'LifecycleChanged' && fact.to === trigger.stage;
    case 'churn':
      return fact.kind === 'ChurnRiskChanged' && fact.high;
    case 'schedule':
      return false;
  }
}

function applies(campaign: CampaignDocument, state: PlayerState, fact: DomainFact | undefined, nowMs: number): boolean {
  const { startAt, endAt, audience, trigger } = campaign;
  if (startAt !== null && nowMs < startAt) return false;
  if (endAt !== null && nowMs >= endAt) return false;
  if (audience !== null && !state.segments.some(({ segmentId }) => segmentId === audience)) return false;
  if (trigger.kind !== 'event' || trigger.conditions === undefined) return true;
  const { 'properties.level': level, ...others } = trigger.conditions;
  if (level !== undefined) {
    // The simulation's conditions test only equality.
    const least = new Map<string, unknown>(Object.entries(level ?? {})).get('$gte');
    const value = fact?.kind === 'EventTracked' ? propertyOf(fact.properties, 'level') : undefined;
    if (typeof value !== 'number' || value < Number(least)) return false;
  }
  return isTrue(others, state, nowMs);
}

/** The reasons in the order of their bits in a tally, which is also the order of the checks. */
const REASONS = [
  'cap_total',
  'cap_per_day',
  'cooldown',
  'cap_all_campaigns',
  'waiting_full',
  'holdout',
  'not_eligible',
] as const;
type Reason = (typeof REASONS)[number];

function standsAgainst(reason: Reason, campaign: CampaignDocument, state: PlayerState, nowMs: number): boolean {
  const { caps, cooldownSeconds, holdoutPercentage, id } = campaign;
  const tally = tallyOf(state, id);
  const today = (of: CampaignTally): number => (of.day === dayOf(nowMs) ? of.today : 0);
  switch (reason) {
    case 'cap_total':
      return tally.shown + openOf(state, id, nowMs) >= (caps.total ?? Infinity);
    case 'cap_per_day':
      return today(tally) + heldOver(campaign, state, nowMs) >= (caps.perDay ?? Infinity);
    case 'cooldown':
      return tally.total > 0 && nowMs - endOfNight(campaign, state, tally.lastAt) < cooldownSeconds * 1_000;
    case 'cap_all_campaigns':
      return state.campaignTallies.reduce((sum, each) => sum + today(each), 0) >= SIM_LIMITS.interventionsPerDay;
    case 'waiting_full':
      return state.interventions.filter((held) => isWaiting(held, nowMs)).length >= SIM_LIMITS.interventionsPerPlayer;
    case 'holdout':
      return bucketOf(`${id}:holdout`, state.id) < Math.round(holdoutPercentage * 100);
    case 'not_eligible':
      return false;
  }
}

/** Messages of an earlier day that quiet hours hold until today, or held. */
function heldOver(campaign: CampaignDocument, state: PlayerState, nowMs: number): number {
  return state.interventions.filter(
    ({ campaignId, createdAt }) =>
      campaignId === campaign.id &&
      dayOf(createdAt) < dayOf(nowMs) &&
      dayOf(endOfNight(campaign, state, createdAt)) === dayOf(nowMs),
  ).length;
}

function outcomeFor(campaign: CampaignDocument, state: PlayerState, at: number): Outcome {
  const { id: campaignId, key: campaignKey, version: campaignVersion } = campaign;
  const { id: entityId, game, environment, externalId } = state;
  const details = { campaignId, campaignKey, campaignVersion, externalId, cause: causeOf(campaign) };
  const fact = { entityId, game, environment, at, ...details };
  const reason = REASONS.find((each) => standsAgainst(each, campaign, state, at));
  if (reason !== undefined) return { kind: 'InterventionSuppressed', ...fact, reason };
  const interventionId = interventionIdOf(campaignId, `${entityId}:${tallyOf(state, campaignId).total}:${at}`);
  const expiresAt = expiryFor(campaign, state, at);
  const drawn = variantFor(campaign, entityId);
  const message = messageFor(campaign, state, drawn.variant);
  const held = isQuiet(campaign, state, at) ? { heldUntil: endOfNight(campaign, state, at) } : {};
  return { kind: 'InterventionTriggered', ...fact, interventionId, expiresAt, ...drawn, ...held, message };
}

/** The player after the outcome of a campaign. */
function after(state: PlayerState, outcome: Outcome): Called {
  const { campaignId, campaignKey, campaignVersion, at } = outcome;
  const tally = tallyOf(state, campaignId);
  const others = state.campaignTallies.filter((each) => each.campaignId !== campaignId);
  const day = dayOf(at);
  if (outcome.kind === 'InterventionSuppressed') {
    const before = dayOf(tally.suppressedAt) === day ? tally.suppressed : 0;
    const noted = { ...tally, suppressedAt: at, suppressed: before | bitOf(outcome.reason) };
    return { facts: [outcome], next: { ...state, campaignTallies: [...others, noted] } };
  }
  const today = tally.day === day ? tally.today : 0;
  const given = { ...tally, total: tally.total + 1, day, today: today + 1, lastAt: at };
  const { interventionId, expiresAt, variant } = outcome;
  const drawn = variant === undefined ? {} : { variant };
  const names = { interventionId, campaignId, campaignKey, campaignVersion };
  const held = { ...names, createdAt: at, expiresAt, offers: 0, offeredAt: 0, shownAt: 0, ...drawn };
  const interventions = [...withRoom(state.interventions, at), held];
  return { facts: [outcome], next: { ...state, interventions, campaignTallies: [...others, given] } };
}

/** Removes expired interventions. If that is not enough, removes the oldest one that only waits for a click. */
function withRoom(interventions: readonly PendingIntervention[], at: number): readonly PendingIntervention[] {
  const live = interventions.filter(({ expiresAt }) => expiresAt > at);
  if (live.length < SIM_LIMITS.interventionsPerPlayer) return live;
  const oldest = live.find((held) => !isWaiting(held, at));
  return live.filter((held) => held !== oldest);
}

function isWaiting({ expiresAt, shownAt, offers }: PendingIntervention, at: number): boolean {
  return at < expiresAt && shownAt === 0 && offers < SIM_LIMITS.interventionOffers;
}

/** How many interventions of the campaign may still be delivered. */
function openOf({ interventions }: PlayerState, campaignId: string, at: number): number {
  return interventions.filter((held) => held.campaignId === campaignId && isWaiting(held, at)).length;
}

/** The time to wait is counted from the end of the quiet hours, and goes on after those in which it would end. */
function expiryFor(campaign: CampaignDocument, state: PlayerState, at: number): number {
  const begins = endOfNight(campaign, state, at);
  const ends = begins + campaign.expiresAfterSeconds * 1_000;
  if (!isQuiet(campaign, state, ends)) return ends;
  let slept = ends % MINUTE_MS;
  while (ends - slept > begins && isQuiet(campaign, state, ends - slept - 1)) slept += MINUTE_MS;
  return endOfNight(campaign, state, ends) + Math.min(slept, ends - begins);
}

/** The first minute from `at` on that is not quiet; `at` itself if it is not. */
function endOfNight(campaign: CampaignDocument, state: PlayerState, at: number): number {
  if (!isQuiet(campaign, state, at)) return at;
  let minute = at - (at % MINUTE_MS);
  while (isQuiet(campaign, state, minute)) minute += MINUTE_MS;
  return minute;
}

/** Uses the time zone in the player's attribute `timezone`, or UTC if it is not a valid zone. */
function isQuiet({ quietHours }: CampaignDocument, { attributes }: PlayerState, nowMs: number): boolean {
  if (quietHours === null) return false;
  const zone = propertyOf(attributes, 'timezone');
  const offsetMs = (ZONES.get(String(zone)) ?? 0) * MINUTE_MS;
  const time = new Date(nowMs + offsetMs).toISOString().slice(11, 16);
  const { from, to } = quietHours;
  return from < to ? from <= time && time < to : from <= time || time < to;
}

function isNoted({ suppressedAt, suppressed }: CampaignTally, { at, reason }: InterventionSuppressed): boolean {
  return dayOf(suppressedAt) === dayOf(at) && (suppressed & bitOf(reason)) !== 0;
}

const bitOf = (reason: Reason): number => 2 ** REASONS.indexOf(reason);

function tallyOf({ campaignTallies }: PlayerState, campaignId: string): CampaignTally {
  const none = { campaignId, total: 0, shown: 0, day: 0, today: 0, lastAt: 0, suppressedAt: 0, suppressed: 0 };
  return campaignTallies.find((tally) => tally.campaignId === campaignId) ?? none;
}

/** The latest time in the player's state: a player's time never goes back, even when clocks do. */
function latestOf({ campaignTallies }: PlayerState): number {
  return Math.max(0, ...campaignTallies.flatMap(({ lastAt, suppressedAt }) => [lastAt, suppressedAt]));
}

function namesOf(
  { interventionId, campaignId, campaignKey, campaignVersion, variant }: PendingIntervention,
  state: PlayerState,
): Pick<
  InterventionClicked,
  'interventionId' | 'campaignId' | 'campaignKey' | 'campaignVersion' | 'externalId' | 'variant'
> {
  const names = { interventionId, campaignId, campaignKey, campaignVersion, externalId: state.externalId };
  return variant === undefined ? names : { ...names, variant };
}

function causeOf({ trigger }: CampaignDocument): string {
  switch (trigger.kind) {
    case 'event':
      return `event:${trigger.event}`;
    case 'segment_entered':
    case 'segment_exited':
      return `${trigger.kind}:${trigger.segmentId}`;
    case 'lifecycle':
      return `lifecycle:${trigger.stage}`;
    case 'churn':
      return `churn:${trigger.level}`;
    case 'schedule':
      return 'schedule';
  }
}

/** A version 5 UUID (RFC 9562) in the campaign's namespace. */
function interventionIdOf(campaignId: string, name: string): string {
  const space = Buffer.from(campaignId.replace('cmp_', '').replaceAll('-', ''), 'hex');
  const hex = createHash('sha1').update(space).update(name).digest('hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`];
  return `int_${[...parts, hex.slice(20, 32)].join('-')}`;
}

function propertyOf(json: string, name: string): unknown {
  return new Map<string, unknown>(Object.entries(JSON.parse(json))).get(name);
}
