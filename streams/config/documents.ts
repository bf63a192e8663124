import type { Environment } from '../../actors/commands.ts';

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
}

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
  enabled: boolean;
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
  version: number;
}

/** What is fixed for a deployment's life. Stored as `_._.deployment.settings`. */
export interface DeploymentDocument {
  partitions: number;
  createdAt: number;
}

/** Document kinds of the CONFIG bucket. */
export interface Documents {
  game: GameDocument;
  key: ApiKeyDocument;
  webhook: WebhookDocument;
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
