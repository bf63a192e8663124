import type { Campaign } from '../targeting.ts';

/**
 * A campaign that accepts nobody once asking it threw: it would take every write of its players with it. Reported once.
 * @param broken is told what was thrown
 */
export function guardedCampaign(campaign: Campaign, broken: (error: unknown) => void): Campaign {
  let trusted = true;
  return {
    ...campaign,
    accepts(subject) {
      if (!trusted) return false;
      try {
        return campaign.accepts(subject);
      } catch (error) {
        trusted = false;
        broken(error);
        return false;
      }
    },
  };
}
