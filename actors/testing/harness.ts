import { expect } from 'vitest';
import { PLAYER_LIMITS } from '../decision/limits.ts';
import { decide } from '../decide.ts';
import type { Draft, PlayerLimits, Tallied } from '../decision/decision.ts';
import { evolve } from '../evolve.ts';
import type { Definitions } from '../decision/definitions.ts';
import { definitionsOf } from '../testing-players.ts';
import { decideTimers } from '../timers.ts';
import type { Command } from '../../core/vocabulary/commands/commands.ts';
import type { DomainFact } from '../../core/vocabulary/facts/facts.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import type { EntityState, PlayerState } from '../../core/vocabulary/state/state.ts';

/** What one command led to. */
export interface Outcome {
  readonly facts: readonly DomainFact[];
  readonly reply: Reply;
  /** The entities after the facts. */
  readonly states: ReadonlyMap<string, EntityState>;
  readonly tallied: readonly Tallied[];
  /** Expects these facts, each with at least these fields, in this order. */
  thenFacts: (expected: readonly Partial<DomainFact>[]) => Outcome;
  /** Expects a reply with at least these fields. */
  thenReply: (expected: object) => Outcome;
}

/** Entities in memory that decide commands one after another. */
export interface Harness {
  /** Everything decided so far, without what was given. */
  readonly facts: readonly DomainFact[];
  readonly states: ReadonlyMap<string, EntityState>;
  /** For functions that emit into a draft. */
  readonly draft: Draft;
  /** Throws when there is no player of that id. */
  player: (id: string) => PlayerState;
  when: (command: Command) => Outcome;
  /** Decides the timers of an entity that are due. @returns the facts */
  whenTime: (entityId: string, nowMs: number) => readonly DomainFact[];
}

/**
 * The harness of all tests of the domain: `given([...facts or states]).when(command).thenFacts([...])`.
 * Later calls of `when` see what earlier ones decided.
 */
export function given(
  before: readonly (DomainFact | EntityState)[],
  definitions: Definitions = definitionsOf(),
  limits: PlayerLimits = PLAYER_LIMITS,
): Harness {
  const states = new Map<string, EntityState>();
  const facts: DomainFact[] = [];
  const tallied: Tallied[] = [];
  const apply = (fact: DomainFact): void => {
    states.set(fact.entityId, evolve(states.get(fact.entityId), fact, limits));
  };
  for (const item of before) {
    if ('entityId' in item) apply(item);
    else states.set(item.id, item);
  }
  const draft: Draft = {
    facts,
    limits,
    get: (id) => states.get(id),
    tally: (what) => void tallied.push(what),
    emit(fact) {
      facts.push(fact);
      apply(fact);
    },
  };
  return {
    facts,
    states,
    draft,
    player(id) {
      const state = states.get(id);
      if (state?.kind !== 'player') throw new Error(`there is no player ${id}`);
      return state;
    },
    when(command) {
      const [factsBefore, talliedBefore] = [facts.length, tallied.length];
      const reply = decide(draft, command, definitions);
      return outcomeOf({ facts: facts.slice(factsBefore), reply, states, tallied: tallied.slice(talliedBefore) });
    },
    whenTime(entityId, nowMs) {
      const since = facts.length;
      decideTimers(draft, entityId, nowMs, definitions);
      return facts.slice(since);
    },
  };
}

function outcomeOf(result: Pick<Outcome, 'facts' | 'reply' | 'states' | 'tallied'>): Outcome {
  const outcome: Outcome = {
    ...result,
    thenFacts(expected) {
      expect(result.facts).toHaveLength(expected.length);
      expect(result.facts).toMatchObject(expected);
      return outcome;
    },
    thenReply(expected) {
      expect(result.reply).toMatchObject(expected);
      return outcome;
    },
  };
  return outcome;
}
