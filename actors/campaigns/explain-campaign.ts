import { type Asked, CAMPAIGN_STEPS, type CampaignStep, type Shown } from './campaign-steps.ts';

export const CHECK_NAMES = CAMPAIGN_STEPS.map(({ check }) => check);

export interface CampaignCheck extends Shown {
  check: CampaignStep['check'];
  /** Whether the player passes; undefined: the event's properties are needed to tell. */
  passes: boolean | undefined;
}

/**
 * What happens if the campaign's trigger occurs to the player now: `given` a message, `suppressed` with a recorded
 * reason, or `not_concerned`, which nothing records.
 */
export interface CampaignExplanation {
  outcome: 'given' | 'suppressed' | 'not_concerned';
  /** The check that decided; undefined with `given`. */
  decidedBy: CampaignStep['check'] | undefined;
  checks: CampaignCheck[];
}

/** Explains a campaign for one player: walks the steps that decide, and on after the first that refuses. */
export function explainCampaign(asked: Asked): CampaignExplanation {
  let outcome: CampaignExplanation['outcome'] = 'given';
  let decidedBy: CampaignExplanation['decidedBy'];
  const checks = CAMPAIGN_STEPS.map(({ check, refused, passes: test, shown }): CampaignCheck => {
    const passes = test(asked);
    const more = shown?.(asked, passes);
    // Quiet hours only hold the message back, until then.
    if (refused === 'held_back') return { check, passes: true, ...more };
    if (passes === false && decidedBy === undefined) {
      outcome = refused;
      decidedBy = check;
    }
    return { check, passes, ...more };
  });
  return { outcome, decidedBy, checks };
}
