import { given } from '../../../actors/testing/harness.ts';
import { answer } from '../../../actors/decide.ts';
import type { DomainFact } from '../../../core/vocabulary/facts/facts.ts';
import type { EntityState } from '../../../core/vocabulary/state/state.ts';
import { definitionsOf } from '../../../actors/testing-players.ts';
import type { Clock } from '../../../core/kernel/clock.ts';
import type { Backend } from '../../../src/api/route/backend.ts';
import type { Definitions } from '../../../actors/decision/definitions.ts';

/**
 * An in-memory owner behind a test's gateway. It decides commands as the service does, one by one, and stores nothing.
 */
export interface DecidingBackend extends Backend {
  readonly facts: readonly DomainFact[];
  state(entityId: string): EntityState | undefined;
  /** Runs the owner's due timers. */
  look(entityId: string): void;
}

export function createDecidingBackend(
  clock: Pick<Clock, 'wallMs' | 'monotonicMs'>,
  definitions: Definitions = definitionsOf(),
): DecidingBackend {
  const { facts, states, when, whenTime } = given([], definitions);
  const envelope = { requestId: 'r', replyTo: 'g', deadlineAt: Infinity, configRevision: 0 };
  return {
    facts,
    send: async (origin, _, body) => when({ ...origin, ...envelope, body }).reply,
    query: async (origin, entityId, body) =>
      answer(states.get(entityId), { ...origin, ...envelope, body }, { definitions, clock }),
    partitionOf: () => 0,
    state: (entityId) => states.get(entityId),
    look: (entityId) => void whenTime(entityId, clock.wallMs()),
  };
}
