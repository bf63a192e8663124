import type { Operations } from '../src/generated/operations.ts';

/* The events of webhooks, by type. The service's own facts are held against these types by a test. */

type Player = Operations['GET /v1/players/players/{id}']['answer'];
type ChurnRisk = Operations['GET /v1/players/players/{id}/churn-risk']['answer'];

interface OfPlayer {
  readonly player_id: string;
  readonly external_id: string;
}

/** The player as the API answers it. */
type PlayerData = OfPlayer & Player & { /** Names of the changed fields. */ readonly changed: readonly string[] };

interface SegmentData extends OfPlayer {
  readonly segment_id: string;
  readonly segment_key: string;
}

/** `data` by type of event. Tracked events have the type `event.<name>`. */
export interface WebhookData {
  'player.created': PlayerData;
  'player.updated': PlayerData;
  'player.lifecycle_changed': OfPlayer & {
    readonly from: Player['lifecycle_stage'];
    readonly to: Player['lifecycle_stage'];
    readonly changed_at: string;
  };
  'player.segment_entered': SegmentData;
  'player.segment_exited': SegmentData;
  'flag.evaluated': OfPlayer & {
    readonly flag_key: string;
    readonly value: unknown;
    readonly variant_key: string | null;
    readonly reason: string;
    readonly segment_id?: string;
    readonly flag_version: number;
  };
  'campaign.triggered': OfPlayer & { readonly campaign_id: string; readonly intervention_id: string };
  'churn.risk_high': OfPlayer & ChurnRisk;
  [tracked: `event.${string}`]: OfPlayer & {
    readonly event_name: string;
    readonly properties: Readonly<Record<string, unknown>>;
  };
}

interface Delivered<Type extends string, Data> {
  /** The same for all attempts: skip ids that you have processed. */
  readonly id: string;
  readonly type: Type;
  readonly timestamp: string;
  readonly data: Data;
  readonly metadata: { readonly webhook_id: string; /** From 1. */ readonly delivery_attempt: number };
}

/** An event of a webhook: `type` determines the form of `data`. */
export type WebhookEvent = { [Type in keyof WebhookData]: Delivered<Type, WebhookData[Type]> }[keyof WebhookData];
