import type { ChurnFactor, ChurnLevel } from '../state/churn-risk.ts';
import type { LifecycleStage } from '../state/lifecycle-stages.ts';

/*
 * The catalogue of webhook event kinds, with the fields of each payload's `data`. The API validates definitions with
 * it, the sink matches facts with it (`streams/sinks/webhooks/record/occurrences.ts` maps each kind to its fact), the
 * console lists it, and the SDK for game servers has its types from it.
 */

/** What a field holds. Those of `object` and `any` are JSON values of the caller's. */
interface Shapes {
  text: string;
  'text or null': string | null;
  'text or absent': string | undefined;
  number: number;
  'number or null': number | null;
  boolean: boolean;
  stage: LifecycleStage;
  'churn level': ChurnLevel;
  'churn factors': readonly ChurnFactor[];
  texts: readonly string[];
  object: Readonly<Record<string, unknown>>;
  'object or null': Readonly<Record<string, unknown>> | null;
  any: unknown;
}

export type DataShape = keyof Shapes;

interface KindEntry {
  /** When it is sent. */
  description: string;
  data: Readonly<Record<string, DataShape>>;
}

const OF_PLAYER = { player_id: 'text', external_id: 'text' } as const;
const PLAYER = {
  ...OF_PLAYER,
  id: 'text',
  device_id: 'text or null',
  email: 'text or null',
  lifecycle_stage: 'stage',
  session_count: 'number',
  total_revenue: 'number',
  is_payer: 'boolean',
  is_test_player: 'boolean',
  first_seen_at: 'text',
  last_seen_at: 'text or null',
  attributes: 'object',
  changed: 'texts',
} as const;
const MERGE = { ...OF_PLAYER, guest_id: 'text', guest_external_id: 'text', merge_id: 'text' } as const;
const SEGMENT = { ...OF_PLAYER, segment_id: 'text', segment_key: 'text' } as const;

/** `event.<event_name>` covers tracked events, so they are not listed by name. */
export const WEBHOOK_KINDS = {
  'player.created': { description: 'A new player was identified.', data: PLAYER },
  'player.updated': { description: 'Something of a player changed.', data: PLAYER },
  'player.lifecycle_changed': {
    description: "A player's lifecycle stage changed.",
    data: { ...OF_PLAYER, from: 'stage', to: 'stage', changed_at: 'text' },
  },
  'player.segment_entered': { description: 'A player joined a segment.', data: SEGMENT },
  'player.segment_exited': { description: 'A player left a segment.', data: SEGMENT },
  'player.merged': {
    description: 'A guest was merged into a player.',
    data: { ...MERGE, merged_at: 'text' },
  },
  'player.unmerged': { description: 'A merge was taken back.', data: MERGE },
  'event.*': {
    description: 'Any event was tracked.',
    data: { ...OF_PLAYER, event_name: 'text', properties: 'object' },
  },
  'flag.evaluated': {
    description: 'A player was exposed to a feature flag.',
    data: {
      ...OF_PLAYER,
      flag_key: 'text',
      value: 'any',
      variant_key: 'text or null',
      reason: 'text',
      segment_id: 'text or absent',
      flag_version: 'number',
    },
  },
  'campaign.triggered': {
    description: 'A retention campaign was triggered for a player.',
    data: {
      ...OF_PLAYER,
      campaign_id: 'text',
      campaign_key: 'text',
      campaign_version: 'number',
      intervention_id: 'text',
      cause: 'text',
      variant: 'text or null',
      locale: 'text or null',
      held_until: 'text or null',
      expires_at: 'text',
      content: 'object or null',
    },
  },
  'churn.risk_high': {
    description: 'A player became a high churn risk.',
    data: {
      ...OF_PLAYER,
      risk_score: 'number',
      risk_level: 'churn level',
      factors: 'churn factors',
      prediction_date: 'text',
      confidence: 'number',
    },
  },
  'experiment.guardrail': {
    description: 'A variant of an experiment harms what a guardrail watches.',
    data: {
      experiment_key: 'text',
      flag_key: 'text',
      version: 'number',
      state: 'text',
      phase: 'number',
      variant_key: 'text',
      metric: 'object',
      worse: 'text',
      margin: 'number',
      action: 'text',
      lift: 'number or null',
      low: 'number or null',
      high: 'number or null',
    },
  },
} as const satisfies Readonly<Record<string, KindEntry>>;

export type CatalogueKind = keyof typeof WEBHOOK_KINDS;
export type WebhookKind = Exclude<CatalogueKind, 'event.*'> | `event.${string}`;

type DataOf<Kind extends CatalogueKind> = {
  readonly [Field in keyof (typeof WEBHOOK_KINDS)[Kind]['data']]: ShapeOf<(typeof WEBHOOK_KINDS)[Kind]['data'][Field]>;
};
type ShapeOf<Name> = Name extends DataShape ? Shapes[Name] : never;

/** `data` by type of event. Tracked events have the type `event.<name>`. */
export type WebhookData = {
  [Kind in WebhookKind]: DataOf<Kind extends CatalogueKind ? Kind : 'event.*'>;
};
