import type { CommandBody, QueryBody } from '../../../core/vocabulary/commands/commands.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import type { CallerKind } from '../../../core/vocabulary/documents/scope.ts';

export type ClientOutcome = Reply | 'lost';

/** Sends one command or query to a gateway and resolves to the reply that the client received. */
export type Send = (
  entityId: string,
  body: CommandBody | QueryBody,
  environment?: 'live' | 'test',
  by?: CallerKind,
) => Promise<ClientOutcome>;

/** An operation of a client, retried if necessary. A retry keeps the key and the ids, and has its own stamp. */
export interface Operation {
  /** Whether a retry is safe. */
  safe: boolean;
  run(send: Send): Promise<ClientOutcome>;
  /**
   * The same Idempotency-Key with another body, or from another kind of API key; absent when there is none to misuse.
   */
  abuse?: (send: Send) => Promise<ClientOutcome>;
}

export function isQuery(body: CommandBody | QueryBody): body is QueryBody {
  return body.kind === 'GetPlayer' || body.kind === 'EvaluateFlags';
}

export function isUnavailable(outcome: ClientOutcome): boolean {
  return outcome === 'lost' || (outcome.kind === 'failure' && outcome.code === 'SERVICE_UNAVAILABLE');
}
