import type { IdempotencyClaim } from '../../actors/vocabulary/commands.ts';
import type { Analytics } from '../../clickhouse-schema/queries/analytics.ts';
import type { ConfigStore } from '../../streams/config/config-store.ts';
import type { WebhookOperations } from '../../streams/webhook-operations.ts';
import type { Backend, Origin } from '../gateway/backend.ts';
import type { StreamTokens } from '../gateway/stream-tokens.ts';
import type { Clock } from '../kernel/clock.ts';
import type { FieldFault } from '../kernel/errors.ts';
import type { Ids } from '../kernel/ids.ts';
import type { Metrics } from '../kernel/metrics.ts';
import type { EventSchemas } from '../event-schemas/event-schemas.ts';
import type { Scorer } from '../scoring/scorer.ts';
import type { Environment } from '../../actors/vocabulary/scope.ts';
import type { ApiKey } from './api-key.ts';

/** What a keyed request brings to its route, beside its validated input. */
export interface RequestContext {
  readonly services: Services;
  readonly key: ApiKey;
  /** The only player that the request may act for, as a player token says; `undefined`: any. */
  readonly player: OnlyPlayer | undefined;
  readonly origin: Origin;
  /** Present when the caller sent an Idempotency-Key to a route that takes one. */
  readonly idempotency: IdempotencyClaim | undefined;
  /** Faults inside single values (over-long strings, lone surrogates …). Empty unless the route takes faulty items. */
  readonly faults: readonly FieldFault[];
  /** Names of fields nobody knows; routes add those of items. They end up in X-Ignored-Fields. */
  readonly ignored: string[];
}

/** The player of a player token. */
export interface OnlyPlayer {
  readonly externalId: string;
  readonly playerId: string;
}

/** The ports a route may use. */
export interface Services {
  readonly backend: Backend;
  readonly config: ConfigStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly metrics: Metrics;
  readonly readiness: () => Readiness;
  /** How far a tenant's players are evaluated since a segment's edit at a CONFIG revision. Rejects without the broker. */
  readonly segmentProgress: (question: SegmentQuestion) => Promise<SegmentsProgress>;
  readonly scorer: Scorer;
  readonly eventSchemas: Pick<EventSchemas, 'validate' | 'compile'>;
  /** What may be read from ClickHouse. */
  readonly analytics: Omit<Analytics, 'close' | 'missedEvents'>;
  readonly webhookOperations: WebhookOperations;
  readonly streamTokens: StreamTokens;
}

export interface SegmentQuestion {
  game: string;
  environment: Environment;
  segmentId: string;
  revision: number;
}

/** Players of a game and environment that were evaluated since an edit, over all partitions. */
export interface SegmentsProgress {
  evaluated: number;
  total: number;
  /** There is none left. */
  done: boolean;
  /** Those for whom the segment's condition exceeded its budget of steps. */
  overBudget: number;
}

/** Whether this process can serve, check by check. */
export interface Readiness {
  ready: boolean;
  checks: Record<string, boolean>;
}
