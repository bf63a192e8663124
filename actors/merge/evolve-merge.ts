import { decodeGuest, encodeGuest } from '../../core/codec/stored-guest.ts';
import type { DomainFact } from '../../core/vocabulary/facts/facts.ts';
import type {
  GuestReleased,
  MergeCancelled,
  MergeFinished,
  MergeSettled,
  PlayerAbsorbed,
  PlayerMerged,
  PlayerUnmerged,
  UnmergeBegun,
} from '../../core/vocabulary/merge/merge-facts.ts';
import type { EntityState, PlayerState, MergedState } from '../../core/vocabulary/state/state.ts';
import type { EvolveLimits } from '../decision/decision.ts';
import { FactOrderError } from '../decision/evolve-player.ts';
import { withRefused } from './refused.ts';
import { united } from './state/united.ts';
import { separated } from './state/separated.ts';

export function playerMerged(state: PlayerState, fact: PlayerMerged): MergedState {
  const { id, game, environment, externalId, absorbed = [], refused = [], quarantine } = state;
  return {
    kind: 'merged',
    id,
    game,
    environment,
    externalId,
    into: fact.into,
    mergeId: fact.mergeId,
    at: fact.at,
    stage: 'moving',
    guest: encodeGuest(state),
    absorbed: absorbed.map(({ mergeId }) => mergeId),
    refused,
    quarantined: quarantine.last,
    keys: [],
    lastSeq: 0,
  };
}

export function playerAbsorbed(state: PlayerState, fact: PlayerAbsorbed, limits: EvolveLimits): PlayerState {
  return united(state, decodeGuest(fact.guest), fact, limits);
}

export const mergeFinished = evolvesMerged<MergeFinished>((merged) => {
  const { leavingAt: _, ...state } = merged;
  return { ...state, stage: 'moved' };
});
export const unmergeBegun = evolvesMerged<UnmergeBegun>((state, { at }) => ({
  ...state,
  stage: 'leaving',
  leavingAt: at,
}));
export const mergeSettled = evolvesMerged<MergeSettled>((state) => ({
  ...state,
  stage: 'settled',
  guest: new Uint8Array(),
}));
export const mergeCancelled = evolvesMerged<MergeCancelled>(playerAgain);
export const playerUnmerged = evolvesMerged<PlayerUnmerged>(playerAgain);

/** The guest as it was. It refuses this merge, and those that it refused while it was merged. */
function playerAgain({ guest, refused, lastSeq }: MergedState, { mergeId }: { mergeId: string }): PlayerState {
  return { ...decodeGuest(guest), refused: withRefused(refused, mergeId), lastSeq };
}

/** A merged account refuses the guest too: it may be a player again. */
export function guestReleased(state: EntityState | undefined, fact: GuestReleased): EntityState {
  if (state?.kind !== 'player' && state?.kind !== 'merged') throw notMerged(fact);
  const refused = withRefused(state.refused, fact.mergeId);
  if (state.kind === 'merged' || fact.guest.length === 0) return { ...state, refused };
  return { ...separated(state, decodeGuest(fact.guest), fact), refused };
}

function evolvesMerged<F extends DomainFact>(evolve: (merged: MergedState, fact: F) => EntityState) {
  return (state: EntityState | undefined, fact: F): EntityState => {
    if (state?.kind === 'merged') return evolve(state, fact);
    throw notMerged(fact);
  };
}

function notMerged({ kind, entityId }: DomainFact): FactOrderError {
  return new FactOrderError(`${kind} for ${entityId}, which is not merged`);
}
