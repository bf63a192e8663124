import { uuidv5 } from '../../src/kernel/ids.ts';
import type { Json } from '../../src/kernel/json.ts';
import { isObject } from '../conditions/values.ts';
import { dayOf } from '../../src/kernel/days.ts';
import { charge, isExhausted } from '../conditions/steps.ts';
import { type Context, type Draft, playerIn, type PlayerLimits } from '../decision.ts';
import type { DomainFact } from '../vocabulary/facts.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import type { Campaign, Subject } from '../targeting.ts';
import type { CampaignSet, ScheduleWindow } from './campaign-set.ts';
import { respond } from './respond.ts';
import { suppressionOf } from './suppression.ts';
import { isNoted, tallyOf } from './tally.ts';
import type { InterventionSuppressed, InterventionTriggered } from '../vocabulary/campaign-facts.ts';

/**
 * Emits what the draft's facts from `since` on mean for campaigns: who gets an intervention, or why not, and what players
 * did with those they were shown. Comes after everything else these facts lead to.
 *
 * A campaign applies to a player it is enabled for at that time, whose trigger's conditions hold and who is in its audience;
 * where it does not, nothing is noted. Where something speaks against it (`suppressionOf`), that is noted once per reason
 * and UTC day.
 */
export function triggerCampaigns(draft: Draft, since: number, set: CampaignSet, context: Context): void {
  const { facts } = draft;
  const until = facts.length;
  for (let place = since; place < until; place++) {
    const fact = facts[place];
    if (fact === undefined) return;
    if (fact.kind === 'EventTracked') respond(draft, fact, context);
    const campaigns = set.triggeredBy(fact);
    if (campaigns.length > 0) triggerAll(draft, until, campaigns, fact, context);
  }
}

/**
 * Emits what campaigns whose time has come mean for a player that was there then: once for each such time, whoever looks
 * again.
 * @param set of the player's game and environment
 */
export function triggerSchedules(
  draft: Draft,
  playerId: string,
  set: CampaignSet,
  window: ScheduleWindow,
  context: Context,
): void {
  for (const campaign of set.scheduledIn(window)) {
    const state = playerIn(context, draft.get(playerId));
    const { trigger } = campaign.document;
    if (state === undefined || trigger.kind !== 'schedule') return;
    const { lastAt, suppressedAt } = tallyOf(state, campaign.id);
    if (state.firstSeenAt > trigger.at || Math.max(lastAt, suppressedAt) >= trigger.at) continue;
    // Never before its time, by which the player is known to have had its turn: a clock that was ahead may be put back.
    const nowMs = Math.max(context.at, trigger.at, latestAt(state));
    if (applies(campaign, { player: state, nowMs })) draft.emit(outcomeOf(campaign, state, nowMs, draft.limits));
  }
}

function triggerAll(
  draft: Draft,
  until: number,
  campaigns: readonly Campaign[],
  fact: DomainFact,
  context: Context,
): void {
  const properties = campaigns.some(hasConditions) ? propertiesOf(fact) : {};
  let seen: PlayerState | undefined;
  let latest = 0;
  for (const campaign of campaigns) {
    if (draft.facts.length - until >= draft.limits.campaignFactsPerCommand || isExhausted()) return;
    const state = playerIn(context, draft.get(fact.entityId));
    if (state === undefined) return;
    charge(CAMPAIGN_STEPS + state.campaignTallies.length * TALLY_STEPS);
    // A clock that is behind the one of the player's last time stands still, or a day's cap would hold twice.
    if (state !== seen) latest = latestAt(state);
    seen = state;
    const nowMs = Math.max(context.at, latest);
    if (!applies(campaign, { player: state, nowMs, properties })) continue;
    const outcome = outcomeOf(campaign, state, nowMs, draft.limits);
    if (!isOldNews(outcome, state)) draft.emit(outcome);
  }
}

/** Looking at one campaign, and at what the player got of each. */
const CAMPAIGN_STEPS = 20;
const TALLY_STEPS = 2;

function applies(campaign: Campaign, subject: Subject): boolean {
  const { startAt, endAt, audience } = campaign.document;
  const { player, nowMs } = subject;
  return (
    (startAt === null || nowMs >= startAt) &&
    (endAt === null || nowMs < endAt) &&
    (audience === null || player.segments.some(({ segmentId }) => segmentId === audience)) &&
    campaign.accepts(subject)
  );
}

/** What a campaign that applies to a player leads to. */
function outcomeOf(
  campaign: Campaign,
  state: PlayerState,
  at: number,
  limits: PlayerLimits,
): InterventionTriggered | InterventionSuppressed {
  const { id: campaignId, document } = campaign;
  const { id: entityId, game, environment, externalId } = state;
  const base = { entityId, game, environment, at, campaignId, externalId, cause: causeOf(campaign) };
  const fact = { ...base, campaignKey: document.key, campaignVersion: document.version };
  const tally = tallyOf(state, campaignId);
  const reason = suppressionOf(campaign, tally, state, at, limits);
  if (reason !== undefined) return { kind: 'InterventionSuppressed', ...fact, reason };
  const interventionId = interventionIdOf(campaignId, entityId, tally.total, at);
  return {
    kind: 'InterventionTriggered',
    ...fact,
    interventionId,
    expiresAt: at + document.expiresAfterSeconds * 1_000,
  };
}

/** A suppression that was noted on that day already. */
function isOldNews(outcome: InterventionTriggered | InterventionSuppressed, state: PlayerState): boolean {
  if (outcome.kind === 'InterventionTriggered') return false;
  return isNoted(tallyOf(state, outcome.campaignId), outcome.reason, dayOf(outcome.at));
}

/**
 * `int_` and a UUIDv5 of player, count and time in the namespace that the campaign's id is: deciding makes no random ids. The
 * time tells lives of a player apart whom someone erased.
 */
function interventionIdOf(campaignId: string, playerId: string, count: number, at: number): string {
  return `int_${uuidv5(campaignId.slice(campaignId.indexOf('_') + 1), `${playerId}:${count}:${at}`)}`;
}

/** When a campaign last gave the player something, or noted why not. */
function latestAt({ campaignTallies }: PlayerState): number {
  let latest = 0;
  for (const { lastAt, suppressedAt } of campaignTallies) {
    if (lastAt > latest) latest = lastAt;
    if (suppressedAt > latest) latest = suppressedAt;
  }
  return latest;
}

/** What set a campaign off, in words for analysts. */
function causeOf({ document: { trigger } }: Campaign): string {
  switch (trigger.kind) {
    case 'event':
      return `event:${trigger.event}`;
    case 'segment_entered':
    case 'segment_exited':
      return `${trigger.kind}:${trigger.segmentId}`;
    case 'lifecycle':
      return `lifecycle:${trigger.stage}`;
    case 'churn':
      return 'churn:high';
    case 'schedule':
      return 'schedule';
  }
}

function hasConditions({ document: { trigger } }: Campaign): boolean {
  return trigger.kind === 'event' && trigger.conditions !== undefined;
}

/** JSON.parse makes every key, also `__proto__`, an object's own. */
function propertiesOf(fact: DomainFact) {
  if (fact.kind !== 'EventTracked') return {};
  const properties: Json = JSON.parse(fact.properties);
  return isObject(properties) ? properties : {};
}
