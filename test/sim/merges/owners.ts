import { decide, answer } from '../../../actors/decide.ts';
import { createDraft } from '../../../actors/runtime/term/draft.ts';
import { definitionsOf } from '../../../actors/testing-players.ts';
import { decideTimers, dueAt } from '../../../actors/timers.ts';
import type { Command, CommandBody, QueryBody } from '../../../core/vocabulary/commands/commands.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import type { DomainFact } from '../../../core/vocabulary/facts/facts.ts';
import type { EntityState } from '../../../core/vocabulary/state/state.ts';
import type { Origin } from '../../../src/api/route/backend.ts';
import type { World } from '../world.ts';

/** Decided facts in the order of all partitions, with the sequence of their record. */
export interface Decided {
  sequence: number;
  facts: readonly DomainFact[];
}

/**
 * The owners of all partitions, without their runtime: each command is one record. They share one order, which the
 * checks use; no command reads a player of another partition.
 */
export interface SimOwners {
  readonly log: readonly Decided[];
  readonly states: ReadonlyMap<string, EntityState>;
  decide(origin: Origin, entityId: string, body: CommandBody): Reply;
  answer(origin: Origin, body: QueryBody & { playerId: string }): Reply;
  /** Runs the timers that are due. */
  runTimers(): void;
  partitionOf(entityId: string): number;
}

const PARTITIONS = 3;

export function createOwners(world: World, onFacts: (decided: Decided) => void): SimOwners {
  const states = new Map<string, EntityState>();
  const log: Decided[] = [];
  const definitions = definitionsOf();
  let requests = 0;

  const partitionOf = (entityId: string): number => (entityId.codePointAt(0) ?? 0) % PARTITIONS;
  /** A ledger is another one in each partition. */
  const nameIn = (partition: number, entityId: string) =>
    entityId.startsWith('ledger:') ? `${partition}/${entityId}` : entityId;

  function commit<T>(partition: number, run: (draft: ReturnType<typeof createDraft>) => T): T {
    const draft = createDraft((id) => states.get(nameIn(partition, id)));
    const result = run(draft);
    if (draft.facts.length === 0) return result;
    const sequence = log.length + 1;
    for (const [id, state] of draft.changed) {
      state.lastSeq = sequence;
      if (state.kind === 'player' && state.bornSeq === 0) state.bornSeq = sequence;
      states.set(nameIn(partition, id), state);
    }
    const decided = { sequence, facts: [...draft.facts] };
    log.push(decided);
    onFacts(decided);
    return result;
  }

  function envelope(origin: Origin): Omit<Command, 'body'> {
    requests += 1;
    const deadlineAt = world.clock.wallMs() + 5_000;
    return { ...origin, requestId: requests.toString(36), replyTo: 'sim', deadlineAt, configRevision: 0 };
  }

  return {
    log,
    states,
    partitionOf,
    decide(origin, entityId, body) {
      const command = { ...envelope(origin), body };
      return commit(partitionOf(entityId), (draft) => decide(draft, command, definitions));
    },
    answer(origin, body) {
      const { receivedAt: _, ...query } = { ...envelope(origin), body };
      return answer(states.get(body.playerId), query, { definitions, clock: world.clock });
    },
    runTimers() {
      const nowMs = world.clock.wallMs();
      for (const [id, state] of states) {
        const due = dueAt(state);
        if (due !== null && due <= nowMs)
          commit(partitionOf(id), (draft) => decideTimers(draft, id, nowMs, definitions));
      }
    },
  };
}
