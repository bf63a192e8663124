import type { Campaign } from '../../decision/targeting.ts';

/**
 * Wraps a campaign: after its conditions throw once, it accepts no player. Otherwise every write of its players would
 * fail.
 * @param onThrow called once, with the error
 */
export function guardedCampaign(campaign: Campaign, onThrow: (error: unknown) => void): Campaign {
  let isTrusted = true;
  return {
    ...campaign,
    accepts(subject) {
      if (!isTrusted) return false;
      try {
        return campaign.accepts(subject);
      } catch (error) {
        isTrusted = false;
        onThrow(error);
        return false;
      }
    },
  };
}
