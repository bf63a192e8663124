import type { CampaignSet, ScheduleWindow } from '../decision/definitions.ts';
import { uuidv5 } from '../../core/kernel/ids.ts';
import { isObject, type Json } from '../../core/kernel/text/json.ts';
import { dayOf } from '../../core/kernel/days.ts';
import { charge, isExhausted } from '../conditions/steps.ts';
import { type Context, type Draft, playerIn } from '../decision/decision.ts';
import type { DomainFact } from '../../core/vocabulary/facts/facts.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import type { Campaign } from '../decision/targeting.ts';
import { ask, type Asked, hasConditions, refusalOf } from './campaign-steps.ts';
import { causeOf } from './define/campaign-set.ts';
import { expiryOf } from './expiry.ts';
import { respond } from './respond.ts';
import { sizeOf } from './message/campaign-messages.ts';
import { MESSAGE_LIMITS } from './message/limits.ts';
import { isNoted, tallyOf } from './tally.ts';
import type { InterventionSuppressed, InterventionTriggered } from '../../core/vocabulary/facts/campaign-facts.ts';

/**
 * Triggers campaigns for the draft's facts from `since` on: emits interventions or the reasons for suppressing them,
 * and records which interventions players saw and clicked. Runs after all other reactions to these facts.
 *
 * The steps of `campaign-steps.ts` decide. A fact records a suppression, once per reason and UTC day; of a player whom
 * the campaign does not concern nothing is recorded.
 */
export function triggerCampaigns(draft: Draft, since: number, set: CampaignSet, context: Context): void {
  const { facts } = draft;
  const until = facts.length;
  const room = { chars: MESSAGE_LIMITS.charsPerCommand };
  for (let place = since; place < until; place++) {
    const fact = facts[place];
    if (fact === undefined) return;
    if (fact.kind === 'EventTracked') respond(draft, fact, context);
    const campaigns = set.triggeredBy(fact);
    if (campaigns.length > 0) triggerAll(draft, { until, room }, campaigns, fact, context);
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
  const room = { chars: MESSAGE_LIMITS.charsPerCommand };
  for (const campaign of set.scheduledIn(window)) {
    const state = playerIn(context, draft.get(playerId));
    const { trigger } = campaign.document;
    if (state === undefined || trigger.kind !== 'schedule') return;
    const { lastAt, suppressedAt } = tallyOf(state, campaign.id);
    if (state.firstSeenAt > trigger.at || Math.max(lastAt, suppressedAt) >= trigger.at) continue;
    // At or after the scheduled time, even if a clock is set back: the tally's time shows that the player had its turn.
    const nowMs = Math.max(context.at, trigger.at, latestAt(state));
    const outcome = outcomeOf(ask(campaign, { player: state, nowMs }, draft.limits), room);
    if (outcome !== undefined) draft.emit(outcome);
  }
}

/** What is left for messages in the facts of a command. */
interface Room {
  chars: number;
}

function triggerAll(
  draft: Draft,
  { until, room }: { until: number; room: Room },
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
    const asked = ask(campaign, { player: state, nowMs, properties }, draft.limits);
    const outcome = outcomeOf(asked, room);
    if (outcome !== undefined && !isRecorded(outcome, asked)) draft.emit(outcome);
  }
}

/** The cost of one campaign, and of one tally of the player. */
const CAMPAIGN_STEPS = 20;
const TALLY_STEPS = 2;

/** What the campaign does with the player; `undefined`: it does not concern the player. */
function outcomeOf(asked: Asked, room: Room): InterventionTriggered | InterventionSuppressed | undefined {
  const refusal = refusalOf(asked);
  if (refusal?.refused === 'not_concerned') return undefined;
  const { campaign, player, nowMs: at } = asked;
  const { id: campaignId, document } = campaign;
  const { id: entityId, game, environment, externalId } = player;
  const base = { entityId, game, environment, at, campaignId, externalId, cause: causeOf(campaign) };
  const fact = { ...base, campaignKey: document.key, campaignVersion: document.version };
  if (refusal !== undefined) return { kind: 'InterventionSuppressed', ...fact, reason: refusal.check };
  const interventionId = interventionIdOf(campaignId, entityId, asked.tally().total, at);
  const expiresAt = expiryOf(campaign, player, at);
  return { kind: 'InterventionTriggered', ...fact, interventionId, expiresAt, ...messageOf(asked, room) };
}

/** What the player would get now, and until when quiet hours hold it back. */
function messageOf(
  { campaign, player, nowMs }: Asked,
  room: Room,
): Pick<InterventionTriggered, 'variant' | 'heldUntil' | 'message'> {
  const variant = campaign.variantOf(player.id);
  const heldUntil = campaign.quiet(player, nowMs)?.until;
  const message = campaign.render({ player, nowMs }, variant);
  const chars = sizeOf(message);
  const fits = chars <= room.chars;
  if (fits) room.chars -= chars;
  return {
    ...(variant === undefined ? {} : { variant }),
    ...(heldUntil === undefined ? {} : { heldUntil }),
    ...(fits ? { message } : {}),
  };
}

/** Whether the outcome is a suppression that was already recorded on that day. */
function isRecorded(outcome: InterventionTriggered | InterventionSuppressed, { tally }: Asked): boolean {
  return outcome.kind === 'InterventionSuppressed' && isNoted(tally(), outcome.reason, dayOf(outcome.at));
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

/** JSON.parse makes every key, also `__proto__`, an own property. */
function propertiesOf(fact: DomainFact) {
  if (fact.kind !== 'EventTracked') return {};
  const properties: Json = JSON.parse(fact.properties);
  return isObject(properties) ? properties : {};
}
