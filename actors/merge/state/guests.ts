import type { AbsorbedGuest, RepeatedPurchase, TakeBack } from '../../../core/vocabulary/merge/merged.ts';
import type { PlayerAbsorbed } from '../../../core/vocabulary/merge/merge-facts.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { MERGE_LIMITS } from '../limits.ts';
import { keptName, keptOf, namesOf } from './kept.ts';

/** The guests of an account with a further one, and with those that this one had absorbed. */
export function unitedGuests(
  account: PlayerState,
  guest: PlayerState,
  { mergeId, mergedAt, at }: Pick<PlayerAbsorbed, 'mergeId' | 'mergedAt' | 'at'>,
  repeated: readonly RepeatedPurchase[],
): readonly AbsorbedGuest[] {
  const { firstSeenAt, lastSeenAt } = account;
  const takeBack: TakeBack = { kept: keptOf(account, guest), firstSeenAt, lastSeenAt, repeated };
  const own = { mergeId, guestId: guest.id, guestExternalId: guest.externalId, at: mergedAt, takeBack };
  const brought = (guest.absorbed ?? []).map((one) => ({ ...withoutTakeBack(one), with: mergeId }));
  const before = (account.absorbed ?? []).map((one) => (isSettled(one, at) ? withoutTakeBack(one) : one));
  return [...before, ...brought, own];
}

/** Its owner settles it by another clock, which may be behind. */
function isSettled({ at }: AbsorbedGuest, nowMs: number): boolean {
  return at + 2 * MERGE_LIMITS.takeBackMs < nowMs;
}

function withoutTakeBack(one: AbsorbedGuest): AbsorbedGuest {
  const { takeBack: _, ...guest } = one;
  return guest;
}

/** What is left when a guest and those that came with it are taken back. */
interface Left extends Pick<PlayerState, 'firstSeenAt' | 'lastSeenAt' | 'absorbed'> {
  /** Names of what stays: the account had it before, or another guest brought it too. */
  kept: ReadonlySet<string>;
  /** Purchases that counted for this guest, and count for another one from now on. */
  repeated: readonly RepeatedPurchase[];
}

/**
 * Another guest has what this one brought: it goes with the other one from now on. Later guests are taken back to the
 * times before this one.
 */
export function leftWithout(account: PlayerState, guest: PlayerState, mergeId: string): Left {
  const { absorbed = [], firstSeenAt, lastSeenAt } = account;
  const own = absorbed.find((one) => one.mergeId === mergeId)?.takeBack;
  const before = own ?? { kept: [], firstSeenAt, lastSeenAt, repeated: [] };
  const kept = new Set(before.kept);
  const leaving = new Set(namesOf(guest).filter((name) => !kept.has(name)));
  const repeated = [...before.repeated];
  const others = absorbed
    .filter((one) => one.mergeId !== mergeId && one.with !== mergeId)
    .map(({ takeBack, ...one }): AbsorbedGuest => {
      if (takeBack === undefined) return one;
      const mine = new Set(takeBack.kept.filter((name) => leaving.delete(name)));
      for (const name of mine) kept.add(name);
      const isMine = ({ digest }: RepeatedPurchase): boolean => mine.has(keptName('purchase', digest));
      repeated.push(...takeBack.repeated.filter(isMine));
      return {
        ...one,
        takeBack: {
          kept: takeBack.kept.filter((name) => !mine.has(name)),
          repeated: takeBack.repeated.filter((sale) => !isMine(sale)),
          firstSeenAt: takeBack.firstSeenAt === guest.firstSeenAt ? before.firstSeenAt : takeBack.firstSeenAt,
          lastSeenAt: takeBack.lastSeenAt === guest.lastSeenAt ? before.lastSeenAt : takeBack.lastSeenAt,
        },
      };
    });
  return {
    kept,
    repeated,
    firstSeenAt: firstSeenAt === guest.firstSeenAt ? before.firstSeenAt : firstSeenAt,
    lastSeenAt: lastSeenAt === guest.lastSeenAt ? before.lastSeenAt : lastSeenAt,
    ...(others.length === 0 ? {} : { absorbed: others }),
  };
}
