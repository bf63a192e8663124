import { failure } from '../../core/kernel/errors.ts';
import { decodeGuest, encodeGuest } from '../../core/codec/stored-guest.ts';
import type { AbsorbPlayer, ReleaseGuest } from '../../core/vocabulary/merge/merge-commands.ts';
import type { EntityState, PlayerState } from '../../core/vocabulary/state/state.ts';
import { playerIn, type Context, type Decision, type Draft } from '../decision/decision.ts';
import { propertiesLedgerOf, type ActiveProperties } from '../../core/vocabulary/documents/computed.ts';
import { STATE_LIMITS } from '../../core/vocabulary/limits.ts';
import { inPartition } from './state/computed.ts';
import { mergedIn, movedOf } from '../decision/merged.ts';
import { REFUSED, unchanged } from './guest-steps.ts';
import { MERGE_LIMITS } from './limits.ts';
import { isRefused } from './refused.ts';

/* The steps of a merge that the owner of the account decides. A repeat changes nothing and gets the same reply. */

/**
 * Takes over a guest's state. Fails with PLAYER_NOT_FOUND if that life of the account has ended, and with CONFLICT if
 * the merge was cancelled or the account has too many guests. An account that was merged itself replies `moved`: it
 * absorbs the guest only if it is a player again, so the merge has to be cancelled.
 */
export function absorbPlayer(
  state: EntityState | undefined,
  command: AbsorbPlayer,
  context: Context,
  draft: Draft,
): Decision {
  const { playerId, mergeId, mergedAt } = command;
  const merged = mergedIn(context, state);
  if (merged !== undefined) {
    if (merged.absorbed.includes(mergeId)) return unchanged({ kind: 'absorbed', playerId, mergeId });
    if (isRefused(merged, mergeId)) return unchanged(failure('CONFLICT', REFUSED));
    return unchanged({ kind: 'moved', ...movedOf(merged) });
  }
  const player = playerIn(context, state);
  if (player?.bornSeq === 0) return unchanged(failure('SERVICE_UNAVAILABLE'));
  if (player === undefined || player.bornSeq !== command.life) return unchanged(failure('PLAYER_NOT_FOUND'));
  if (hasAbsorbed(player, mergeId)) return unchanged({ kind: 'absorbed', playerId, mergeId });
  if (isRefused(player, mergeId)) return unchanged(failure('CONFLICT', REFUSED));
  const guest = inPartition(decodeGuest(command.guest), propertiesHere(draft, context));
  if (guest.id === playerId) return unchanged(failure('CONFLICT', 'A player cannot absorb itself.'));
  const guests = (player.absorbed?.length ?? 0) + 1 + (guest.absorbed?.length ?? 0);
  if (guests > MERGE_LIMITS.guestsPerAccount) return unchanged(failure('CONFLICT', tooManyGuests(guests)));
  const revenue = player.totalRevenue + guest.totalRevenue;
  if (revenue > STATE_LIMITS.totalRevenue) return unchanged(failure('CONFLICT', 'The revenue of both is too large.'));
  const { game, environment, at } = context;
  const base = { entityId: playerId, game, environment, at, mergeId, externalId: player.externalId };
  const of = { guestId: guest.id, guestExternalId: guest.externalId, mergedAt, guest: encodeGuest(guest) };
  return { facts: [{ kind: 'PlayerAbsorbed', ...base, ...of }], reply: { kind: 'absorbed', playerId, mergeId } };
}

const tooManyGuests = (guests: number): string =>
  `The account would have ${guests} guests, those of its guests included; the maximum is ` +
  `${MERGE_LIMITS.guestsPerAccount}. Merge into another account.`;

/**
 * Gives back what a guest had brought. An account that has not absorbed it refuses it from then on. Fails with CONFLICT
 * if the account was merged itself since.
 */
export function releaseGuest(
  state: EntityState | undefined,
  command: ReleaseGuest,
  context: Context,
  draft: Draft,
): Decision {
  const { playerId, mergeId } = command;
  const holder = mergedIn(context, state) ?? playerIn(context, state);
  // A life that has ended never absorbs a guest.
  if (holder === undefined || isRefused(holder, mergeId)) return unchanged({ kind: 'noted' });
  if (holder.kind === 'merged' && holder.absorbed.includes(mergeId)) {
    const message = 'The account was merged itself since. Take that merge back first.';
    return unchanged(failure('CONFLICT', message));
  }
  const absorbed = holder.kind === 'player' && hasAbsorbed(holder, mergeId);
  const guest = inPartition(decodeGuest(command.guest), propertiesHere(draft, context));
  const { game, environment, at } = context;
  const base = { entityId: playerId, game, environment, at, mergeId, externalId: holder.externalId };
  const of = { guestId: guest.id, guestExternalId: guest.externalId };
  const released = { ...base, ...of, guest: absorbed ? encodeGuest(guest) : new Uint8Array() };
  return { facts: [{ kind: 'GuestReleased', ...released }], reply: { kind: 'noted' } };
}

/** The properties that the account's partition counts. */
function propertiesHere(draft: Draft, { game, environment }: Context): ActiveProperties | undefined {
  const ledger = draft.get(propertiesLedgerOf(game, environment));
  return ledger?.kind === 'ledger' ? ledger.properties : undefined;
}

function hasAbsorbed({ absorbed = [] }: PlayerState, mergeId: string): boolean {
  return absorbed.some((one) => one.mergeId === mergeId);
}
