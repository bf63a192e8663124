import { measuresOf } from '../../../../core/vocabulary/metrics/asked.ts';
import {
  isRatio,
  measureOf,
  METRICS,
  type MetricName,
  PER_PLAYER,
  RATIOS,
  unitOfRatio,
} from '../../../../core/vocabulary/metrics/metrics.ts';
import type { MeasureName } from '../../../../core/vocabulary/metrics/measures.ts';
import type { Figure, Part, TrendQuestion } from '../../../../clickhouse-schema/queries/questions/question.ts';
import type { FieldFault } from '../../../../core/kernel/errors.ts';
import type { QueryBody } from '../query-fields.ts';
import { checkPath, fieldsOfAll, filtersOf } from './filters.ts';

/* What a trend or a breakdown measures. */

type Measured = Pick<
  QueryBody,
  'metric' | 'property' | 'percentile' | 'event_names' | 'where' | 'formula' | 'per_player' | 'kind'
>;
type Formula = NonNullable<Measured['formula']>;
type Named = Formula['numerator'];

export function figureOf(body: Measured): Figure {
  const { metric = 'events', formula, per_player: perPlayer } = body;
  if (formula === undefined && perPlayer !== true) {
    const { title, unit } = METRICS[metric];
    const { nullWithout } = isRatio(metric) ? RATIOS[metric] : measureOf(metric);
    return { metric, title, unit, nullWithout };
  }
  const [numerator = 'events', denominator = PER_PLAYER] = measuresOf(body);
  const [over, under] = [measureOf(numerator), measureOf(denominator)];
  return {
    metric: formula === undefined ? metric : 'formula',
    title: formula === undefined ? `${over.title} per active player` : `${over.title} / ${under.title}`,
    unit: unitOfRatio(over.unit, under.unit),
    nullWithout: `${under.title}: 0.`,
  };
}

/** The parts of a question; what is wrong with them is noted. */
export function partsOf(body: Measured, faults: FieldFault[]): TrendQuestion['parts'] {
  const { metric, property, percentile, event_names: eventNames, where, formula, per_player: perPlayer } = body;
  if (formula === undefined) return metricParts(body, metric ?? 'events', faults);
  const foreign = { metric, property, percentile, event_names: eventNames, per_player: perPlayer };
  for (const [name, value] of Object.entries(foreign)) {
    if (value !== undefined) faults.push({ path: `/${name}`, message: 'is not allowed beside `formula`' });
  }
  const shared = filtersOf(where ?? [], fieldsOfAll(measuresOf(body)), '/where', faults);
  const part = (name: keyof Formula): Part => {
    const own = partOf(formula[name], `/formula/${name}`, faults);
    if (measureOf(own.measure).nullWithout !== undefined) {
      const message = `\`${own.measure}\` can be no part of a formula, because it has no figure without rows`;
      faults.push({ path: `/formula/${name}/metric`, message });
    }
    return { ...own, where: [...own.where, ...shared] };
  };
  return [part('numerator'), part('denominator')];
}

function metricParts(body: Measured, metric: MetricName, faults: FieldFault[]): TrendQuestion['parts'] {
  const { property, percentile, event_names: eventNames, where = [], per_player: perPlayer } = body;
  if (isRatio(metric)) {
    const foreign = { property, percentile, event_names: eventNames, per_player: perPlayer };
    for (const [name, value] of Object.entries(foreign)) {
      if (value === undefined) continue;
      faults.push({ path: `/${name}`, message: `is not allowed with the metric \`${metric}\`; use \`formula\`` });
    }
    const shared = filtersOf(where, fieldsOfAll(measuresOf(body)), '/where', faults);
    const { numerator, denominator } = RATIOS[metric];
    return [
      { measure: numerator, eventNames: [], where: shared },
      { measure: denominator, eventNames: [], where: shared },
    ];
  }
  const part = partOf({ ...body, metric }, '', faults);
  if (perPlayer !== true) return [part];
  if (measureOf(metric).nullWithout !== undefined || metric === PER_PLAYER) {
    faults.push({ path: '/per_player', message: `is not allowed with the metric \`${metric}\`` });
  }
  // Conditions on what active players have restrict them, too; the others restrict only what is divided.
  const shared = where.filter(({ field }) => hasField(field));
  return [part, { measure: PER_PLAYER, eventNames: [], where: filtersOf(shared, PLAYER_FIELDS, '/where', []) }];
}

const PLAYER_FIELDS = fieldsOfAll([PER_PLAYER]);

function hasField(text: string): boolean {
  const [name] = text.split(':', 1);
  return PLAYER_FIELDS.columns.some((one) => one === text) || PLAYER_FIELDS.named.some((one) => one === name);
}

function partOf(named: Omit<Named, 'metric'> & { metric: MeasureName }, path: string, faults: FieldFault[]): Part {
  const { metric: measure, property, percentile, event_names: eventNames = [], where = [] } = named;
  const { ofProperty, source } = measureOf(measure);
  if (ofProperty === true && property === undefined) {
    faults.push({ path: `${path}/property`, message: `is required with the metric \`${measure}\`` });
  }
  if (ofProperty !== true && property !== undefined) {
    const message = 'is allowed with the metrics `sum`, `average` and `percentile` only';
    faults.push({ path: `${path}/property`, message });
  }
  if (measure !== 'percentile' && percentile !== undefined) {
    faults.push({ path: `${path}/percentile`, message: 'is allowed with the metric `percentile` only' });
  }
  if (property !== undefined) checkPath(property, `${path}/property`, faults);
  if (source !== 'events' && eventNames.length > 0) {
    const message = `is allowed with metrics of events only, not with \`${measure}\``;
    faults.push({ path: `${path}/event_names`, message });
  }
  const filters = filtersOf(where, fieldsOfAll([measure]), `${path}/where`, faults);
  return { measure, property, percentile, eventNames, where: filters };
}
