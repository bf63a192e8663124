import { WEBHOOK_KINDS } from './webhook-kinds.ts';

/* What the payloads of webhooks hold, for the check of filters. A test compares it with the payloads of the sink. */

/** `any`: a JSON value of the caller's. */
export type DataShape = 'value' | 'list' | 'object' | 'any';

const OF_PLAYER = { player_id: 'value', external_id: 'value' } as const;
const PLAYER = {
  ...OF_PLAYER,
  id: 'value',
  device_id: 'value',
  email: 'value',
  lifecycle_stage: 'value',
  session_count: 'value',
  total_revenue: 'value',
  is_payer: 'value',
  first_seen_at: 'value',
  last_seen_at: 'value',
  attributes: 'object',
  changed: 'list',
} as const;
const SEGMENT = { ...OF_PLAYER, segment_id: 'value', segment_key: 'value' } as const;

/** The fields of `data` by kind. */
export const WEBHOOK_DATA: Readonly<Record<keyof typeof WEBHOOK_KINDS, Readonly<Record<string, DataShape>>>> = {
  'player.created': PLAYER,
  'player.updated': PLAYER,
  'player.lifecycle_changed': { ...OF_PLAYER, from: 'value', to: 'value', changed_at: 'value' },
  'player.segment_entered': SEGMENT,
  'player.segment_exited': SEGMENT,
  'event.*': { ...OF_PLAYER, event_name: 'value', properties: 'object' },
  'flag.evaluated': {
    ...OF_PLAYER,
    flag_key: 'value',
    value: 'any',
    variant_key: 'value',
    reason: 'value',
    segment_id: 'value',
    flag_version: 'value',
  },
  'campaign.triggered': { ...OF_PLAYER, campaign_id: 'value', intervention_id: 'value' },
  'churn.risk_high': {
    ...OF_PLAYER,
    risk_score: 'value',
    risk_level: 'value',
    factors: 'list',
    prediction_date: 'value',
    confidence: 'value',
  },
};

type CatalogueKind = keyof typeof WEBHOOK_KINDS;

/** The kinds of the catalogue that a webhook's `events` name; `event.*` stands for every event. */
export function cataloguedKinds(events: readonly string[]): readonly CatalogueKind[] {
  const kinds = Object.keys(WEBHOOK_KINDS).filter((kind): kind is CatalogueKind => Object.hasOwn(WEBHOOK_KINDS, kind));
  const isNamed = (kind: string, event: string): boolean =>
    event === '*' || event === kind || (event === 'player.*' && kind.startsWith('player.'));
  const isEvent = (event: string): boolean => !kinds.some((kind) => isNamed(kind, event));
  return kinds.filter((kind) => events.some((event) => isNamed(kind, event) || (kind === 'event.*' && isEvent(event))));
}
