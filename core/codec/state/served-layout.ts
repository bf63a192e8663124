import type { Draw, FlagReason } from '../../vocabulary/facts/flag-reason.ts';
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
  // 0: none.
  stratum: number,
  cluster: number,
  // Omitted when all are absent, as in almost every result.
  ...earlier: [
    variant: string,
    flagVersion: number,
    period: number,
    reason: number,
    stratum: number,
    cluster: number,
  ][],
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
  const { flagKey, flagVersion, period, variantKey, value, reason, segmentId, changes, mixed } = flag;
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
    flag.stratum ?? 0,
    flag.cluster ?? 0,
    ...flag.earlier.map((one): ServedTuple[11] => [
      one.variant,
      one.flagVersion,
      one.period,
      REASONS.indexOf(one.reason),
      one.stratum ?? 0,
      one.cluster ?? 0,
    ]),
  ];
}

export function servedFromTuple(tuple: ServedTuple): ServedFlag {
  const [flagKey, flagVersion, period, variantKey, value, reason, segmentId, changes, mixed, ...drawn] = tuple;
  const [stratum, cluster, ...earlier] = drawn;
  return {
    flagKey,
    flagVersion,
    period,
    variantKey,
    value,
    reason: REASONS[reason] ?? 'default',
    ...(segmentId === null ? {} : { segmentId }),
    ...drawFrom(stratum, cluster),
    changes,
    mixed,
    earlier: earlier.map(([variant, version, ofPeriod, why, ...draw]) => ({
      variant,
      flagVersion: version,
      period: ofPeriod,
      reason: REASONS[why] ?? 'default',
      ...drawFrom(...draw),
    })),
  };
}

function drawFrom(stratum: number, cluster: number): Draw {
  return { ...(stratum === 0 ? {} : { stratum }), ...(cluster === 0 ? {} : { cluster }) };
}
