import type { CampaignSet, ScheduleWindow } from '../decision/definitions.ts';
import { uuidv5 } from '../../core/kernel/ids.ts';
import type { Json } from '../../core/kernel/text/json.ts';
import { isObject } from '../conditions/values.ts';
import { dayOf } from '../../core/kernel/days.ts';
import { charge, isExhausted } from '../conditions/steps.ts';
import { type Context, type Draft, playerIn, type PlayerLimits } from '../decision/decision.ts';
import type { DomainFact } from '../../core/vocabulary/facts/facts.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import type { Campaign, Subject } from '../decision/targeting.ts';
import { causeOf, isInAudience, isRunning } from './define/campaign-document.ts';
import { expiryOf } from './expiry.ts';
import { respond } from './respond.ts';
import { suppressionOf } from './suppression.ts';
import { isNoted, tallyOf } from './tally.ts';
import type { InterventionSuppressed, InterventionTriggered } from '../../core/vocabulary/facts/campaign-facts.ts';

/**
 * Triggers campaigns for the draft's facts from `since` on: emits interventions or the reasons for suppressing them,
 * and records which interventions players saw and clicked. Runs after all other reactions to these facts.
 *
 * A campaign applies between its start and its end, to players in its audience, if its trigger's conditions hold. If it
 * applies but is suppressed (`suppressionOf`), a fact records this once per reason and UTC day. Otherwise nothing does.
 * Quiet hours suppress nothing: they hold the delivery back.
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
 * Triggers the campaigns that are scheduled in the window, for a player registered by then. Each scheduled time counts
 * once, however often this is called.
 * @param set the campaigns of the player's game and environment
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
    // At or after the scheduled time, even if a clock is set back: the tally's time shows that the player had its turn.
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
    // Time never runs backwards for a player, even if a clock is behind: otherwise a daily cap could apply twice.
    if (state !== seen) latest = latestAt(state);
    seen = state;
    const nowMs = Math.max(context.at, latest);
    if (!applies(campaign, { player: state, nowMs, properties })) continue;
    const outcome = outcomeOf(campaign, state, nowMs, draft.limits);
    if (!isRecorded(outcome, state)) draft.emit(outcome);
  }
}

/** The cost of one campaign, and of one tally of the player. */
const CAMPAIGN_STEPS = 20;
const TALLY_STEPS = 2;

function applies(campaign: Campaign, subject: Subject): boolean {
  const { document } = campaign;
  return isRunning(document, subject.nowMs) && isInAudience(document, subject.player) && campaign.accepts(subject);
}

/** The outcome of a campaign that applies to the player. */
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
    expiresAt: expiryOf(campaign, state, at),
  };
}

/** Whether the outcome is a suppression that was already recorded on that day. */
function isRecorded(outcome: InterventionTriggered | InterventionSuppressed, state: PlayerState): boolean {
  if (outcome.kind === 'InterventionTriggered') return false;
  return isNoted(tallyOf(state, outcome.campaignId), outcome.reason, dayOf(outcome.at));
}

/**
 * `int_` and a UUIDv5 of player, count and time, with the campaign's id as namespace: decisions use no random ids. The
 * time distinguishes the lives of a player that was erased and registered again.
 */
function interventionIdOf(campaignId: string, playerId: string, count: number, at: number): string {
  return `int_${uuidv5(campaignId.slice(campaignId.indexOf('_') + 1), `${playerId}:${count}:${at}`)}`;
}

/** The time of the player's latest intervention or suppression, over all campaigns. */
function latestAt({ campaignTallies }: PlayerState): number {
  let latest = 0;
  for (const { lastAt, suppressedAt } of campaignTallies) {
    if (lastAt > latest) latest = lastAt;
    if (suppressedAt > latest) latest = suppressedAt;
  }
  return latest;
}

function hasConditions({ document: { trigger } }: Campaign): boolean {
  return trigger.kind === 'event' && trigger.conditions !== undefined;
}

/** JSON.parse makes every key, also `__proto__`, an own property. */
function propertiesOf(fact: DomainFact) {
  if (fact.kind !== 'EventTracked') return {};
  const properties: Json = JSON.parse(fact.properties);
  return isObject(properties) ? properties : {};
}
