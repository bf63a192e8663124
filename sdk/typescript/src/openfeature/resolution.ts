import type { FlagState } from '../flags/answers.ts';

/*
 * What a flag is in OpenFeature's terms, for both providers. Names codes and reasons by their texts, so that no SDK has
 * to be there.
 */

/** The types that OpenFeature can ask for. */
export type WantedType = 'boolean' | 'string' | 'number' | 'object';

export type ErrorCode =
  | 'FLAG_NOT_FOUND'
  | 'TYPE_MISMATCH'
  | 'GENERAL'
  | 'INVALID_CONTEXT'
  | 'PROVIDER_NOT_READY'
  | 'TARGETING_KEY_MISSING';

export interface Resolved {
  value: unknown;
  variant?: string;
  reason: string;
  flagMetadata: Readonly<Record<string, string | number | boolean>>;
  errorCode?: ErrorCode;
  errorMessage?: string;
}

/** As the service's OFREP endpoints answer. */
const REASONS: Readonly<Record<string, string>> = {
  default: 'STATIC',
  segment_match: 'TARGETING_MATCH',
  player_override: 'TARGETING_MATCH',
  percentage_rollout: 'SPLIT',
  flag_disabled: 'DISABLED',
};

/** @param isFresh false: the flag is of an earlier session or before a failed request */
export function resolve(
  flagKey: string,
  flag: FlagState | undefined,
  wanted: WantedType,
  fallback: unknown,
  isFresh: boolean,
): Resolved {
  const failed = (
    errorCode: NonNullable<Resolved['errorCode']>,
    errorMessage: string,
    flagMetadata = {},
  ): Resolved => ({
    value: fallback,
    reason: 'ERROR',
    errorCode,
    errorMessage,
    flagMetadata,
  });
  if (flag === undefined) return failed('FLAG_NOT_FOUND', `The service does not know the flag \`${flagKey}\`.`);
  const { value, variant, enabled, reason = 'default' } = flag;
  const flagMetadata = { reason, enabled };
  if (value === undefined) {
    return failed('GENERAL', `The service left the value of \`${flagKey}\` out: request fewer flags.`, flagMetadata);
  }
  const why = isFresh ? (REASONS[reason] ?? 'UNKNOWN') : 'STALE';
  // OpenFeature has no null: a flag that serves none leaves the choice to the code.
  if (value === null)
    return { value: fallback, reason: isFresh && reason === 'default' ? 'DEFAULT' : why, flagMetadata };
  const type = typeof value;
  if (type !== wanted) {
    return failed('TYPE_MISMATCH', `\`${flagKey}\` serves a value of the type ${type}, not ${wanted}.`, flagMetadata);
  }
  return { value, ...(variant !== undefined && { variant }), reason: why, flagMetadata };
}

/** Whether an experiment counts the resolution: the player gets what the flag serves by its rules or its default. */
export function isExposure({ errorCode, flagMetadata: { reason } }: Resolved): boolean {
  return errorCode === undefined && reason !== 'flag_disabled' && reason !== 'player_override';
}
