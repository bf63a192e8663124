import { failure, type Failure } from '../../core/kernel/errors.ts';
import type {
  BeginMerge,
  BeginUnmerge,
  CancelMerge,
  FinishMerge,
  FinishUnmerge,
} from '../../core/vocabulary/merge/merge-commands.ts';
import type { MergingReply } from '../../core/vocabulary/commands/replies.ts';
import type { EntityState, MergedState } from '../../core/vocabulary/state/state.ts';
import { encodeGuest } from '../../core/codec/stored-guest.ts';
import { playerIn, type Context, type Decision } from '../decision/decision.ts';
import { mergedIn, movedOf } from '../decision/merged.ts';
import { isRefused } from './refused.ts';
import { MERGE_LIMITS } from './limits.ts';

/* The steps of a merge that the owner of the guest decides. A repeat changes nothing and gets the same reply. */

/**
 * Merges a player into another one. Fails with PLAYER_NOT_FOUND, with VALIDATION_ERROR for itself, and with CONFLICT
 * if it is merged into another one or the merge was cancelled or taken back.
 */
export function beginMerge(state: EntityState | undefined, command: BeginMerge, context: Context): Decision {
  const { playerId, into, mergeId } = command;
  const merged = mergedIn(context, state);
  if (merged !== undefined) return unchanged(repeatedMerge(merged, command));
  const player = playerIn(context, state);
  if (player === undefined) return unchanged(failure('PLAYER_NOT_FOUND'));
  if (into.playerId === playerId) return unchanged(failure('VALIDATION_ERROR', 'A player cannot merge into itself.'));
  if (isRefused(player, mergeId)) return unchanged(failure('CONFLICT', REFUSED));
  // The kept state must name its life, and that is known once its record is stored.
  if (player.bornSeq === 0) return unchanged(failure('SERVICE_UNAVAILABLE'));
  const { game, environment, at } = context;
  const guest = { mergeId, externalId: player.externalId, into };
  return {
    facts: [{ kind: 'PlayerMerged', entityId: playerId, game, environment, at, ...guest }],
    reply: { kind: 'merging', playerId, ...guest, stage: 'moving', at, guest: encodeGuest(player) },
  };
}

function repeatedMerge(merged: MergedState, { into }: BeginMerge): MergingReply | Failure {
  // While it is being taken back, whoever wants another merge ends that first.
  if (merged.stage === 'leaving' || merged.into.playerId === into.playerId) return mergingOf(merged);
  const message =
    `The player is merged into ${JSON.stringify(merged.into.externalId)} already. Merge that one, or take the merge ` +
    'back first.';
  return failure('CONFLICT', message);
}

export const REFUSED = 'The merge was cancelled or taken back. Begin a new one.';

export function finishMerge(state: EntityState | undefined, command: FinishMerge, context: Context): Decision {
  const merged = mergedIn(context, state);
  if (merged?.mergeId !== command.mergeId) return unchanged(noSuchMerge());
  const { leavingAt: _, ...finished }: MergingReply = { ...mergingOf(merged), stage: 'moved' };
  if (merged.stage === 'leaving' && merged.leavingAt !== command.leavingAt)
    return unchanged(failure('CONFLICT', 'The merge is being taken back.'));
  if (merged.stage !== 'moving' && merged.stage !== 'leaving') return unchanged(mergingOf(merged));
  return { facts: [{ kind: 'MergeFinished', ...baseOf(merged, context) }], reply: finished };
}

/** Only after the account has promised not to absorb the guest (`ReleaseGuest`), or its life has ended. */
export function cancelMerge(state: EntityState | undefined, command: CancelMerge, context: Context): Decision {
  return leave('MergeCancelled', ['moving'], state, command, context);
}

/** Begins to take a merge back. Fails with CONFLICT once it is too late. */
export function beginUnmerge(state: EntityState | undefined, command: BeginUnmerge, context: Context): Decision {
  const merged = mergedIn(context, state);
  if (merged === undefined) {
    const isPlayer = playerIn(context, state) !== undefined;
    return unchanged(isPlayer ? failure('CONFLICT', 'The player is not merged.') : failure('PLAYER_NOT_FOUND'));
  }
  if (command.mergeId !== undefined && command.mergeId !== merged.mergeId) return unchanged(noSuchMerge());
  if (merged.stage === 'leaving') return unchanged(mergingOf(merged));
  const until = merged.at + MERGE_LIMITS.takeBackMs;
  if (merged.stage === 'settled' || context.at >= until) return unchanged(failure('CONFLICT', tooLate(until)));
  return {
    facts: [{ kind: 'UnmergeBegun', ...baseOf(merged, context) }],
    reply: { ...mergingOf(merged), stage: 'leaving', leavingAt: context.at },
  };
}

const tooLate = (untilMs: number): string =>
  `The merge could be taken back until ${new Date(untilMs).toISOString()}. Correct the account instead.`;

/** Only after the account has released the guest. */
export function finishUnmerge(state: EntityState | undefined, command: FinishUnmerge, context: Context): Decision {
  return leave('PlayerUnmerged', ['leaving'], state, command, context);
}

function leave(
  kind: 'MergeCancelled' | 'PlayerUnmerged',
  stages: readonly MergedState['stage'][],
  state: EntityState | undefined,
  { mergeId }: { mergeId: string },
  context: Context,
): Decision {
  const player = playerIn(context, state);
  if (player !== undefined && isRefused(player, mergeId)) return unchanged({ kind: 'noted' });
  const merged = mergedIn(context, state);
  if (merged?.mergeId !== mergeId) return unchanged(noSuchMerge());
  if (!stages.includes(merged.stage)) {
    return unchanged(failure('CONFLICT', `The merge is ${merged.stage}; begin to take it back first.`));
  }
  return { facts: [{ kind, ...baseOf(merged, context) }], reply: { kind: 'noted' } };
}

function baseOf({ id: entityId, mergeId, externalId, into }: MergedState, { game, environment, at }: Context) {
  return { entityId, game, environment, at, mergeId, externalId, into };
}

function mergingOf(merged: MergedState): MergingReply {
  const { externalId, at, guest, leavingAt } = merged;
  const leaving = leavingAt === undefined ? {} : { leavingAt };
  return { kind: 'merging', ...movedOf(merged), externalId, at, guest, ...leaving };
}

const noSuchMerge = (): Failure => failure('CONFLICT', 'The player is not merged by this merge.');

export function unchanged(reply: Decision['reply']): Decision {
  return { facts: [], reply };
}
