import type { FieldFault } from '../../../core/kernel/errors.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { ExposeFlag } from '../../../core/vocabulary/commands/commands.ts';
import type { FlagReason, Trial } from '../../../core/vocabulary/facts/flag-reason.ts';
import { shownAs } from './expose-tracked.ts';
import { isAssigned } from '../experiment/trials.ts';
import { armsOf } from '../periods.ts';

/** What a server reports of an evaluation in its own process. */
export interface ReportedExposure {
  flagVersion: number;
  /** The variant's key, or the value of a boolean flag; null: the default of another flag. */
  variant: string | null;
  reason: FlagReason;
  segmentId: string | undefined;
  /** The experiment that decided it. */
  trial?: Trial | undefined;
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
  { flagVersion, variant, reason, segmentId, trial }: ReportedExposure,
): Reported {
  const { periods } = flag;
  if (trial !== undefined && !isVariantOf(flag, trial)) return invalid('/experiment/variant_key', NO_ARM);
  // A flag stored without periods has only one.
  const held = flag.periods === undefined ? periods[0] : periods.findLast(({ version }) => version <= flagVersion);
  if (held === undefined) return invalid('/flag_version', TOO_OLD);
  const arms = held === periods.at(-1) ? armsOf(flag) : held.arms;
  const isBoolean = flag.flagType === 'boolean';
  if (variant === null ? isBoolean : arms !== undefined && !arms.some(({ variantKey }) => variantKey === variant)) {
    return invalid('/variant_key', isBoolean ? NO_VALUE : NO_VARIANT);
  }
  const period = trial?.phase ?? held.period;
  const shown = shownAs(variant, flag, period, trial);
  const more = { ...(segmentId === undefined ? {} : { segmentId }), ...(trial && { trial }) };
  const what = { flagKey: flag.key, flagVersion, period, ...shown, reason, ...more };
  return { kind: 'exposure', exposure: { ...what, attribution: 'local' } };
}

function isVariantOf(flag: FlagDocument, trial: Trial): boolean {
  return !isAssigned(trial) || armsOf(flag).some(({ variantKey }) => variantKey === trial.variant);
}

const NO_ARM = 'must be the key of a variant of the flag, `holdout` or `dropped`';
const TOO_OLD = 'is older than the periods that the flag keeps; get the definitions again';
const NO_VALUE = 'must be "true" or "false", because the flag is boolean';
const NO_VARIANT = 'must be the key of a variant of the flag, or null for its default';

function invalid(path: string, message: string): Reported {
  return { kind: 'invalid', fault: { path, message } };
}
