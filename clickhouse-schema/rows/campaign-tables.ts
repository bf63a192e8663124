import { timeText } from './column-values.ts';
import { ORIGIN, SCOPE } from './common-columns.ts';
import { factTable } from './table.ts';

/** Tables of interventions, their deliveries and suppressions. */

const EVENTS = {
  InterventionTriggered: 'triggered',
  InterventionSuppressed: 'suppressed',
  InterventionOffered: 'offered',
  InterventionShown: 'shown',
  InterventionClicked: 'clicked',
} as const;

const campaign_events = factTable(
  [
    'InterventionTriggered',
    'InterventionSuppressed',
    'InterventionOffered',
    'InterventionShown',
    'InterventionClicked',
  ],
  (fact) => [fact],
)({
  placing: 'facts',
  receivedMs: (fact) => fact.at,
  columns: {
    ...SCOPE,
    campaign_id: (fact) => fact.campaignId,
    campaign_key: (fact) => fact.campaignKey,
    campaign_version: (fact) => fact.campaignVersion,
    player_id: (fact) => fact.entityId,
    external_id: (fact) => fact.externalId,
    event: (fact) => EVENTS[fact.kind],
    reason: (fact) => (fact.kind === 'InterventionSuppressed' ? fact.reason : ''),
    cause: (fact) => ('cause' in fact ? fact.cause : ''),
    intervention_id: (fact) => ('interventionId' in fact ? fact.interventionId : null),
    session_id: (fact) => ('sessionId' in fact ? fact.sessionId : null),
    received_at: (fact) => timeText(fact.at),
    ...ORIGIN,
  },
});

export const CAMPAIGN_TABLES = { campaign_events };
