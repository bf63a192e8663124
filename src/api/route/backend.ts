import type { CommandBody, QueryBody } from '../../../core/vocabulary/commands/commands.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import type { CallerKind, Environment } from '../../../core/vocabulary/documents/scope.ts';

/** The origin of a request, which its commands and queries contain. */
export interface Origin {
  game: string;
  environment: Environment;
  /** When the request was received, epoch milliseconds. */
  receivedAt: number;
  /** The kind of its API key; absent without one. */
  by?: CallerKind;
}

/**
 * Sends commands and queries from routes to the owners of partitions. Neither call rejects: a failure is a `failure`
 * reply, and a missing reply is `SERVICE_UNAVAILABLE`.
 */
export interface Backend {
  /** A write: durable if the reply is not a failure. `entityId`, a player's or a ledger's, determines the partition. */
  send(origin: Origin, entityId: string, body: CommandBody): Promise<Reply>;
  /** A read of live state. */
  query(origin: Origin, playerId: string, body: QueryBody): Promise<Reply>;
  /** The partition of an entity, for callers that group commands by partition. */
  partitionOf(entityId: string): number;
}
