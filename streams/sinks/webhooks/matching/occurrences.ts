import type { Fact, SegmentEntered, SegmentExited } from '../../../../actors/vocabulary/facts.ts';
import type { FlagExposed } from '../../../../actors/vocabulary/flag-facts.ts';
import type { JsonText } from '../../../../src/kernel/json.ts';
import type { WebhookKind } from '../../../config/webhook-kinds.ts';
import { churnData } from './churn-data.ts';
import { playerData } from './player-data.ts';

/** Something webhooks may be told of: a fact in the words of the webhook contract. */
export interface Occurrence {
  type: WebhookKind;
  /** When it happened, epoch milliseconds: an event's own time, else when the service learned of it. */
  timestamp: number;
  /** The payload's `data`. Made only when some webhook wants it. */
  data: () => JsonText;
}

type FactsByKind = { [F in Fact as F['kind']]: F };
type Occurrences = { readonly [K in keyof FactsByKind]?: (fact: FactsByKind[K]) => Occurrence | undefined };

/** Fact kind → webhook kind and its `data`. A new webhook kind is one entry here. */
const OCCURRENCES: Occurrences = {
  EventTracked: (fact) => ({
    type: `event.${fact.eventName}`,
    timestamp: fact.timestamp,
    data: () =>
      `{"player_id":${JSON.stringify(fact.entityId)},"external_id":${JSON.stringify(fact.externalId)},` +
      `"event_name":${JSON.stringify(fact.eventName)},"properties":${fact.properties}}`,
  }),
  PlayerRegistered: ({ player, at }) => ({
    type: 'player.created',
    timestamp: at,
    data: () => playerData(player, []),
  }),
  PlayerUpdated: ({ player, changed, at }) => ({
    type: 'player.updated',
    timestamp: at,
    data: () => playerData(player, changed),
  }),
  LifecycleChanged: (fact) => ({
    type: 'player.lifecycle_changed',
    timestamp: fact.changedAt,
    data: () =>
      JSON.stringify({
        player_id: fact.entityId,
        external_id: fact.externalId,
        from: fact.from,
        to: fact.to,
        changed_at: new Date(fact.changedAt).toISOString(),
      }),
  }),
  // Leaving it is told to nobody.
  ChurnRiskChanged: (fact) =>
    fact.high ? { type: 'churn.risk_high', timestamp: fact.at, data: () => churnData(fact) } : undefined,
  SegmentEntered: (fact) => ({
    type: 'player.segment_entered',
    timestamp: fact.at,
    data: () => segmentData(fact),
  }),
  SegmentExited: (fact) => ({
    type: 'player.segment_exited',
    timestamp: fact.at,
    data: () => segmentData(fact),
  }),
  // Per exposure, not per evaluation: once per player, flag, period and variant.
  FlagExposed: (fact) => ({
    type: 'flag.evaluated',
    timestamp: fact.at,
    data: () => evaluationData(fact),
  }),
  InterventionTriggered: (fact) => ({
    type: 'campaign.triggered',
    timestamp: fact.at,
    data: () =>
      JSON.stringify({
        player_id: fact.entityId,
        external_id: fact.externalId,
        campaign_id: fact.campaignId,
        intervention_id: fact.interventionId,
      }),
  }),
};

/** What webhooks may be told of this fact; `undefined`: nothing. */
export function occurrenceOf(fact: Fact): Occurrence | undefined {
  return describe(fact.kind, fact);
}

function segmentData(fact: SegmentEntered | SegmentExited): JsonText {
  return JSON.stringify({
    player_id: fact.entityId,
    external_id: fact.externalId,
    segment_id: fact.segmentId,
    segment_key: fact.segmentKey,
  });
}

/** The API’s flag evaluation, and the version of the flag. `value` is spliced in as the JSON text it is. */
function evaluationData(fact: FlagExposed): JsonText {
  const { entityId, externalId, flagKey, flagVersion, value, variantKey, reason, segmentId } = fact;
  const before = JSON.stringify({ player_id: entityId, external_id: externalId, flag_key: flagKey });
  // A segment_id that is undefined is left out.
  const after = JSON.stringify({ variant_key: variantKey, reason, segment_id: segmentId, flag_version: flagVersion });
  return `${before.slice(0, -1)},"value":${value},${after.slice(1)}`;
}

function describe<K extends keyof FactsByKind>(kind: K, fact: FactsByKind[K]): Occurrence | undefined {
  return OCCURRENCES[kind]?.(fact);
}
