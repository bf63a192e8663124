import { failure } from '../../core/kernel/errors.ts';
import type { Scope } from '../../core/vocabulary/documents/scope.ts';
import type { DomainFact, TestPlayersCounted } from '../../core/vocabulary/facts/facts.ts';
import type { PatchPlayer } from '../../core/vocabulary/commands/commands.ts';
import type { Context, Decision, Draft } from '../decision/decision.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { TEST_PLAYER_FIELD, testersLedgerOf } from '../../core/vocabulary/state/player.ts';
import { changePlayer } from './change.ts';

/** Patches a player. Fails with PLAYER_NOT_FOUND, or VALIDATION_ERROR if the attributes would grow too large. */
export function patchPlayer(state: PlayerState | undefined, command: PatchPlayer, context: Context): Decision {
  if (state === undefined) return { facts: [], reply: failure('PLAYER_NOT_FOUND') };
  return changePlayer(state, command, context);
}

/**
 * Adds the partition's new number of test players to a decision that marks, unmarks or erases one. Fails with CONFLICT
 * if the partition has as many as it may: every figure reads all of them.
 * @param draft without the decision's facts
 */
export function countingTestPlayers(draft: Draft, decision: Decision, { game, environment, at }: Context): Decision {
  const added = decision.facts.reduce((sum, fact) => sum + testPlayersAdded(draft, fact), 0);
  if (added === 0) return decision;
  const before = testPlayersIn(draft, { game, environment });
  const most = draft.limits.testPlayers;
  if (added > 0 && before >= most) {
    const message =
      `The game has no room for another test player: the partition of this one has ${before}; the maximum is ${most}. ` +
      'Unmark or erase others.';
    return { facts: [], reply: failure('CONFLICT', message) };
  }
  return { ...decision, facts: [...decision.facts, testPlayersCounted(before + added, { game, environment, at })] };
}

/** The test players of the partition. */
export function testPlayersIn(draft: Draft, { game, environment }: Scope): number {
  const ledger = draft.get(testersLedgerOf(game, environment));
  return ledger?.kind === 'ledger' ? (ledger.testPlayers ?? 0) : 0;
}

export function testPlayersCounted(count: number, { game, environment, at }: Context): TestPlayersCounted {
  return { kind: 'TestPlayersCounted', entityId: testersLedgerOf(game, environment), game, environment, at, count };
}

function testPlayersAdded(draft: Draft, fact: DomainFact): number {
  if (fact.kind === 'PlayerUpdated' && fact.changed.includes(TEST_PLAYER_FIELD))
    return fact.player.isTestPlayer ? 1 : -1;
  if (fact.kind !== 'PlayerErased') return 0;
  const player = draft.get(fact.entityId);
  return player?.kind === 'player' && player.isTestPlayer ? -1 : 0;
}
