import { FLAG_API_LIMITS } from '../../flags/limits.ts';
import type { Analytics } from '../../../../clickhouse-schema/queries/analytics.ts';
import { EVENT_QUERY_LIMITS } from '../../../../clickhouse-schema/queries/events/limits.ts';
import type { ArrivalDay } from '../../../../clickhouse-schema/queries/experiments/experiment-arrivals.ts';
import type { ExperimentPeriod } from '../../../../clickhouse-schema/queries/experiments/experiment-query.ts';
import type {
  MeasuredGroup,
  MeasuredMetric,
  MeasuredPlayers,
} from '../../../../clickhouse-schema/queries/experiments/experiment-readout.ts';
import type { Metric } from '../../../../clickhouse-schema/queries/experiments/metric.ts';
import type { QueryResult } from '../../../../clickhouse-schema/query-result.ts';
import { DAY_MS } from '../../../../core/kernel/days.ts';
import type { ExperimentDocument, ExperimentPhase } from '../../../../core/vocabulary/documents/experiments.ts';
import type { Scope } from '../../../../core/vocabulary/documents/scope.ts';
import { type LeftOut, leftOut } from '../../flags/results/compared-players.ts';
import { type MetricSamples, metricSamples } from '../../flags/results/variant-samples.ts';

/* What is measured of an experiment, phase by phase, with the query of the results of flags. */

/** Whom to measure, and how long. */
export interface PhasesAsked {
  scope: Scope & { zone: string };
  windowDays: number;
  minExposureAgeDays: number;
  nowMs: number;
  /** Whether players are not counted by day: guardrails need no `arrivals`. */
  withoutDays?: true;
}

export interface MeasuredPhase {
  phase: ExperimentPhase;
  leftOut: LeftOut;
  /** Players whom the holdout of the game keeps out, exposed as such in this phase first. */
  heldOut: number;
  /** In the order of the metrics. */
  metrics: readonly MetricSamples[];
  arrivals: readonly ArrivalDay[];
}

/** Reads the phases one after the other, so that one request never takes two slots. */
export async function measurePhases(
  analytics: Pick<Analytics, 'experimentReadout' | 'experimentArrivals'>,
  experiment: ExperimentDocument,
  metrics: readonly Metric[],
  asked: PhasesAsked,
): Promise<QueryResult<MeasuredPhase[]>> {
  const measured: MeasuredPhase[] = [];
  for (const phase of experiment.phases) {
    const period = periodOf(experiment, phase, asked);
    const readout = await analytics.experimentReadout({ ...period, metrics, by: undefined, groups: 1 });
    if (readout.kind === 'unavailable') return readout;
    const arrivals = asked.withoutDays === true ? NO_DAYS : await analytics.experimentArrivals(period);
    if (arrivals.kind === 'unavailable') return arrivals;
    measured.push(phaseOf(phase, readout.value.groups, arrivals.value, metrics.length));
  }
  return { kind: 'answered', value: measured };
}

const NO_DAYS: QueryResult<ArrivalDay[]> = { kind: 'answered', value: [] };

/** The players of a phase until the experiment ends: what they do after that shows no effect of it. */
export function periodOf(
  { key, flagKey, startedAt, stoppedAt, createdAt }: ExperimentDocument,
  { phase, since, variants }: ExperimentPhase,
  { scope, windowDays, minExposureAgeDays, nowMs }: PhasesAsked,
): ExperimentPeriod {
  const spanFromMs = nowMs - FLAG_API_LIMITS.resultsSpanDays * DAY_MS;
  const from = (atMs: number): number => Math.max(atMs - EVENT_QUERY_LIMITS.resultsMarginMs, spanFromMs);
  const age = minExposureAgeDays * DAY_MS;
  return {
    ...scope,
    flagKey,
    phaseOf: { experiment: key, phase },
    fromVersion: 0,
    beforeVersion: 0,
    variants: variants.map((variant) => variant.key),
    windowDays,
    sinceMs: from(since),
    untilMs: stoppedAt ?? nowMs + EVENT_QUERY_LIMITS.resultsMarginMs,
    earlierSinceMs: from(startedAt ?? createdAt),
    exposedBeforeMs: age === 0 ? undefined : Math.min(nowMs, stoppedAt ?? nowMs) - age,
  };
}

function phaseOf(
  phase: ExperimentPhase,
  groups: readonly MeasuredGroup[],
  arrivals: readonly ArrivalDay[],
  metrics: number,
): MeasuredPhase {
  // All players of a phase were drawn with the same shares.
  const drawn = groups.filter(({ stratum }) => stratum > 0);
  const undrawn = groups.filter(({ stratum }) => stratum === 0);
  return {
    phase,
    leftOut: leftOut(drawn),
    heldOut: undrawn.reduce((sum, { players }) => sum + players, 0),
    metrics: Array.from({ length: metrics }, (_, place) => samplesOf(phase, groups, place)),
    arrivals,
  };
}

/** The samples of the variants of a phase. @param place of the metric */
export function samplesOf(
  { variants }: ExperimentPhase,
  groups: readonly MeasuredGroup[],
  place: number,
): MetricSamples {
  const arms = variants.map(({ key: variantKey, weight }) => ({ variantKey, weight }));
  return metricSamples(
    rowsOf(
      groups.filter(({ stratum }) => stratum > 0),
      place,
    ),
    arms,
  );
}

function rowsOf(groups: readonly MeasuredGroup[], place: number): (MeasuredPlayers & MeasuredMetric)[] {
  return groups.flatMap(({ metrics, ...players }) => {
    const own = metrics[place];
    return own === undefined ? [] : [{ ...players, ...own }];
  });
}

/** All variants that the experiment has or had, the control first. */
export function variantKeys({ variants, phases }: ExperimentDocument): string[] {
  const all = [...variants, ...phases.flatMap((phase) => phase.variants)].map(({ key }) => key);
  return [...new Set(all)];
}
