import { timeText } from './column-values.ts';
import type {
  InterventionClicked,
  InterventionOffered,
  InterventionShown,
  InterventionSuppressed,
  InterventionTriggered,
} from '../../actors/vocabulary/campaign-facts.ts';
import type { FactOrigin, RowFor } from './row.ts';

type CampaignFact =
  | InterventionTriggered
  | InterventionSuppressed
  | InterventionOffered
  | InterventionShown
  | InterventionClicked;

const EVENTS = {
  InterventionTriggered: 'triggered',
  InterventionSuppressed: 'suppressed',
  InterventionOffered: 'offered',
  InterventionShown: 'shown',
  InterventionClicked: 'clicked',
} as const satisfies Record<CampaignFact['kind'], string>;

/** The row of something that happened between a campaign and a player. */
export function campaignRow(fact: CampaignFact, place: FactOrigin): RowFor<'campaign_events'> {
  return {
    game_id: fact.game,
    environment: fact.environment,
    campaign_id: fact.campaignId,
    campaign_key: fact.campaignKey,
    campaign_version: fact.campaignVersion,
    player_id: fact.entityId,
    external_id: fact.externalId,
    event: EVENTS[fact.kind],
    reason: fact.kind === 'InterventionSuppressed' ? fact.reason : '',
    cause: 'cause' in fact ? fact.cause : '',
    intervention_id: 'interventionId' in fact ? fact.interventionId : null,
    session_id: 'sessionId' in fact ? fact.sessionId : null,
    received_at: timeText(fact.at),
    facts_sequence: place.sequence,
    facts_index: place.index,
  };
}
