import type { FlagExposure } from '../../../core/vocabulary/state/player.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { fieldsOf } from './fields.ts';

/*
 * What an account had before it absorbed a guest that has the same. It stays when the merge is taken back; the rest of
 * what the guest brought goes.
 */
export type Kept = ReadonlySet<string>;

/** One list of a player's state whose items have names. Both players may have the same one. */
const NAMED = {
  attribute: ({ attributes }: PlayerState) => fieldsOf(attributes).map(([name]) => name),
  override: ({ overrides }: PlayerState) => overrides.map(({ flagKey }) => flagKey),
  exposure: ({ exposures }: PlayerState) => exposures.map(exposureName),
  flag: ({ servedFlags }: PlayerState) => servedFlags.map(({ flagKey }) => flagKey),
  load: ({ lists = [] }: PlayerState) =>
    lists.flatMap(({ segmentId, loads }) => loads.map((one) => loadName(segmentId, one))),
  purchase: ({ recordedPurchases }: PlayerState) => recordedPurchases.map(({ digest }) => digest),
  refund: ({ recordedRefunds = [] }: PlayerState) => recordedRefunds.map(({ digest }) => digest),
  session: ({ sessions }: PlayerState) => sessions.map(({ sessionId }) => sessionId),
  intervention: ({ interventions }: PlayerState) => interventions.map(({ interventionId }) => interventionId),
  field: ({ email, deviceId, device, isTestPlayer }: PlayerState) => [
    ...(email === null ? [] : ['email']),
    ...(deviceId === null ? [] : ['deviceId']),
    ...(device === null ? [] : ['device']),
    ...(isTestPlayer ? ['isTestPlayer'] : []),
  ],
} as const;

type Named = keyof typeof NAMED;

export function exposureName({ flagKey, flagVersion, period, variantKey, drawn, experiment }: FlagExposure): string {
  return JSON.stringify([flagKey, period === 0 ? flagVersion : 0, period, variantKey, drawn, experiment ?? null]);
}

export const loadName = (segmentId: string, load: string): string => JSON.stringify([segmentId, load]);

export const keptName = (list: Named, name: string): string => `${list}:${name}`;

/** The names of what both have. */
export function keptOf(account: PlayerState, guest: PlayerState): string[] {
  const ofAccount = new Set(namesOf(account));
  return namesOf(guest).filter((name) => ofAccount.has(name));
}

/** The names of all that a player has. */
export function namesOf(player: PlayerState): string[] {
  return Object.entries(NAMED).flatMap(([list, namesIn]) => namesIn(player).map((name) => `${list}:${name}`));
}

/** Whether a thing goes when the merge is taken back: the guest brought it, and the account had none of that name. */
export function goes(list: Named, guest: PlayerState, kept: Kept): (name: string) => boolean {
  const brought = new Set(NAMED[list](guest));
  return (name) => brought.has(name) && !kept.has(keptName(list, name));
}

/** The account's items, and those of the guest whose names it has not. */
export function both<T>(ofGuest: readonly T[], ofAccount: readonly T[], nameOf: (item: T) => string): T[] {
  const names = new Set(ofAccount.map(nameOf));
  return [...ofGuest.filter((item) => !names.has(nameOf(item))), ...ofAccount];
}
