import type { FlagExposure, ServedFlag } from '../../../core/vocabulary/state/player.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { FLAG_LIMITS } from '../../flags/limits.ts';
import { both, exposureName, goes, type Kept } from './kept.ts';

type Flags = Pick<PlayerState, 'overrides' | 'exposures' | 'servedFlags'>;

/**
 * Overrides and served variants of the account win; the guest's fill gaps. So experiments keep their assignment. Other
 * flags are evaluated for the account: only experiments read served variants. An exposure of both is one, so that it
 * counts no second time: results take the first one in time from the rows.
 */
export function unitedFlags(account: PlayerState, guest: PlayerState): Flags {
  return {
    overrides: both(guest.overrides, account.overrides, ({ flagKey }) => flagKey).slice(
      -FLAG_LIMITS.overridesPerPlayer,
    ),
    exposures: both(guest.exposures, account.exposures, exposureName).slice(-FLAG_LIMITS.exposuresPerPlayer),
    servedFlags: inOrder(
      both(guest.servedFlags, account.servedFlags, ({ flagKey }) => flagKey).slice(-FLAG_LIMITS.servedFlags),
    ),
  };
}

export function separatedFlags(account: PlayerState, guest: PlayerState, kept: Kept): Flags {
  const overrideGoes = goes('override', guest, kept);
  const exposureGoes = goes('exposure', guest, kept);
  const flagGoes = goes('flag', guest, kept);
  const brought = new Map(guest.overrides.map(({ flagKey, value }) => [flagKey, value]));
  const served = new Map(guest.servedFlags.map((flag) => [flag.flagKey, flag]));
  return {
    overrides: account.overrides.filter(
      ({ flagKey, value }) => !(overrideGoes(flagKey) && brought.get(flagKey) === value),
    ),
    exposures: account.exposures.filter((exposure: FlagExposure) => !exposureGoes(exposureName(exposure))),
    servedFlags: account.servedFlags.filter(
      (flag) => !(flagGoes(flag.flagKey) && isSame(flag, served.get(flag.flagKey))),
    ),
  };
}

function isSame(one: ServedFlag, other: ServedFlag | undefined): boolean {
  return one.variantKey === other?.variantKey && one.period === other.period && one.changes === other.changes;
}

function inOrder(flags: readonly ServedFlag[]): readonly ServedFlag[] {
  return flags.toSorted((one, other) => (one.flagKey < other.flagKey ? -1 : 1));
}
