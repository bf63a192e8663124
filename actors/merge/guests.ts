import type { AbsorbedGuest } from '../../core/vocabulary/merge/merged.ts';
import type { PlayerAbsorbed } from '../../core/vocabulary/merge/merge-facts.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';

/** The guests of an account with a further one, and the guests that this one had absorbed. */
export function unitedGuests(
  { absorbed = [] }: PlayerState,
  guest: PlayerState,
  { mergeId, mergedAt }: Pick<PlayerAbsorbed, 'mergeId' | 'mergedAt'>,
): readonly AbsorbedGuest[] {
  const own = { mergeId, guestId: guest.id, guestExternalId: guest.externalId, at: mergedAt };
  const brought = (guest.absorbed ?? []).map((one) => ({ ...one, with: mergeId }));
  return [...absorbed, ...brought, own];
}

/** Without a guest and those that came with it. */
export function remainingGuests({ absorbed = [] }: PlayerState, mergeId: string): readonly AbsorbedGuest[] {
  return absorbed.filter((one) => one.mergeId !== mergeId && one.with !== mergeId);
}
