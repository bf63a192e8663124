import type { Mutant } from './mutant.ts';

/** Bugs of campaigns: a player gets more than was promised, or less. */
export const CAMPAIGN_MUTANTS: readonly Mutant[] = [
  {
    name: 'a cap that lets one more through',
    changes: [
      {
        file: 'actors/campaigns/suppression.ts',
        original: 'tally.total >= caps.total',
        mutated: 'tally.total > caps.total',
      },
    ],
  },
  {
    name: 'caps of a day by whichever clock comes',
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
    name: 'what a player had of campaigns forgotten by a rebuild',
    changes: [
      {
        file: 'streams/wire/state-layout.ts',
        original: 'campaignTallies: (tuple[33] ?? [])',
        mutated: 'campaignTallies: (tuple[33]?.slice(0, 0) ?? [])',
      },
    ],
  },
  {
    name: 'an intervention delivered by every sync until it is shown',
    changes: [
      {
        file: 'actors/campaigns/offer.ts',
        original: '|| session.openedAt <= pending.offeredAt) continue;',
        mutated: '|| session.openedAt < 0) continue;',
      },
    ],
  },
  {
    name: 'a scheduled time that gives again whenever somebody looks again',
    changes: [
      {
        file: 'actors/campaigns/trigger-campaigns.ts',
        original: 'Math.max(lastAt, suppressedAt) >= trigger.at) continue;',
        mutated: 'lastAt + suppressedAt < 0) continue;',
      },
    ],
  },
  {
    name: 'scheduled times that came while nobody led passed over',
    faults: ['crash', 'orderly stop', 'pause'],
    changes: [
      {
        file: 'actors/runtime/sweep/segment-sweep.ts',
        original: 'schedulesUpTo = Math.max(doneUpTo, clock.wallMs() - LIMITS.scheduleLateMs);',
        mutated: 'schedulesUpTo = Math.max(doneUpTo, clock.wallMs());',
      },
    ],
  },
];
