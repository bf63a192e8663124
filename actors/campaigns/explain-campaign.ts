import type { JsonObject } from '../../core/kernel/text/json.ts';
import { DAY_MS, dayOf } from '../../core/kernel/days.ts';
import type { Limits } from '../../core/kernel/limits.ts';
import type { Campaign } from '../decision/targeting.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { SUPPRESSION_REASONS } from '../../core/vocabulary/facts/suppression-reasons.ts';
import { cooledAt, givenToday, takenOf } from './suppression.ts';
import { todayOf, tallyOf } from './tally.ts';
import { isWaiting } from './waiting.ts';

/** What a campaign asks about a player, in the order in which it asks. The first `no` decides. */
export type CheckName = (typeof CHECK_NAMES)[number];

export const CHECK_NAMES = [
  'enabled',
  'started',
  'not_ended',
  'audience',
  'conditions',
  ...SUPPRESSION_REASONS.filter((reason) => reason !== 'not_eligible'),
  'quiet_hours',
] as const;

export interface CampaignCheck {
  check: CheckName;
  /** Whether the player passes; undefined: the event's properties are needed to tell. */
  passes: boolean | undefined;
  /** What was compared: the player's number, and the most that is allowed. */
  value?: number;
  most?: number;
  /** When the check may pass, epoch milliseconds. */
  until?: number;
}

/**
 * What happens if the campaign's trigger occurs to the player now: `given` a message, `suppressed` with a recorded
 * reason, or `not_concerned`, which nothing records.
 */
export interface CampaignExplanation {
  outcome: 'given' | 'suppressed' | 'not_concerned';
  /** The check that decided; undefined with `given`. */
  decidedBy: CheckName | undefined;
  checks: CampaignCheck[];
}

type Bounds = Pick<Limits, 'interventionsPerDay' | 'interventionsPerPlayer' | 'interventionOffers'>;

/**
 * Explains a campaign for one player as of `nowMs`. It asks what `triggerCampaigns` and `suppressionOf` ask, in their
 * order, and goes on after the first `no`, so that all reasons are known.
 * @param properties of the event that triggers it; undefined: not known
 */
export function explainCampaign(
  campaign: Campaign,
  player: PlayerState,
  nowMs: number,
  properties: JsonObject | undefined,
  limits: Bounds,
): CampaignExplanation {
  const { document, caps } = campaign;
  const { startAt, endAt, audience, trigger } = document;
  const tally = tallyOf(player, campaign.id);
  const day = dayOf(nowMs);
  const tomorrow = (day + 1) * DAY_MS;
  const given = player.campaignTallies.reduce((sum, one) => sum + todayOf(one, day), 0);
  const waiting = player.interventions.filter((pending) => isWaiting(pending, nowMs, limits)).length;
  const hasConditions = trigger.kind === 'event' && trigger.conditions !== undefined;
  const coolUntil = cooledAt(campaign, tally, player);
  const cools = tally.total > 0 && nowMs < coolUntil;

  const night = campaign.quiet(player, nowMs);
  const held = night === undefined ? {} : { until: night.until };
  const concern: CampaignCheck[] = [
    { check: 'enabled', passes: document.enabled },
    { check: 'started', passes: startAt === null || nowMs >= startAt, ...(startAt === null ? {} : { until: startAt }) },
    { check: 'not_ended', passes: endAt === null || nowMs < endAt },
    { check: 'audience', passes: audience === null || player.segments.some(({ segmentId }) => segmentId === audience) },
    { check: 'conditions', passes: accepts() },
  ];
  const suppression: CampaignCheck[] = [
    capped('cap_total', takenOf(campaign.id, tally, player, nowMs, limits), caps.total),
    capped('cap_per_day', givenToday(campaign, tally, player, nowMs), caps.perDay, tomorrow),
    { check: 'cooldown', passes: !cools, ...(cools ? { until: coolUntil } : {}) },
    capped('cap_all_campaigns', given, limits.interventionsPerDay, tomorrow),
    capped('waiting_full', waiting, limits.interventionsPerPlayer),
    { check: 'holdout', passes: !campaign.isHeldOut(player.id) },
  ];
  const unconcerned = concern.find(({ passes }) => passes === false);
  const suppressed = suppression.find(({ passes }) => passes === false);
  return {
    outcome: unconcerned !== undefined ? 'not_concerned' : suppressed === undefined ? 'given' : 'suppressed',
    decidedBy: (unconcerned ?? suppressed)?.check,
    // Quiet hours only hold the message back, until then.
    checks: [...concern, ...suppression, { check: 'quiet_hours', passes: true, ...held }],
  };

  function accepts(): boolean | undefined {
    if (!hasConditions) return true;
    if (properties === undefined) return undefined;
    return campaign.accepts({ player, nowMs, properties });
  }
}

function capped(check: CheckName, value: number, most: number | null, until?: number): CampaignCheck {
  if (most === null) return { check, passes: true, value };
  const passes = value < most;
  return { check, passes, value, most, ...(passes || until === undefined ? {} : { until }) };
}
