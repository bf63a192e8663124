import type { FieldFault } from '../../../core/kernel/errors.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { ExposeFlag } from '../../../core/vocabulary/commands/commands.ts';
import type { FlagReason } from '../../../core/vocabulary/facts/flag-reason.ts';
import { shownAs } from './expose-tracked.ts';
import { armsOf } from '../periods.ts';

/** What a server reports of an evaluation in its own process. */
export interface ReportedExposure {
  flagVersion: number;
  /** The variant's key, or the value of a boolean flag; null: the default of another flag. */
  variant: string | null;
  reason: FlagReason;
  segmentId: string | undefined;
}

export type Reported =
  | { kind: 'exposure'; exposure: Omit<ExposeFlag, 'kind' | 'playerId'> }
  /** Paths are below the reported exposure, as on the wire. */
  | { kind: 'invalid'; fault: FieldFault };

/**
 * The exposure of an evaluation by a server. It counts in the period of the definitions that the server held, so that
 * one which is a little behind does not mix periods.
 */
export function reportedExposure(
  flag: FlagDocument,
  { flagVersion, variant, reason, segmentId }: ReportedExposure,
): Reported {
  const { periods } = flag;
  // A flag stored without periods has only one.
  const held = flag.periods === undefined ? periods[0] : periods.findLast(({ version }) => version <= flagVersion);
  if (held === undefined) return invalid('/flag_version', TOO_OLD);
  const arms = held === periods.at(-1) ? armsOf(flag) : held.arms;
  const isBoolean = flag.flagType === 'boolean';
  if (variant === null ? isBoolean : arms !== undefined && !arms.some(({ variantKey }) => variantKey === variant)) {
    return invalid('/variant_key', isBoolean ? NO_VALUE : NO_VARIANT);
  }
  const { period } = held;
  const shown = shownAs(variant, flag, period);
  const segment = segmentId === undefined ? {} : { segmentId };
  const what = { flagKey: flag.key, flagVersion, period, ...shown, reason, ...segment };
  return { kind: 'exposure', exposure: { ...what, attribution: 'local' } };
}

const TOO_OLD = 'is older than the periods that the flag keeps; get the definitions again';
const NO_VALUE = 'must be "true" or "false", because the flag is boolean';
const NO_VARIANT = 'must be the key of a variant of the flag, or null for its default';

function invalid(path: string, message: string): Reported {
  return { kind: 'invalid', fault: { path, message } };
}
