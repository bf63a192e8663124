import type { CommandBody, QueryBody } from '../../actors/vocabulary/commands.ts';
import type { Reply } from '../../actors/vocabulary/replies.ts';
import type { CallerKind } from '../../actors/vocabulary/scope.ts';

export type Heard = Reply | 'lost';

/** Sends one command or query to some gateway and resolves to what was heard. */
export type Send = (
  entityId: string,
  body: CommandBody | QueryBody,
  environment?: 'live' | 'test',
  by?: CallerKind,
) => Promise<Heard>;

/** Something a client does, again and again if it must: a repeat carries the same key and ids, and a stamp of its own. */
export interface Operation {
  /** Whether a repeat counts nothing twice. */
  safe: boolean;
  run(send: Send): Promise<Heard>;
  /** The same Idempotency-Key with another body, or of another kind of API key, if there is one to abuse. */
  abuse?: (send: Send) => Promise<Heard>;
}

export function isQuery(body: CommandBody | QueryBody): body is QueryBody {
  return body.kind === 'GetPlayer' || body.kind === 'EvaluateFlags';
}

export function isUnavailable(heard: Heard): boolean {
  return heard === 'lost' || (heard.kind === 'failure' && heard.code === 'SERVICE_UNAVAILABLE');
}
