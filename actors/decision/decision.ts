import type { Definitions } from './definitions.ts';
import type { Targeting } from './targeting.ts';

import type { Adjustable } from '../../core/kernel/adjustable.ts';
import type { PLAYER_LIMITS } from './limits.ts';
import type { DomainFact } from '../../core/vocabulary/facts/facts.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import type { EntityState, PlayerState } from '../../core/vocabulary/state/state.ts';
import type { CallerKind, Scope } from '../../core/vocabulary/documents/scope.ts';

/** The result of a command. Without facts nothing changes. */
export interface Decision {
  facts: DomainFact[];
  reply: Reply;
}

/** When and from which caller a command was received, and its scope. `at` is epoch milliseconds. */
export interface Context extends Scope {
  at: number;
  /** Absent when the kind of the caller is unknown, or for commands of the owner itself. */
  by?: CallerKind;
}

/** The inputs of one command's decision beside its body. */
export interface Step {
  draft: Draft;
  context: Context;
  definitions: Definitions;
  /** The definitions of the command's game and environment. */
  targeting: () => Targeting;
  /** Emits the consequences of the facts so far, so that the reply includes them. */
  react: () => void;
}

/** Bounds that affect decisions about a player. All owners use the same values, or replays would differ. */
export type PlayerLimits = Adjustable<typeof PLAYER_LIMITS>;

/** The bounds that `evolve` applies. */
export type EvolveLimits = Pick<
  PlayerLimits,
  | 'interventionsPerPlayer'
  | 'interventionOffers'
  | 'recentEvents'
  | 'eventBlock'
  | 'eventIds'
  | 'eventIdMs'
  | 'eventIdBytes'
  | 'eventIdMostBytes'
  | 'eventBlockBytes'
>;

/** The partition's entities as a command reads them. A read includes everything emitted before it. */
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

/** The player, if it exists in the caller's game and environment. A player of another tenant is reported as missing. */
export function playerIn(scope: Scope, state: EntityState | undefined): PlayerState | undefined {
  if (state?.kind !== 'player') return undefined;
  return state.game === scope.game && state.environment === scope.environment ? state : undefined;
}
