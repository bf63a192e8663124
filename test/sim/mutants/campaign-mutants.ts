import type { Mutant } from './mutant.ts';

/** Bugs of campaigns: a player gets more interventions than allowed, or fewer. */
export const CAMPAIGN_MUTANTS: readonly Mutant[] = [
  {
    name: 'the total cap allows one intervention too many',
    changes: [
      {
        file: 'actors/campaigns/campaign-steps.ts',
        original: "capped('cap_total', taken, ({ campaign }) => campaign.caps.total)",
        mutated: "capped('cap_total', taken, ({ campaign }) => campaign.caps.total && campaign.caps.total + 1)",
      },
    ],
  },
  {
    name: 'a message is delivered without asking again whether the player qualifies',
    changes: [
      {
        file: 'actors/campaigns/campaign-steps.ts',
        original: "({ atDelivery }) => atDelivery !== 'waits' &&",
        mutated: "({ atDelivery }) => atDelivery === 'holdout' &&",
      },
    ],
  },
  {
    name: 'quiet hours let a message expire before anything can be delivered',
    changes: [
      {
        file: 'actors/campaigns/expiry.ts',
        original: 'campaign.quiet(player, at)?.until ?? at;',
        mutated: 'at;',
      },
    ],
  },
  {
    name: 'a withdrawn message stays in the cap of its day',
    changes: [
      {
        file: 'actors/campaigns/evolve-campaigns.ts',
        original: 'withdrawn === undefined ? tally : withdrawnTally(tally, withdrawn.createdAt)',
        mutated: 'withdrawn === undefined ? tally : withdrawnTally(tally, 0)',
      },
    ],
  },
  {
    name: 'daily caps use a clock that may run backwards',
    faults: ['wall clock off'],
    changes: [
      {
        file: 'actors/campaigns/trigger-campaigns.ts',
        original: 'const nowMs = Math.max(context.at, latest);',
        mutated: 'const nowMs = context.at;',
      },
    ],
  },
  {
    name: "a rebuilt state loses the player's campaign tallies",
    changes: [
      {
        file: 'core/codec/state/player-layout.ts',
        original: 'campaignTallies: rest[16].map',
        mutated: 'campaignTallies: rest[16].slice(0, 0).map',
      },
    ],
  },
  {
    name: 'every sync delivers an intervention again until it is shown',
    changes: [
      {
        file: 'actors/campaigns/offer.ts',
        original: '|| session.openedAt <= pending.offeredAt) continue;',
        mutated: '|| session.openedAt < 0) continue;',
      },
    ],
  },
  {
    name: 'a scheduled campaign triggers again at every sweep',
    changes: [
      {
        file: 'actors/campaigns/trigger-campaigns.ts',
        original: 'Math.max(lastAt, suppressedAt) >= trigger.at) continue;',
        mutated: 'lastAt + suppressedAt < 0) continue;',
      },
    ],
  },
  {
    name: 'take-over skips scheduled times that came while the partition had no owner',
    faults: ['crash', 'orderly stop', 'pause'],
    changes: [
      {
        file: 'actors/runtime/sweep/segment-sweep.ts',
        original: 'schedulesUpTo = Math.max(doneUpTo, clock.wallMs() - OWNER_LIMITS.scheduleLateMs);',
        mutated: 'schedulesUpTo = Math.max(doneUpTo, clock.wallMs());',
      },
    ],
  },
];
