import type { AbsorbedGuest, TakeBack } from '../../../core/vocabulary/merge/merged.ts';
import type { PlayerAbsorbed } from '../../../core/vocabulary/merge/merge-facts.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { MERGE_LIMITS } from '../limits.ts';
import { keptOf } from './kept.ts';
import type { Repeated } from './totals.ts';

/** The guests of an account with a further one, and with those that this one had absorbed. */
export function unitedGuests(
  account: PlayerState,
  guest: PlayerState,
  { mergeId, mergedAt, at }: Pick<PlayerAbsorbed, 'mergeId' | 'mergedAt' | 'at'>,
  repeated: Repeated,
): readonly AbsorbedGuest[] {
  const { firstSeenAt, lastSeenAt } = account;
  const takeBack: TakeBack = { kept: keptOf(account, guest), firstSeenAt, lastSeenAt, ...repeated };
  const own = { mergeId, guestId: guest.id, guestExternalId: guest.externalId, at: mergedAt, takeBack };
  const brought = (guest.absorbed ?? []).map((one) => ({ ...withoutTakeBack(one), with: mergeId }));
  const before = (account.absorbed ?? []).map((one) => (isSettled(one, at) ? withoutTakeBack(one) : one));
  return [...before, ...brought, own];
}

/** Its owner settles it by another clock, which may be behind. */
function isSettled({ at }: AbsorbedGuest, nowMs: number): boolean {
  return at + 2 * MERGE_LIMITS.takeBackMs < nowMs;
}

function withoutTakeBack({ takeBack: _, ...guest }: AbsorbedGuest): AbsorbedGuest {
  return guest;
}

export function takeBackOf(account: PlayerState, mergeId: string): TakeBack {
  const { absorbed = [], firstSeenAt, lastSeenAt } = account;
  const found = absorbed.find((one) => one.mergeId === mergeId)?.takeBack;
  return found ?? { kept: [], firstSeenAt, lastSeenAt, revenue: 0, purchases: 0 };
}

/** Without a guest and those that came with it. Later guests are taken back to the times before this one. */
export function remainingGuests(
  account: PlayerState,
  guest: PlayerState,
  mergeId: string,
): Pick<PlayerState, 'absorbed'> {
  const before = takeBackOf(account, mergeId);
  const left = (account.absorbed ?? []).filter((one) => one.mergeId !== mergeId && one.with !== mergeId);
  if (left.length === 0) return {};
  const absorbed = left.map(({ takeBack, ...one }): AbsorbedGuest => {
    if (takeBack === undefined) return one;
    const { firstSeenAt, lastSeenAt } = takeBack;
    return {
      ...one,
      takeBack: {
        ...takeBack,
        firstSeenAt: firstSeenAt === guest.firstSeenAt ? before.firstSeenAt : firstSeenAt,
        lastSeenAt: lastSeenAt === guest.lastSeenAt ? before.lastSeenAt : lastSeenAt,
      },
    };
  });
  return { absorbed };
}
