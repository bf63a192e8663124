import type { Definitions } from './definitions.ts';
import type { Targeting } from './targeting.ts';

import type { Limits } from '../src/kernel/limits.ts';
import type { DomainFact } from './vocabulary/facts.ts';
import type { Reply } from './vocabulary/replies.ts';
import type { EntityState, PlayerState } from './vocabulary/state.ts';
import type { CallerKind, Scope } from './vocabulary/scope.ts';

/** What a command leads to. No facts: nothing changes. */
export interface Decision {
  facts: DomainFact[];
  reply: Reply;
}

/** Where, when and from whom a command was received. `at` is epoch milliseconds. */
export interface Context extends Scope {
  at: number;
  /** Absent when the kind of the caller is not known, or the owner itself acts. */
  by?: CallerKind;
}

/** What deciding one command takes beside its body. */
export interface Step {
  draft: Draft;
  context: Context;
  definitions: Definitions;
  /** The definitions of the command's game and environment. */
  targeting: () => Targeting;
  /** Emits what follows from the facts so far, so that the reply shows it. */
  react: () => void;
}

/** The bounds that decide what happens to a player; the same for all owners, or replays would differ. */
export type PlayerLimits = Pick<
  Limits,
  | 'segmentJitterMs'
  | 'servedChanges'
  | 'interventionsPerDay'
  | 'interventionsPerPlayer'
  | 'interventionOffers'
  | 'campaignFactsPerCommand'
>;

/** The bounds that `evolve` applies. */
export type EvolveLimits = Pick<PlayerLimits, 'interventionsPerPlayer' | 'interventionOffers'>;

/** The partition's entities as a command sees them: what was emitted before is already in what is read after. */
export interface Draft {
  /** Everything emitted so far. */
  readonly facts: readonly DomainFact[];
  readonly limits: PlayerLimits;
  get(entityId: string): EntityState | undefined;
  emit(fact: DomainFact): void;
  /** Counts events that leave no fact, for the metrics. Absent without metrics. */
  tally?(what: Tallied): void;
}

/** `unattributed`: an event with a flag_key but no recorded or named variant. */
export type Tallied = 'unattributed';

/** The player, if it exists and belongs to the caller's game and environment. Another's looks like none at all. */
export function playerIn(scope: Scope, state: EntityState | undefined): PlayerState | undefined {
  if (state?.kind !== 'player') return undefined;
  return state.game === scope.game && state.environment === scope.environment ? state : undefined;
}
