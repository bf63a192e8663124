import type { Analytics } from '../../../../clickhouse-schema/queries/analytics.ts';
import type { Metric } from '../../../../clickhouse-schema/queries/experiments/metric.ts';
import { QUERY_LIMITS } from '../../../../clickhouse-schema/queries/limits.ts';
import type { QueryResult } from '../../../../clickhouse-schema/query-result.ts';
import type { Clock } from '../../../../core/kernel/clock.ts';
import { dateOf, dayIn, startOfDayIn } from '../../../../core/kernel/zoned-days.ts';
import type { ExperimentDocument } from '../../../../core/vocabulary/documents/experiments.ts';
import { type PhaseSamples, phaseResults, type PooledVariant } from '../../../analysis/phase-results.ts';
import { createTurns } from '../../route/turns.ts';
import { periodOf, type PhasesAsked, samplesOf, variantKeys } from './measured-phases.ts';

/* The results of an experiment at the end of each of its days. */

export interface DayResults {
  /** As YYYY-MM-DD, in the time zone of the game. */
  day: string;
  variants: readonly PooledVariant[];
}

/**
 * Measures the latest days of an experiment, with the query of its results. Days are compared in turns: many variants
 * take long.
 * @param chosen number of the only phase; undefined: all
 */
export async function measureDays(
  analytics: Pick<Analytics, 'experimentReadout'>,
  experiment: ExperimentDocument,
  metric: Metric,
  chosen: number | undefined,
  asked: PhasesAsked,
  clock: Clock,
): Promise<QueryResult<DayResults[]>> {
  const { phases, plan, startedAt, stoppedAt } = experiment;
  if (startedAt === null) return { kind: 'answered', value: [] };
  const { zone } = asked.scope;
  const lastDay = dayIn(zone, Math.max(startedAt, stoppedAt === null ? asked.nowMs : stoppedAt - 1));
  const firstDay = Math.max(dayIn(zone, startedAt), lastDay - QUERY_LIMITS.resultsDays + 1);
  const byDay = { firstDay, days: lastDay - firstDay + 1 };
  const measured: { sinceMs: number; samplesAt: (place: number) => PhaseSamples }[] = [];
  for (const phase of phases.filter((one) => chosen === undefined || one.phase === chosen)) {
    const period = periodOf(experiment, phase, asked);
    const readout = await analytics.experimentReadout({
      ...period,
      metrics: [metric],
      by: undefined,
      groups: 1,
      byDay,
    });
    if (readout.kind === 'unavailable') return readout;
    const groups = Map.groupBy(readout.value.groups, ({ value }) => Number(value));
    const samplesAt = (place: number) => samplesOf(phase, groups.get(place) ?? [], 0).samples;
    measured.push({ sinceMs: phase.since, samplesAt });
  }
  const keys = variantKeys(experiment);
  const turns = createTurns(clock);
  const days: DayResults[] = [];
  for (let place = 0; place < byDay.days; place += 1) {
    await turns.pause();
    const endMs = startOfDayIn(zone, firstDay + place + 1);
    // A variant of a later phase is no hypothesis yet, which Holm would count.
    const begun = measured.filter(({ sinceMs }) => sinceMs < endMs).map(({ samplesAt }) => samplesAt(place));
    days.push({ day: dateOf(firstDay + place), variants: phaseResults(begun, keys, plan.alpha) });
  }
  return { kind: 'answered', value: days };
}
