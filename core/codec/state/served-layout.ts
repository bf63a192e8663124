import type { FlagReason } from '../../vocabulary/facts/flag-reason.ts';
import type { ServedFlag } from '../../vocabulary/state/player.ts';

/** Layout of a served flag result. */
export type ServedTuple = [
  flagKey: string,
  flagVersion: number,
  period: number,
  variantKey: string | null,
  value: string | null,
  reason: number,
  segmentId: string | null,
  changes: number,
  mixed: boolean,
  // Omitted when all are absent, as in almost every result.
  ...earlier: [variant: string, flagVersion: number, period: number, reason: number][],
];

/** Reasons by number. Never reorder: append. */
const REASONS = [
  'default',
  'segment_match',
  'percentage_rollout',
  'flag_disabled',
  'player_override',
] as const satisfies readonly FlagReason[];

export function servedToTuple(flag: ServedFlag): ServedTuple {
  const { flagKey, flagVersion, period, variantKey, value, reason, segmentId, changes, mixed, earlier } = flag;
  return [
    flagKey,
    flagVersion,
    period,
    variantKey,
    value,
    REASONS.indexOf(reason),
    segmentId ?? null,
    changes,
    mixed,
    ...earlier.map((one): [string, number, number, number] => [
      one.variant,
      one.flagVersion,
      one.period,
      REASONS.indexOf(one.reason),
    ]),
  ];
}

export function servedFromTuple(tuple: ServedTuple): ServedFlag {
  const [flagKey, flagVersion, period, variantKey, value, reason, segmentId, changes, mixed, ...earlier] = tuple;
  return {
    flagKey,
    flagVersion,
    period,
    variantKey,
    value,
    reason: REASONS[reason] ?? 'default',
    ...(segmentId === null ? {} : { segmentId }),
    changes,
    mixed,
    earlier: earlier.map(([variant, version, ofPeriod, why]) => ({
      variant,
      flagVersion: version,
      period: ofPeriod,
      reason: REASONS[why] ?? 'default',
    })),
  };
}
