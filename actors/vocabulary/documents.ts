import type { Json, JsonObject } from '../../src/kernel/json.ts';
import type { Environment } from './scope.ts';
import type { LifecycleStage } from './player.ts';

/**
 * The secrets with which a game's server signs player tokens. Stored apart from the game: a process
 * that lacks the key for stored secrets leaves out documents that hold one.
 */
export interface PlayerTokenSecrets {
  /** The HMAC key is its text in UTF-8. */
  secret: string;
  /** The secret before the latest rotation; its tokens are valid until then (epoch milliseconds). */
  previous?: { secret: string; until: number };
}

/** Rate limit tiers (contract: Limits). */
export const TIERS = { growth: 1_000, pro: 10_000, enterprise: null } as const;
export type Tier = keyof typeof TIERS;

/** A game: the unit everything is separated by. Stored at `gameAddress` (games.ts), under environment `_`: it spans both. */
export interface GameDocument {
  name: string;
  /** The organisation that owns it, for score records. */
  tenant: string;
  /** Random UUID; player ids are UUIDv5 over it. */
  namespace: string;
  createdAt: number;
  /** Whether client keys may record purchases. Absent counts as true. */
  clientPurchases?: boolean;
  /** Which attributes of players client keys may set. Absent counts as all. */
  clientAttributes?: ClientAttributes;
  /** Whether client keys act with a player token only. Absent counts as false. */
  requirePlayerToken?: boolean;
  /** What differs from the defaults (`DEFAULT_THRESHOLDS`). */
  lifecycle?: Partial<LifecycleThresholds>;
}

export type ClientAttributes = 'all' | 'none' | { listed: string[] };

/** An API key. Stored under the SHA-256 (hex) of the whole key text (api-keys.ts); the text itself is kept nowhere. */
export interface ApiKeyDocument {
  /** Stable id for logs, lists and ledgers. */
  id: string;
  kind: 'client' | 'server';
  tier: Tier;
  scopes: string[];
  /** First characters of the key, for lists. */
  hint: string;
  createdAt: number;
  revokedAt: number | null;
}

export type FilterOperator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'nin' | 'contains' | 'exists';
export type FilterCondition = { [operator in FilterOperator]?: unknown };

/** A webhook, as configured plus what the service adds. */
export interface WebhookDocument {
  id: string;
  name: string;
  url: string;
  events: string[];
  secret: string;
  /** The secret before the latest rotation: signs beside it until then (epoch milliseconds). */
  previousSecret?: { secret: string; until: number };
  enabled: boolean;
  /** When and why the service disabled it itself; stands with `enabled: false`, and goes when somebody enables it again. */
  disabled?: { at: number; reason: 'gone' | 'failing' };
  headers: Record<string, string>;
  retryPolicy: { maxRetries: number; backoff: 'exponential' | 'linear' | 'none' };
  /** Property path → condition. */
  filters: Record<string, FilterCondition>;
  createdAt: number;
  /**
   * CONFIG revision of its creation: it sees no record decided before. Absent in its first version, whose own revision
   * it is; every change carries it over (`createdRevisionOf`).
   */
  createdRevision?: number;
  /** Absent until it was changed. */
  updatedAt?: number;
  version: number;
  /** The latest, bounded in number and age. */
  writes?: WriteMark[];
}

/** A write to a definition under an Idempotency-Key: who finds it there knows that the write took effect. */
export interface WriteMark {
  /** Digest of API key and Idempotency-Key. */
  id: string;
  bodyHash: string;
  /** Epoch milliseconds. */
  at: number;
}

/** A segment. Stored under its id. */
export interface SegmentDocument {
  /** `seg_` and a UUID. */
  id: string;
  /** The name by which answers and rules of other systems know it; unique in its game and environment. */
  key: string;
  name: string;
  description: string;
  /** The condition language of actors/conditions. */
  conditions: JsonObject;
  /** `false`: nobody is in it. Absent counts as true. */
  enabled?: boolean;
  createdAt: number;
  updatedAt: number;
  version: number;
  /** The latest, bounded in number and age. */
  writes?: WriteMark[];
}

export type FlagType = 'boolean' | 'multivariate' | 'string' | 'number' | 'json';

export interface FlagVariant {
  key: string;
  /** A string, for flags of the types number and json a number or any JSON. */
  value: Json;
  /** Not negative; the weights of a flag need not sum to anything. */
  weight: number;
}

export interface FlagRule {
  name: string;
  /** `null`: all players. */
  segmentId: string | null;
  conditions?: JsonObject;
  /** `false` serves the default. */
  value: boolean;
  /** 0 to 100, fractions allowed. */
  percentage: number;
  /** Lower first; equal ones in the order they stand in. */
  priority: number;
  /** Epoch milliseconds between which the rule holds; `null`: open. */
  startAt: number | null;
  endAt: number | null;
}

/** Another flag that must serve `value` for this one to be evaluated at all. */
export interface FlagPrerequisite {
  flagKey: string;
  value: Json;
}

/**
 * A stretch of a flag's life in which nothing changed who gets what: the unit that results of experiments are about.
 * It holds the versions from its own up to the next period's.
 */
export interface FlagPeriod {
  /** Counts from 1. */
  period: number;
  /** The version that began it. */
  version: number;
  /** When that version was written, epoch milliseconds. */
  since: number;
  /** What players were compared, first the control. Absent of the current period: the definition says it. */
  arms?: FlagArm[];
}

/** A variant as results show it. Of a boolean flag, which has no variants: the value `false` or `true`. */
export interface FlagArm {
  variantKey: string;
  /** Its share of the players, in any unit; `null` when no share is expected. */
  weight: number | null;
}

/** A flag. Stored under its key. */
export interface FlagDocument {
  key: string;
  name: string;
  description: string;
  flagType: FlagType;
  enabled: boolean;
  /** `false` for a boolean flag, else `null`, unless given. */
  defaultValue: Json;
  /** Random; what a player's bucket depends on beside its id. */
  salt: string;
  variants: FlagVariant[];
  rules: FlagRule[];
  prerequisites: FlagPrerequisite[];
  createdAt: number;
  updatedAt: number;
  /** When it was deleted: then it is like no flag at all, but its key stays taken. */
  archivedAt: number | null;
  version: number;
  /** Oldest first, bounded in number. Absent in flags written before there were periods (see `periodsOf`). */
  periods?: FlagPeriod[];
  /** The latest, bounded in number and age. */
  writes?: WriteMark[];
}

/** What sets a campaign off for a player. */
export type CampaignTrigger =
  /** An event of that name; `conditions` may read its `properties.<path>`, and fields of the player. */
  | { kind: 'event'; event: string; conditions?: JsonObject }
  | { kind: 'segment_entered' | 'segment_exited'; segmentId: string }
  | { kind: 'lifecycle'; stage: LifecycleStage }
  | { kind: 'churn'; level: 'high' }
  /** A moment, epoch milliseconds: every player of the audience once. */
  | { kind: 'schedule'; at: number };

/** A campaign: a message to players of whom something is true, when something happens. Stored under its id. */
export interface CampaignDocument {
  /** `cmp_` and a UUID. */
  id: string;
  /** Unique in its game and environment. */
  key: string;
  name: string;
  enabled: boolean;
  trigger: CampaignTrigger;
  /** Only players of this segment; `null`: all. */
  audience: string | null;
  content: { title: string; body: string; cta: string };
  displayRules: { priority: string; dismissAfterSeconds: number };
  /** Interventions of this campaign that one player gets at most, ever and a UTC day; `null`: any number. */
  caps: { total: number | null; perDay: number | null };
  /** Between two of them. */
  cooldownSeconds: number;
  /** Times of day (`HH:MM`) on the player's clock between which there is nothing; `null`: none such. */
  quietHours: { from: string; to: string } | null;
  /** Share of players, 0 to 100, who get nothing, to be compared with. */
  holdoutPercentage: number;
  /** How long an intervention waits to be delivered. */
  expiresAfterSeconds: number;
  /** Epoch milliseconds between which it holds; `null`: open. */
  startAt: number | null;
  endAt: number | null;
  createdAt: number;
  updatedAt: number;
  version: number;
  /** The latest, bounded in number and age. */
  writes?: WriteMark[];
}

/** What becomes of an event that breaks its schema: it is counted, or its sender is told too, or it is quarantined. */
export type EventSchemaMode = 'observe' | 'warn' | 'enforce';

/** What the properties of events of one name must be like. Stored under `eventSchemaKey` of the name. */
export interface EventSchemaDocument {
  eventName: string;
  description: string;
  /** JSON Schema, draft 2020-12. */
  schema: JsonObject;
  mode: EventSchemaMode;
  createdAt: number;
  updatedAt: number;
  version: number;
  /** The latest, bounded in number and age. */
  writes?: WriteMark[];
}

/** What is fixed for a deployment's life. Stored as `_._.deployment.settings`. */
export interface DeploymentDocument {
  partitions: number;
  createdAt: number;
  /** Id of the key that secrets are sealed with (`SecretBox`). Absent: none has been yet. */
  secretsKey?: string;
}

/** Document kinds of the CONFIG bucket. */
export interface Documents {
  game: GameDocument;
  key: ApiKeyDocument;
  webhook: WebhookDocument;
  segment: SegmentDocument;
  flag: FlagDocument;
  campaign: CampaignDocument;
  event_schema: EventSchemaDocument;
  player_tokens: PlayerTokenSecrets;
  deployment: DeploymentDocument;
}
export type DocumentKind = keyof Documents;

/** `_` stands for "both" (games, the deployment). */
export type ConfigEnvironment = Environment | '_';

/** Where a document lives: the bucket's key is `<game>.<environment>.<kind>.<key>`. */
export interface DocumentAddress<K extends DocumentKind = DocumentKind> {
  game: string;
  environment: ConfigEnvironment;
  kind: K;
  key: string;
}

/** When a player's stage changes. Whole days, at least 1, so that nothing changes by time within a day of what began it. */
export interface LifecycleThresholds {
  /** Days after its first a player counts as new, unless it opens a second session before. */
  newDays: number;
  /** Days without activity after which a player is at risk. */
  atRiskDays: number;
  /** Days without activity after which it has churned; more than `atRiskDays`. */
  churnedDays: number;
  /** Sessions after the return that make a reactivated player active. */
  reactivatedSessions: number;
}
