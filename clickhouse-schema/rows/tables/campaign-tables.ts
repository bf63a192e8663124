import { ORIGIN, SCOPE } from '../common-columns.ts';
import { nullableText, text, time, uint32, uuid } from '../column-types.ts';
import { factTable } from './table.ts';

/** Tables of interventions, their deliveries and suppressions. */

const EVENTS = {
  InterventionTriggered: 'triggered',
  InterventionSuppressed: 'suppressed',
  InterventionOffered: 'offered',
  InterventionShown: 'shown',
  InterventionClicked: 'clicked',
  InterventionDismissed: 'dismissed',
} as const;

const campaign_events = factTable(
  [
    'InterventionTriggered',
    'InterventionSuppressed',
    'InterventionOffered',
    'InterventionShown',
    'InterventionClicked',
    'InterventionDismissed',
  ],
  (fact) => [fact],
)({
  placing: 'facts',
  onMerge: 'copy',
  receivedMs: (fact) => fact.at,
  columns: {
    ...SCOPE,
    campaign_id: text((fact) => fact.campaignId),
    campaign_key: text((fact) => fact.campaignKey),
    campaign_version: uint32((fact) => fact.campaignVersion),
    player_id: uuid((fact) => fact.entityId),
    external_id: text((fact) => fact.externalId),
    event: text((fact) => EVENTS[fact.kind]),
    reason: text((fact) => (fact.kind === 'InterventionSuppressed' ? fact.reason : '')),
    cause: text((fact) => ('cause' in fact ? fact.cause : '')),
    intervention_id: nullableText((fact) => ('interventionId' in fact ? fact.interventionId : null)),
    session_id: nullableText((fact) => ('sessionId' in fact ? fact.sessionId : null)),
    variant: text((fact) => fact.variant ?? ''),
    button: text((fact) => ('button' in fact ? (fact.button ?? '') : '')),
    received_at: time((fact) => fact.at),
    ...ORIGIN,
  },
});

export const CAMPAIGN_TABLES = { campaign_events };
