import type { RenderedMessage } from '../message.ts';
import type { SuppressionReason } from './suppression-reasons.ts';
import type { FactBase } from './fact-base.ts';

/** Common fields of campaign facts: the campaign as it was when it was triggered. */
export interface CampaignFact extends FactBase {
  campaignId: string;
  campaignKey: string;
  campaignVersion: number;
  externalId: string;
  /** The variant of the message. Absent: it has none. */
  variant?: string;
}

/** A campaign created an intervention for a player, which a sync delivers. */
export interface InterventionTriggered extends CampaignFact {
  kind: 'InterventionTriggered';
  interventionId: string;
  expiresAt: number;
  /** The trigger, as `event:level_failed` or `segment_entered:<segment id>`. */
  cause: string;
  /** Until when quiet hours hold it back, epoch milliseconds. Absent: they do not. */
  heldUntil?: number;
  /** As the player would get it now. Absent: those of one command are too large together. */
  message?: RenderedMessage;
}

/** A triggered campaign was suppressed: recorded once per campaign, player, reason and UTC day, or at delivery. */
export interface InterventionSuppressed extends CampaignFact {
  kind: 'InterventionSuppressed';
  /** The waiting intervention that was withdrawn instead of being delivered. Absent: none was created. */
  interventionId?: string;
  reason: SuppressionReason;
  cause: string;
}

/** A sync delivered an intervention. */
export interface InterventionOffered extends CampaignFact {
  kind: 'InterventionOffered';
  interventionId: string;
  sessionId: string;
}

/** The player saw an intervention, as reported by an event `intervention_shown`. */
export interface InterventionShown extends CampaignFact {
  kind: 'InterventionShown';
  interventionId: string;
  sessionId: string | null;
}

/** The player clicked an intervention, as reported by an event `intervention_clicked`. */
export interface InterventionClicked extends CampaignFact {
  kind: 'InterventionClicked';
  interventionId: string;
  sessionId: string | null;
  /** The id of the button. Absent: the event names none. */
  button?: string;
}

/** The player closed an intervention without a click, as reported by an event `intervention_dismissed`. */
export interface InterventionDismissed extends CampaignFact {
  kind: 'InterventionDismissed';
  interventionId: string;
  sessionId: string | null;
}
