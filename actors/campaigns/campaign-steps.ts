import { DAY_MS, dayOf } from '../../core/kernel/days.ts';
import type { Adjustable } from '../../core/kernel/adjustable.ts';
import type { PLAYER_LIMITS } from '../decision/limits.ts';
import type { SuppressionReason } from '../../core/vocabulary/facts/suppression-reasons.ts';
import type { CampaignTally } from '../../core/vocabulary/state/player.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import type { Campaign, Subject } from '../decision/targeting.ts';
import { isMember } from '../conditions/segments/is-member.ts';
import { tallyOf, todayOf } from './tally.ts';
import { isWaiting } from './waiting.ts';

/** A campaign and the player about whom it asks. */
export interface Asked extends Subject {
  campaign: Campaign;
  limits: Adjustable<typeof PLAYER_LIMITS, 'interventionsPerDay' | 'interventionsPerPlayer' | 'interventionOffers'>;
  tally: () => CampaignTally;
}

export function ask(campaign: Campaign, subject: Subject, limits: Asked['limits']): Asked {
  const { player, nowMs, properties } = subject;
  let tally: CampaignTally | undefined;
  return { campaign, player, nowMs, properties, limits, tally: () => (tally ??= tallyOf(player, campaign.id)) };
}

/**
 * One question of a campaign about a player. The decision when the trigger occurs, the decision at delivery and the
 * explanation ask by the same list, so they cannot differ.
 */
export type CampaignStep = {
  /** `undefined`: it depends on the properties of an event. */
  passes: (asked: Asked) => boolean | undefined;
  /** What was compared, for the explanation. */
  shown?: (asked: Asked, passes: boolean | undefined) => Shown;
  /** What becomes of a waiting intervention at delivery. Absent: not asked again. */
  atDelivery?: 'waits' | 'holdout' | 'not_eligible';
} & (
  | { refused: 'not_concerned'; check: 'enabled' | 'started' | 'not_ended' | 'audience' | 'conditions' }
  /** The check is the reason. */
  | { refused: 'suppressed'; check: Exclude<SuppressionReason, 'not_eligible'> }
  /** The intervention is created, and waits. */
  | { refused: 'held_back'; check: 'quiet_hours' }
);

export interface Shown {
  /** The player's number, and the most that is allowed. */
  value?: number;
  most?: number;
  /** When the check may pass, epoch milliseconds. */
  until?: number | undefined;
}

/** In the order in which they are asked: the first that refuses decides. */
export const CAMPAIGN_STEPS: readonly CampaignStep[] = [
  {
    check: 'enabled',
    refused: 'not_concerned',
    atDelivery: 'waits',
    passes: ({ campaign }) => campaign.document.enabled,
  },
  {
    check: 'started',
    refused: 'not_concerned',
    atDelivery: 'waits',
    passes: ({ campaign, nowMs }) => nowMs >= (campaign.document.startAt ?? -Infinity),
    shown: ({ campaign }) => ({ until: campaign.document.startAt ?? undefined }),
  },
  {
    check: 'not_ended',
    refused: 'not_concerned',
    atDelivery: 'waits',
    passes: ({ campaign, nowMs }) => nowMs < (campaign.document.endAt ?? Infinity),
  },
  {
    check: 'audience',
    refused: 'not_concerned',
    atDelivery: 'not_eligible',
    passes(asked) {
      const { audience } = asked.campaign.document;
      return audience === null || isMember(asked, audience);
    },
  },
  {
    check: 'conditions',
    refused: 'not_concerned',
    atDelivery: 'not_eligible',
    passes(asked) {
      const holds = asked.campaign.accepts(asked);
      return holds && asked.properties === undefined && hasConditions(asked.campaign) ? undefined : holds;
    },
  },
  capped('cap_total', taken, ({ campaign }) => campaign.caps.total),
  capped('cap_per_day', givenToday, ({ campaign }) => campaign.caps.perDay, tomorrow),
  {
    check: 'cooldown',
    refused: 'suppressed',
    passes: (asked) => asked.tally().total === 0 || asked.nowMs >= cooledAt(asked),
    shown: (asked, passes) => ({ until: passes === false ? cooledAt(asked) : undefined }),
  },
  capped('cap_all_campaigns', givenByAll, ({ limits }) => limits.interventionsPerDay, tomorrow),
  capped('waiting_full', waiting, ({ limits }) => limits.interventionsPerPlayer),
  // The last reason to suppress: held-out players would have got the intervention, so both arms are comparable.
  {
    check: 'holdout',
    refused: 'suppressed',
    atDelivery: 'holdout',
    passes: ({ campaign, player }) => !campaign.isHeldOut(player.id),
  },
  {
    check: 'quiet_hours',
    refused: 'held_back',
    atDelivery: 'waits',
    passes: ({ campaign, player, nowMs }) => campaign.quiet(player, nowMs) === undefined,
    shown: ({ campaign, player, nowMs }) => ({ until: campaign.quiet(player, nowMs)?.until }),
  },
];

type Refusal = Exclude<CampaignStep, { refused: 'held_back' }>;

const DECIDING = CAMPAIGN_STEPS.filter((step): step is Refusal => step.refused !== 'held_back');
const DELAYING = CAMPAIGN_STEPS.filter(({ atDelivery }) => atDelivery === 'waits');
const WITHDRAWING = CAMPAIGN_STEPS.filter(({ atDelivery }) => atDelivery !== 'waits' && atDelivery !== undefined);

/** The step that refuses the player an intervention when the trigger occurs; `undefined`: none. */
export function refusalOf(asked: Asked): Refusal | undefined {
  for (const step of DECIDING) if (step.passes(asked) === false) return step;
  return undefined;
}

/** Whether a waiting intervention must go on waiting. */
export function mustWait(asked: Asked): boolean {
  return DELAYING.some((step) => step.passes(asked) === false);
}

/** Why a waiting intervention is not delivered any more. What the event was does not matter now. */
export function withdrawalOf(asked: Asked): SuppressionReason | undefined {
  const step = WITHDRAWING.find(({ passes }) => passes(asked) === false);
  return step?.atDelivery === 'waits' ? undefined : step?.atDelivery;
}

export function hasConditions({ document: { trigger } }: Campaign): boolean {
  return trigger.kind === 'event' && trigger.conditions !== undefined;
}

/** @param most `null`: no maximum */
function capped(
  check: Extract<CampaignStep, { refused: 'suppressed' }>['check'],
  count: (asked: Asked) => number,
  most: (asked: Asked) => number | null,
  until?: (asked: Asked) => number,
): CampaignStep {
  return {
    check,
    refused: 'suppressed',
    passes(asked) {
      const maximum = most(asked);
      return maximum === null || count(asked) < maximum;
    },
    shown(asked, passes) {
      const maximum = most(asked);
      const compared = { value: count(asked), ...(maximum === null ? {} : { most: maximum }) };
      return { ...compared, until: passes === false ? until?.(asked) : undefined };
    },
  };
}

/** The campaign's interventions that the player saw, and those that still may be: what its total cap counts. */
function taken({ campaign, tally, player, nowMs, limits }: Asked): number {
  const open = player.interventions.filter(
    (pending) => pending.campaignId === campaign.id && isWaiting(pending, nowMs, limits),
  );
  return tally().shown + open.length;
}

/**
 * The campaign's interventions of the day, with those of the day before that quiet hours held back until this one: a
 * night has two days, and both would be delivered in its morning.
 */
function givenToday({ campaign, tally, player, nowMs }: Asked): number {
  const day = dayOf(nowMs);
  if (campaign.document.quietHours === null) return todayOf(tally(), day);
  const heldOver = player.interventions.filter(
    ({ campaignId, createdAt }) =>
      campaignId === campaign.id && dayOf(createdAt) < day && dayOf(dueAt(campaign, player, createdAt)) === day,
  );
  return todayOf(tally(), day) + heldOver.length;
}

/** When the cooldown ends. It begins when the last intervention could be delivered. */
function cooledAt({ campaign, tally, player }: Asked): number {
  return dueAt(campaign, player, tally().lastAt) + campaign.document.cooldownSeconds * 1_000;
}

/** When an intervention that was created at `at` could be delivered. */
function dueAt(campaign: Campaign, player: PlayerState, at: number): number {
  return campaign.quiet(player, at)?.until ?? at;
}

/** The number of interventions that all campaigns gave the player on that day. */
function givenByAll({ player, nowMs }: Asked): number {
  const day = dayOf(nowMs);
  let sum = 0;
  for (const tally of player.campaignTallies) sum += todayOf(tally, day);
  return sum;
}

function waiting({ player, nowMs, limits }: Asked): number {
  let count = 0;
  for (const pending of player.interventions) if (isWaiting(pending, nowMs, limits)) count += 1;
  return count;
}

function tomorrow({ nowMs }: Asked): number {
  return (dayOf(nowMs) + 1) * DAY_MS;
}
