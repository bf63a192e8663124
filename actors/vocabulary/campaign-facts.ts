import type { SuppressionReason } from './suppression-reasons.ts';
import type { FactBase } from './fact-base.ts';

/** What facts about campaigns carry: the campaign as it was when it was triggered. */
export interface CampaignFact extends FactBase {
  campaignId: string;
  campaignKey: string;
  campaignVersion: number;
  externalId: string;
}

/** A campaign gave a player something to see, to be delivered by a sync. */
export interface InterventionTriggered extends CampaignFact {
  kind: 'InterventionTriggered';
  interventionId: string;
  expiresAt: number;
  /** What set it off, as `event:level_failed` or `segment_entered:<segment id>`. */
  cause: string;
}

/** A campaign was triggered and gave the player nothing: once per campaign, player, reason and UTC day. */
export interface InterventionSuppressed extends CampaignFact {
  kind: 'InterventionSuppressed';
  reason: SuppressionReason;
  cause: string;
}

/** A sync delivered an intervention. */
export interface InterventionOffered extends CampaignFact {
  kind: 'InterventionOffered';
  interventionId: string;
  sessionId: string;
}

/** The player saw an intervention, as an event `intervention_shown` says. */
export interface InterventionShown extends CampaignFact {
  kind: 'InterventionShown';
  interventionId: string;
  sessionId: string | null;
}

/** The player clicked it, as an event `intervention_clicked` says. */
export interface InterventionClicked extends CampaignFact {
  kind: 'InterventionClicked';
  interventionId: string;
  sessionId: string | null;
}
