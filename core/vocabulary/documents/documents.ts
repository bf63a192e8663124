import type { EditEffect } from '../edit-effects.ts';
import type { BucketBy, FlagServe } from './flag-serve.ts';
import type { Json, JsonObject } from '../../kernel/text/json.ts';
import type { Environment } from './scope.ts';
import type { LifecycleStage } from '../state/lifecycle-stages.ts';
import type { AnnotationDocument } from './annotation.ts';
import type { SavedQueryDocument } from './saved-query.ts';
import type { ProposalDocument } from './proposal.ts';
import type { UserDocument } from './users.ts';
import type { DocumentKind } from './document-kinds.ts';
import type { CampaignMessages } from '../message.ts';
import type { ExchangeRatesDocument } from './exchange-rates.ts';
import type { ExperimentDocument, ShippedBy } from './experiments.ts';
import type { GameDocument } from './game.ts';
import type { Labelled } from '../labels.ts';
import type { ScheduleDocument } from '../schedules.ts';
import type { PlayerTokenSecrets } from '../player-token-secrets.ts';
import type { StoresDocument } from '../stores.ts';
import type { WriteMark } from './write-mark.ts';
import type { Aggregate } from '../state/aggregates.ts';

/** Rate limit tiers (contract: Limits). */
export const TIERS = { growth: 1_000, pro: 10_000, enterprise: null } as const;
export type Tier = keyof typeof TIERS;

/** An API key. Stored under the SHA-256 (hex) of the whole key text (api-keys.ts); the text itself is never stored. */
export interface ApiKeyDocument {
  /** Stable id for logs, lists and ledgers. */
  id: string;
  /** For people. Not unique: the successor of a rotation has the same. Absent: none. */
  name?: string;
  kind: 'client' | 'server';
  tier: Tier;
  /** As named (key-scopes.ts). */
  scopes: string[];
  /** First characters of the key, for lists. */
  hint: string;
  createdAt: number;
  /** When it ends, as its creation said. Absent: not by itself. */
  expiresAt?: number;
  /** Present if it was rotated: the latest successor, and when this one ends. */
  rotated?: { successor: string; until: number };
  revokedAt: number | null;
}

export type FilterOperator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'nin' | 'contains' | 'exists';
export type FilterCondition = { [operator in FilterOperator]?: unknown };

/** A webhook: its configuration and the fields that the service adds. */
export interface WebhookDocument extends Labelled {
  id: string;
  name: string;
  url: string;
  events: string[];
  secret: string;
  /** The secret before the latest rotation. It also signs until then (epoch milliseconds). */
  previousSecret?: { secret: string; until: number };
  enabled: boolean;
  /** When and why the service disabled the webhook. Present with `enabled: false`; removed when it is enabled again. */
  disabled?: { at: number; reason: 'gone' | 'failing' };
  headers: Record<string, string>;
  retryPolicy: { maxRetries: number; backoff: 'exponential' | 'linear' | 'none' };
  /** Property path → condition. */
  filters: Record<string, FilterCondition>;
  createdAt: number;
  /**
   * CONFIG revision of its creation: earlier records are not matched. Absent in its first version, whose own revision
   * it is; every change carries it over (`createdRevisionOf`).
   */
  createdRevision?: number;
  /** Absent until the first change. */
  updatedAt?: number;
  version: number;
  /** The latest, bounded in number and age. */
  writes?: WriteMark[];
}

/** A segment. Stored under its id. */
export interface SegmentDocument extends Labelled {
  /** `seg_` and a UUID. */
  id: string;
  /** The name in replies and in rules of other systems; unique in its game and environment. */
  key: string;
  name: string;
  description: string;
  /** The condition language of actors/conditions; `STATIC` if the segment has a list. */
  conditions: JsonObject;
  /** Present in static segments, whose players are those of a list. */
  list?: SegmentList;
  /** Ids of players who are in the segment in any case. Absent: none. */
  includes?: readonly string[];
  /** Ids of players who are not in the segment in any case. Absent: none. */
  excludes?: readonly string[];
  /** `false`: the segment is empty. Absent means true. */
  enabled?: boolean;
  createdAt: number;
  updatedAt: number;
  version: number;
  /** The latest, bounded in number and age. */
  writes?: WriteMark[];
}

/** The list of a static segment. */
export interface SegmentList {
  /** The current load (`player-lists.ts`). */
  load: string;
  /** Its players when it took effect. */
  players: number;
  /** When it took effect, epoch milliseconds; `null`: no list was loaded yet. */
  loadedAt: number | null;
}

/** The conditions of a static segment. */
export const STATIC: JsonObject = { $static: true };

export type FlagType = 'boolean' | 'multivariate' | 'string' | 'number' | 'json';

export interface FlagVariant {
  key: string;
  /** A string, for flags of the types number and json a number or any JSON. */
  value: Json;
  /** At least 0; the weights of a flag may have any sum. */
  weight: number;
}

export interface FlagRule {
  name: string;
  /** `null`: all players. */
  segmentId: string | null;
  conditions?: JsonObject;
  /** `false` serves the default value. */
  value: boolean;
  /** Absent: `true` of a boolean flag, else the flag's variants by their weights. */
  serve?: FlagServe;
  /** Absent: those of the flag. */
  salt?: string;
  bucketBy?: BucketBy;
  /** 0 to 100, fractions allowed. */
  percentage: number;
  /** Lower first; equal ones in list order. */
  priority: number;
  /** Epoch milliseconds between which the rule holds; `null`: open. */
  startAt: number | null;
  endAt: number | null;
}

/** A prerequisite: another flag that must serve the value, or the variant, before this one is evaluated. */
export type FlagPrerequisite = { flagKey: string } & ({ value: Json } | { variantKey: string });

/**
 * A range of a flag's versions with an unchanged assignment of players to variants. Experiment results are computed per
 * period. It starts at its own version and ends before the next period's.
 */
export interface FlagPeriod {
  /** Counts from 1. */
  period: number;
  /** The version that began it. */
  version: number;
  /** When that version was written, epoch milliseconds. */
  since: number;
  /** The compared variants, the control first. Absent in the current period, where the definition holds them. */
  arms?: FlagArm[];
  /** The weights by stratum, if rules had weights of their own; likewise. */
  splits?: FlagSplit[];
}

/** The weights with which the players of a stratum got the variants. */
export interface FlagSplit {
  stratum: number;
  arms: FlagArm[];
}

/** A variant in results. For boolean flags, which have no variants, the value `false` or `true`. */
export interface FlagArm {
  variantKey: string;
  /** Its share of the players, in any unit; `null` when no share is expected. */
  weight: number | null;
}

/** A flag. Stored under its key. */
export interface FlagDocument extends Labelled {
  key: string;
  name: string;
  description: string;
  flagType: FlagType;
  enabled: boolean;
  /** `false` for a boolean flag, else `null`, unless given. */
  defaultValue: Json;
  /** For players whom no rule includes. Absent: the default value. */
  defaultServe?: FlagServe;
  /** Random; a player's bucket depends on it and on what `bucketBy` names. */
  salt: string;
  /** Absent: `player`. */
  bucketBy?: BucketBy;
  variants: FlagVariant[];
  rules: FlagRule[];
  prerequisites: FlagPrerequisite[];
  createdAt: number;
  updatedAt: number;
  /** When its owner expects it to be gone, epoch milliseconds; it says nothing to evaluations. Absent: never. */
  endsAt?: number;
  /** The time of deletion. A deleted flag is treated as missing, but its key stays taken. */
  archivedAt: number | null;
  /** Whether client keys may learn of the flag. Absent: they may. */
  clientVisible?: boolean;
  shippedBy?: ShippedBy;
  version: number;
  /** What the edit that made this version does to the players of the experiment. Absent: the flag is new. */
  editEffect?: EditEffect;
  /** Oldest first, bounded in number; at least the current one. */
  periods: FlagPeriod[];
  /** The latest, bounded in number and age. */
  writes?: WriteMark[];
}

/** What triggers a campaign for a player. */
export type CampaignTrigger =
  /** An event of that name; `conditions` may read its `properties.<path>`, and fields of the player. */
  | { kind: 'event'; event: string; conditions?: JsonObject }
  | { kind: 'segment_entered' | 'segment_exited'; segmentId: string }
  | { kind: 'lifecycle'; stage: LifecycleStage }
  | { kind: 'churn'; level: 'high' }
  /** A time, epoch milliseconds: triggers once for every player of the audience. */
  | { kind: 'schedule'; at: number };

/** A campaign: a message to the players of an audience, sent on a trigger. Stored under its id. */
export interface CampaignDocument extends Labelled, CampaignMessages {
  /** `cmp_` and a UUID. */
  id: string;
  /** Unique in its game and environment. */
  key: string;
  name: string;
  enabled: boolean;
  trigger: CampaignTrigger;
  /** Only players of this segment; `null`: all. */
  audience: string | null;
  displayRules: { priority: string; dismissAfterSeconds: number };
  /** The maximum of interventions of this campaign per player, in total and per UTC day; `null`: no maximum. */
  caps: { total: number | null; perDay: number | null };
  /** The minimum time between two of them. */
  cooldownSeconds: number;
  /** Times of day (`HH:MM`) in the player's time zone without interventions; `null`: none. */
  quietHours: { from: string; to: string } | null;
  /** Share of players, 0 to 100, in the holdout, which gets no interventions. */
  holdoutPercentage: number;
  /** How long an intervention waits for delivery. */
  expiresAfterSeconds: number;
  /** The campaign is active between these times, epoch milliseconds; `null`: open. */
  startAt: number | null;
  endAt: number | null;
  createdAt: number;
  updatedAt: number;
  version: number;
  /** The latest, bounded in number and age. */
  writes?: WriteMark[];
}

/** A named computed property. Stored under its key. */
export interface PropertyDocument extends Labelled {
  key: string;
  name: string;
  description: string;
  event: string;
  /** Condition on `properties.<path>` of the event; `null`: all events of that name. */
  where: JsonObject | null;
  aggregate: Aggregate;
  /** `properties.<path>`; `null` for `count`. */
  value: string | null;
  /** UTC days, today included; `null`: for ever. */
  withinDays: number | null;
  createdAt: number;
  updatedAt: number;
  version: number;
  /** The latest, bounded in number and age. */
  writes?: WriteMark[];
}

/** The handling of an event that violates its schema: count it, also report it to its sender, or quarantine it. */
export type EventSchemaMode = 'observe' | 'warn' | 'enforce';

/** The schema for properties of events of one name. Stored under `eventSchemaKey` of the name. */
export interface EventSchemaDocument extends Labelled {
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

/**
 * What a deployment is, for all of its processes. Stored as `_._.deployment.settings`. The first start writes it; only
 * an operator changes it later, and nothing changes `partitions`.
 */
export interface DeploymentDocument {
  /** The format of the data (`formats.ts`). */
  format: number;
  partitions: number;
  createdAt: number;
  /** Brokers that store each record. */
  replicas: number;
  /** Maximum size of FACTS in bytes. */
  factsMaxBytes: number;
  /** Id of the key that encrypts secrets (`SecretBox`). Absent: no secret is encrypted yet. */
  secretsKey?: string;
}

/** The documents of the CONFIG bucket by kind; `document-kinds.ts` says what is true of each. */
export interface Documents {
  game: GameDocument;
  exchange_rates: ExchangeRatesDocument;
  key: ApiKeyDocument;
  webhook: WebhookDocument;
  segment: SegmentDocument;
  flag: FlagDocument;
  experiment: ExperimentDocument;
  campaign: CampaignDocument;
  event_schema: EventSchemaDocument;
  property: PropertyDocument;
  saved_query: SavedQueryDocument;
  annotation: AnnotationDocument;
  player_tokens: PlayerTokenSecrets;
  stores: StoresDocument;
  deployment: DeploymentDocument;
  user: UserDocument;
  proposal: ProposalDocument;
  schedule: ScheduleDocument;
}

/** `_` stands for "both" (games, the deployment, users). */
export type ConfigEnvironment = Environment | '_';

/** The address of a document: the bucket's key is `<game>.<environment>.<kind>.<key>`. */
export interface DocumentAddress<K extends DocumentKind = DocumentKind> {
  game: string;
  environment: ConfigEnvironment;
  kind: K;
  key: string;
}
