import type { Fact } from '../../../actors/facts.ts';
import type { JsonText } from '../../../src/kernel/json.ts';
import type { WebhookKind } from '../../config/webhook-kinds.ts';
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
type Occurrences = { readonly [K in keyof FactsByKind]?: (fact: FactsByKind[K]) => Occurrence };

/** Fact kind → webhook kind and data (decisions.md: `data` by kind). A new webhook kind is one entry here. */
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
};

/** What webhooks may be told of this fact; `undefined`: nothing. */
export function occurrenceOf(fact: Fact): Occurrence | undefined {
  return describe(fact.kind, fact);
}

function describe<K extends keyof FactsByKind>(kind: K, fact: FactsByKind[K]): Occurrence | undefined {
  return OCCURRENCES[kind]?.(fact);
}
