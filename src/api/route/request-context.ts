import type { Targeting } from '../../../actors/decision/targeting.ts';
import type { IdempotencyClaim } from '../../../core/vocabulary/commands/idempotency-claim.ts';
import type { WriteMark } from '../../../core/vocabulary/documents/write-mark.ts';
import type { Analytics } from '../../../clickhouse-schema/queries/analytics.ts';
import type { SqlReader } from '../console/sql/sql-reader.ts';
import type { ConfigStore } from '../../../streams/config/config-store.ts';
import type { Freshness } from '../../../streams/freshness/output-freshness.ts';
import type { WebhookOperations } from '../../../streams/webhook-operations.ts';
import type { Backend, Origin } from './backend.ts';
import type { Merges } from './merges.ts';
import type { BodyStream } from '../input/body-stream.ts';
import type { Challenges } from '../../access/challenges.ts';
import type { OpenIdProvider } from '../../access/openid.ts';
import type { StreamTokens } from '../../access/stream-tokens.ts';
import type { UseTimes } from '../../../streams/use-times.ts';
import type { Clock } from '../../../core/kernel/clock.ts';
import type { Failure, FieldFault } from '../../../core/kernel/errors.ts';
import type { Ids } from '../../../core/kernel/ids.ts';
import type { PasswordHashes } from '../../../core/kernel/secrets/password-hash.ts';
import type { ProcessMetrics } from '../../../core/kernel/metrics/process-metrics.ts';
import type { ApiMetrics } from '../metrics.ts';
import type { EventSchemas } from '../../event-schemas/event-schemas.ts';
import type { Operations } from '../operations/deployment-status.ts';
import type { LoadedModels } from '../../scoring/models.ts';
import type { ReceiptClaims } from '../../receipts/receipt-claims.ts';
import type { ReceiptQueue } from '../../receipts/receipt-queue.ts';
import type { StoreVerifier } from '../../receipts/store-verifier.ts';
import type { Scorer } from '../../scoring/scorer.ts';
import type { EventTracer } from '../../trace/trace-port.ts';
import type { Environment } from '../../../core/vocabulary/documents/scope.ts';
import type { QueryRunner } from '../analytics/query-runner.ts';
import type { Access, RawInput } from './access.ts';
import type { Answer, Outcome } from './answer.ts';
import type { ApiKey } from '../../access/api-key.ts';
import type { NameWarnings } from '../definitions/name-warnings.ts';
import type { DefinitionTexts } from '../flags/definition-texts.ts';
import type { SegmentPreviewer } from '../segments/segment-previews.ts';
import type { ListLoader } from '../segments/lists/list-port.ts';

/** What a route with a key gets besides the validated input. */
export interface RequestContext extends Duties {
  readonly services: Services;
  readonly key: ApiKey;
  /** The only player that the request may act for, from its player token; undefined means any player. */
  readonly player: OnlyPlayer | undefined;
  readonly origin: Origin;
  /** Set if the request has an Idempotency-Key and the route supports it. */
  readonly idempotency: IdempotencyClaim | undefined;
  /** The mark of a proposal's change, the same for all who approve it. It replaces that of an Idempotency-Key. */
  readonly writeMark?: Omit<WriteMark, 'at'>;
  /**
   * Faults of single values, such as oversized strings and lone surrogates. Empty unless the route takes faulty items.
   */
  readonly faults: readonly FieldFault[];
  /** The body of a route that reads it while it arrives. */
  readonly body: BodyStream | undefined;
  /** Unknown fields for X-Ignored-Fields. Routes add those of list items. */
  readonly ignored: string[];
}

/** What the gateway adds for what a route declares (access.ts); undefined: it declares nothing of the kind. */
export interface Duties {
  /** Performs an audited action: it writes an entry before, and its outcome after. */
  readonly audited: AuditedPerform | undefined;
  /** Stores the request for a second person instead of performing it; undefined: it changes nothing that needs one. */
  readonly propose: ((input: RawInput) => Promise<Failure | undefined>) | undefined;
  /** Stores documents. Every write has an entry in the audit. */
  readonly writes: DocumentWrites | undefined;
  /** Runs the route of an approved change as a request of this caller. */
  readonly perform: ((change: ApprovedChange) => Promise<Answer>) | undefined;
}

export type DocumentWrites = Pick<ConfigStore, 'put' | 'delete'>;

/** The context of routes that write documents. */
export interface WriteContext extends RequestContext {
  readonly writes: DocumentWrites;
}

/** The context of routes that decide about changes of other routes. */
export interface DecideContext extends WriteContext {
  readonly perform: (change: ApprovedChange) => Promise<Answer>;
}

/** A change that a person approved. Its id is the same for all who approve it. */
export interface ApprovedChange {
  id: string;
  route: RunnableRoute;
  input: RawInput;
}

/** A route, as far as running it needs to know it. */
export interface RunnableRoute {
  audit: Access['audit'];
  /** The kind of its action (action.ts). */
  actionKind: string;
  /** Validates the input and performs the action. Rejects or throws only for a bug. */
  run(raw: RawInput, context: RequestContext): Outcome | Promise<Outcome>;
}

/** Performs something and audits it. @returns a failure if it could not be audited */
export type AuditedPerform = <T extends { kind: string }>(
  input: RawInput,
  perform: () => T | Promise<T>,
) => Promise<T | Failure>;

/** The player of a player token. */
export interface OnlyPlayer {
  readonly externalId: string;
  readonly playerId: string;
}

/** The ports that routes may use. */
export interface Services {
  /** Reaches the owners of players. Commands and queries of merged players go to their accounts. */
  readonly backend: Backend;
  readonly merges: Merges;
  /** Verifies a player token in the body of a request with a client key. */
  readonly provenPlayer: (key: ApiKey, token: string) => OnlyPlayer | Failure;
  /** Reads documents. Only routes that declare it write them (`WriteContext`). */
  readonly config: Omit<ConfigStore, 'put' | 'delete' | 'stop'>;
  /** Stores documents without an entry of their own, for an erasure, which has one. */
  readonly unauditedWrites: DocumentWrites;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly metrics: ApiMetrics & Pick<ProcessMetrics, 'text' | 'contentType'>;
  readonly readiness: () => Readiness;
  /**
   * Progress of evaluating players since the edit of a segment at a CONFIG revision. Rejects if the broker is
   * unreachable.
   */
  readonly segmentProgress: (question: SegmentQuestion) => Promise<SegmentsProgress>;
  /** The answer to every write while the service accepts none; undefined: it accepts them. */
  readonly writeRefusal: () => Failure | undefined;
  readonly scorer: Scorer;
  readonly eventSchemas: Pick<EventSchemas, 'validate' | 'compile' | 'compileAllFaults'>;
  /** The models of this process. */
  readonly scoringModels: () => LoadedModels;
  /** Reads the state of the deployment. */
  readonly operations: Operations;
  /** Reads from ClickHouse. */
  readonly analytics: Omit<Analytics, 'close' | 'missedEvents'>;
  /** Answers analytics queries. */
  readonly queries: QueryRunner;
  /** How far the outputs are. */
  readonly freshness: Freshness;
  readonly webhookOperations: WebhookOperations;
  readonly eventTracer: Pick<EventTracer, 'trace'>;
  /** The compiled definitions of a game, for evaluations that are shown and recorded nowhere. */
  readonly targeting: (game: string, environment: Environment) => Targeting;
  readonly streamTokens: StreamTokens;
  /** When flags were last evaluated. */
  readonly flagUse: Pick<UseTimes, 'read'>;
  /** When API keys were last used, by their ids. */
  readonly keyUse: Pick<UseTimes, 'read'>;
  readonly definitionTexts: DefinitionTexts;
  readonly listLoader: ListLoader;
  readonly segmentPreviews: SegmentPreviewer;
  readonly nameWarnings: NameWarnings;
  /** Verifies receipts of purchases, after the answer. */
  readonly receipts: Receipts;
  readonly passwords: PasswordHashes;
  readonly challenges: Challenges;
  /** Signs people in; undefined: none is configured. */
  readonly openId: OpenIdProvider | undefined;
  /** Runs statements of people. */
  readonly sql: Pick<SqlReader, 'run'>;
}

export interface Receipts {
  readonly queue: ReceiptQueue;
  readonly claims: ReceiptClaims;
  readonly stores: StoreVerifier;
}

export interface SegmentQuestion {
  game: string;
  environment: Environment;
  segmentId: string;
  revision: number;
  /** Ids of the computed properties that its condition reads. */
  properties?: readonly string[];
}

/** Progress over all partitions of a game and environment. Counts are players. */
export interface SegmentsProgress {
  evaluated: number;
  total: number;
  done: boolean;
  /** Evaluated players for whom the condition exceeded its step budget. */
  overBudget: number;
  /** Partitions, and those in which the past of the computed properties is counted. */
  partitions: number;
  filled: number;
}

/** Whether this process can serve requests, check by check. */
export interface Readiness {
  /** Whether all required checks pass. */
  ready: boolean;
  checks: Record<string, boolean>;
  details: readonly CheckDetail[];
}

/** One check in the verbose form. `info` holds JSON values. */
export interface CheckDetail {
  name: string;
  ok: boolean;
  required: boolean;
  info?: Readonly<Record<string, unknown>>;
}
