import type { Experiment } from '../../definitions.ts';
import { TEXTS } from '../../texts.ts';
import { WINDOW_DAYS } from '../measure-fields.tsx';
import { isComplete, measureIn, measureOf, metricBody, metricName } from '../measure.ts';
import type { Document } from '../../parts/drafts/document-values.ts';

/* What results are asked for: kept in the address, so that it can be shared. */

const texts = TEXTS.experiment;

type Metric = ReturnType<typeof metricBody>;
type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface ResultsChoice {
  /** Id of a measure of the experiment, or `other`. */
  measure: string;
  /** The fields of the measure `other`. */
  metric: Metric;
  windowDays: number;
  minAgeDays: number;
  /** undefined: all together. */
  phase: number | undefined;
  /** What is sent; undefined: the metric is not complete. */
  query: Query | undefined;
}

interface NamedMetric {
  id: string;
  label: string;
  metric: Document;
}

/** The primary metric and the guardrails, each metric once. */
export function measuresOf({ primary, guardrails }: Pick<Experiment, 'primary' | 'guardrails'>): NamedMetric[] {
  const all: NamedMetric[] = [
    ...(primary === null ? [] : [{ id: 'primary', label: texts.primaryOf(metricName(primary)), metric: primary }]),
    ...guardrails.map(({ metric }, place) => ({
      id: `guardrail-${place + 1}`,
      label: texts.guardrailOf(metricName(metric)),
      metric,
    })),
  ];
  const asText = all.map(({ metric }) => JSON.stringify(metric));
  return all.filter((_, place) => asText.indexOf(asText[place] ?? '') === place);
}

const OTHER = 'other';

export function chosenIn(
  params: URLSearchParams,
  experiment: Pick<Experiment, 'primary' | 'guardrails' | 'phases'>,
): ResultsChoice {
  const measures = measuresOf(experiment);
  const wanted = params.get('measure') ?? '';
  const named = measures.find(({ id }) => id === wanted) ?? (wanted === OTHER ? undefined : measures[0]);
  const other = metricBody(measureIn(params), params.get('metric') ?? '');
  const metric = named?.metric ?? other;
  const windowDays = Number(params.get('window') ?? WINDOW_DAYS);
  const minAgeDays = Number(params.get('min_age') ?? 0);
  const phase = experiment.phases.find((each) => String(each.phase) === params.get('phase'))?.phase;
  const { measure, event } = measureOf(metric);
  const query: Query = {
    ...metricBody(measure, event),
    window_days: windowDays,
    min_exposure_age_days: minAgeDays === 0 ? undefined : minAgeDays,
    phase,
  };
  return {
    measure: named?.id ?? OTHER,
    metric: other,
    windowDays,
    minAgeDays,
    phase,
    query: isComplete(measure, event) ? query : undefined,
  };
}

/** The address with another choice. */
export function withChoice(before: URLSearchParams, next: Partial<ResultsChoice>): URLSearchParams {
  const after = new URLSearchParams(before);
  const set = (name: string, value: string | number | boolean | undefined): void => {
    if (value === undefined || value === '') after.delete(name);
    else after.set(name, String(value));
  };
  if ('measure' in next) set('measure', next.measure);
  if ('windowDays' in next) set('window', next.windowDays);
  if ('minAgeDays' in next) set('min_age', next.minAgeDays);
  if ('phase' in next) set('phase', next.phase);
  for (const [name, value] of Object.entries(next.metric ?? {})) set(name, value);
  return after;
}
