import { PLAYER_LIMITS } from '../../actors/decision/limits.ts';
import { answer, decide } from '../../actors/decide.ts';
import type { Command, CommandBody, EvaluateFlags } from '../../core/vocabulary/commands/commands.ts';
import { evolve } from '../../actors/evolve.ts';
import type { DomainFact } from '../../core/vocabulary/facts/facts.ts';
import type { FlagsReply, Reply } from '../../core/vocabulary/commands/replies.ts';
import { createExposures } from '../../actors/runtime/term/exposures.ts';
import type { EntityState, PlayerState } from '../../core/vocabulary/state/state.ts';
import { decodeState, encodeState } from '../../core/codec/state/state-codec.ts';
import type { Definitions } from '../../actors/decision/definitions.ts';

/** A fact where it stands in the log. */
export interface PlacedFact {
  fact: DomainFact;
  sequence: number;
  index: number;
}

/** When the owner dies: with what waits for a commit, or when that is stored and its answers are not sent. */
export type Crash = 'before' | 'after';

/**
 * An owner without its log: the service's own decisions and its own queue of what evaluations leave to remember. Each
 * call is a commit of its own.
 */
export interface ExperimentOwner {
  readonly log: readonly PlacedFact[];
  player(id: string): PlayerState;
  /** `lost`: the owner died, and the caller never gets its answer. */
  evaluate(query: Omit<EvaluateFlags, 'kind'>, nowMs: number, crash?: Crash): FlagsReply | 'lost';
  send(body: CommandBody, nowMs: number, crash?: Crash): { reply: Reply | 'lost'; facts: readonly DomainFact[] };
  /** Another owner takes over, with the players of a snapshot or of the log. */
  recover(from: 'snapshot' | 'log'): void;
}

const SCOPE = { game: 'demo', environment: 'live' } as const;
const ENVELOPE = { ...SCOPE, requestId: 'r', replyTo: 'g', deadlineAt: Infinity, configRevision: 0 } as const;

export function createExperimentOwner(definitions: () => Definitions): ExperimentOwner {
  const states = new Map<string, EntityState>();
  const log: PlacedFact[] = [];
  let clockMs = 0;
  let sequence = 0;
  const newQueue = () => createExposures({ nowMs: () => clockMs, onWork: () => {} });
  let queue = newQueue();

  /** Decides what waits, then the command, and stores it. @returns the facts and answer of the command */
  function commit(command?: Command): { reply: Reply; facts: DomainFact[] } {
    const facts: DomainFact[] = [];
    const draft = {
      facts,
      limits: PLAYER_LIMITS,
      get: (id: string) => states.get(id),
      emit(fact: DomainFact) {
        facts.push(fact);
        states.set(fact.entityId, evolve(states.get(fact.entityId), fact));
      },
    };
    for (let next = queue.take(true); next !== undefined; next = queue.take(true)) {
      decide(draft, next.command, definitions());
    }
    const since = facts.length;
    const reply: Reply = command === undefined ? { kind: 'noted' } : decide(draft, command, definitions());
    if (facts.length > 0) sequence += 1;
    for (const [index, fact] of facts.entries()) log.push({ fact, sequence, index });
    return { reply, facts: facts.slice(since) };
  }

  function die(): void {
    queue = newQueue();
  }

  return {
    log,
    recover(from) {
      die();
      if (from === 'snapshot') {
        for (const [id, state] of states) states.set(id, decodeState(encodeState(state)));
        return;
      }
      states.clear();
      for (const { fact } of log) states.set(fact.entityId, evolve(states.get(fact.entityId), fact));
    },
    player(id) {
      const state = states.get(id);
      if (state?.kind !== 'player') throw new Error(`no player ${id}`);
      return state;
    },
    evaluate(query, nowMs, crash) {
      clockMs = nowMs;
      const wrapped = { ...ENVELOPE, body: { kind: 'EvaluateFlags', ...query } } as const;
      const player = states.get(query.playerId);
      const clock = { wallMs: () => nowMs, monotonicMs: () => 0 };
      const reply = answer(player, wrapped, { definitions: definitions(), clock });
      if (reply.kind !== 'flags' || player?.kind !== 'player') throw new Error(`answered with ${reply.kind}`);
      const outgoing = { requestId: 'r', replyTo: 'g', epoch: 1, partition: 0, reply };
      const targeting = definitions().of(SCOPE.game, SCOPE.environment);
      const waits = queue.note({ query: wrapped, answer: outgoing, player, targeting });
      if (crash === 'before') {
        die();
        // What need not wait was answered before the owner died.
        return waits ? 'lost' : reply;
      }
      commit();
      if (crash === 'after') die();
      return crash === 'after' && waits ? 'lost' : reply;
    },
    send(body, nowMs, crash) {
      clockMs = nowMs;
      if (crash === 'before') {
        die();
        return { reply: 'lost', facts: [] };
      }
      const done = commit({ ...ENVELOPE, receivedAt: nowMs, body });
      if (crash === undefined) return done;
      die();
      return { ...done, reply: 'lost' };
    },
  };
}
