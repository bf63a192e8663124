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
  cluster: ClusterOrTrial,
  // Omitted when all are absent, as in almost every result.
  ...earlier: [
    variant: string,
    flagVersion: number,
    period: number,
    reason: number,
    stratum: number,
    cluster: ClusterOrTrial,
  ][],
];

/** 0: none. An answer of an experiment has its key and variant too; the phase is the period. */
type ClusterOrTrial = number | [cluster: number, experiment: string, variant: string];

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
    clusterOrTrial(flag),
    ...flag.earlier.map((one): ServedTuple[11] => [
      one.variant,
      one.flagVersion,
      one.period,
      REASONS.indexOf(one.reason),
      one.stratum ?? 0,
      clusterOrTrial(one),
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
    ...drawFrom(stratum, cluster, period),
    changes,
    mixed,
    earlier: earlier.map(([variant, version, ofPeriod, why, ...draw]) => ({
      variant,
      flagVersion: version,
      period: ofPeriod,
      reason: REASONS[why] ?? 'default',
      ...drawFrom(...draw, ofPeriod),
    })),
  };
}

function clusterOrTrial({ cluster = 0, trial }: Draw): ClusterOrTrial {
  return trial === undefined ? cluster : [cluster, trial.experiment, trial.variant];
}

function drawFrom(stratum: number, found: ClusterOrTrial, phase: number): Draw {
  const [cluster, experiment, variant] = typeof found === 'number' ? [found] : found;
  return {
    ...(stratum === 0 ? {} : { stratum }),
    ...(cluster === 0 ? {} : { cluster }),
    ...(experiment === undefined || variant === undefined ? {} : { trial: { experiment, phase, variant } }),
  };
}
