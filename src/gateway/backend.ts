import type { CommandBody, QueryBody } from '../../actors/vocabulary/commands.ts';
import type { Reply } from '../../actors/vocabulary/replies.ts';
import type { CallerKind, Environment } from '../../actors/vocabulary/scope.ts';

/** Where a request comes from, as commands and queries carry it. */
export interface Origin {
  game: string;
  environment: Environment;
  /** When the request was received, epoch milliseconds. */
  receivedAt: number;
  /** The kind of its API key; absent without one. */
  by?: CallerKind;
}

/**
 * The way from a route to the owners of partitions. Neither call ever rejects: what fails is a `failure` reply, and
 * what gets no answer in time is `SERVICE_UNAVAILABLE`.
 */
export interface Backend {
  /** A write: durable when the reply is not a failure. `entityId` decides the partition. */
  send(origin: Origin, entityId: string, body: CommandBody): Promise<Reply>;
  /** A read of live state. */
  ask(origin: Origin, entityId: string, body: QueryBody): Promise<Reply>;
  /** The partition of an entity, for callers that group what they send. */
  partitionOf(entityId: string): number;
}
