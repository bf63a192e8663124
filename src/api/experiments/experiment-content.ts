import type { ExperimentContent } from '../../../actors/flags/experiment/draft.ts';
import type { FieldFault } from '../../../core/kernel/errors.ts';
import { parseTimestamp } from '../../../core/kernel/text/timestamp.ts';
import type { ChosenMetric } from '../../../core/vocabulary/documents/experiments.ts';
import { bucketByOf } from '../../../core/vocabulary/documents/flag-serve.ts';
import { metricOf } from '../flags/results/metric-fields.ts';
import type { ExperimentPatch } from './experiment-resource.ts';

/* Converts bodies of requests into the parts of an experiment that callers set. */

/** Merges a body into an experiment: missing fields keep the value in `kept`, null takes the default in `empty`. */
export function contentOf(body: ExperimentPatch, kept: ExperimentContent, empty: ExperimentContent): ExperimentContent {
  return {
    name: over(body.name, kept.name, empty.name, same),
    hypothesis: over(body.hypothesis, kept.hypothesis, empty.hypothesis, same),
    flagKey: body.flag_key ?? kept.flagKey,
    mode: body.mode ?? kept.mode,
    audience: over(body.audience, kept.audience, empty.audience, ({ segment_id: segmentId = null, conditions }) => ({
      segmentId,
      ...(conditions === undefined ? {} : { conditions }),
    })),
    traffic: over(body.traffic, kept.traffic, empty.traffic, same),
    variants: body.variants?.map(({ key, weight }) => ({ key, weight })) ?? kept.variants,
    bucketBy: over(body.bucket_by, kept.bucketBy, empty.bucketBy, bucketByOf),
    salt: body.salt ?? kept.salt,
    layer: over(body.layer, kept.layer, empty.layer, ({ key, from, to }) => ({ key, from, to })),
    primary: over(body.primary, kept.primary, empty.primary, chosen),
    guardrails: over(body.guardrails, kept.guardrails, empty.guardrails, (guardrails) =>
      guardrails.map(({ metric, worse, margin = 0, action }) => ({ metric: chosen(metric), worse, margin, action })),
    ),
    plan: over(
      body.plan,
      kept.plan,
      empty.plan,
      ({ alpha = empty.plan.alpha, power = empty.plan.power, mde = null, ends_at: endsAt = null }) => ({
        alpha,
        power,
        mde,
        endsAt: endsAt === null ? null : (parseTimestamp(endsAt) ?? null),
      }),
    ),
  };
}

function over<W, D>(wire: W | null | undefined, kept: D, empty: D, read: (wire: W) => D): D {
  if (wire === undefined) return kept;
  return wire === null ? empty : read(wire);
}

const same = <T>(value: T): T => value;

type WireMetric = NonNullable<ExperimentPatch['primary']>;

const chosen = ({ aggregate = 'conversion', ...rest }: WireMetric): ChosenMetric => ({ aggregate, ...rest });

/** What is wrong with the metrics of a body, as requests for results would say it. */
export function metricFaults({ primary, guardrails }: Pick<ExperimentPatch, 'primary' | 'guardrails'>): FieldFault[] {
  const faults: FieldFault[] = [];
  if (primary !== undefined && primary !== null) metricOf(primary, '/primary/', faults);
  for (const [place, { metric }] of (guardrails ?? []).entries()) {
    metricOf(metric, `/guardrails/${place}/metric/`, faults);
  }
  return faults;
}
