import {
  COHORT_COLUMNS,
  type CohortColumn,
  type Dimension,
  type Interval,
  type Question,
  type Scope,
} from '../../../clickhouse-schema/queries/questions/question.ts';
import { measuresOf } from '../../../core/vocabulary/metrics/asked.ts';
import { measureOf } from '../../../core/vocabulary/metrics/metrics.ts';
import type { FieldFault, Failure } from '../../../core/kernel/errors.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { parseTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { invalid } from '../route/route.ts';
import type { QueryBody } from './query-fields.ts';
import { lifecycleQuestion, stickinessQuestion } from './behaviour/activity-question.ts';
import { funnelParts } from './behaviour/funnel-question.ts';
import { DEFAULT_DAYS, retentionParts } from './behaviour/retention-question.ts';
import { charsOf, dimensionOf, EVENT_FIELDS, EVENT_GROUPS, fieldsOfAll, filtersOf } from './measures/filters.ts';
import { figureOf, partsOf } from './measures/parts.ts';
import { bucketsOf, periodBefore, wholeIntervals } from './trend-buckets.ts';
import { DAY_MS } from '../../../core/kernel/days.ts';
import { dayIn, daysLater, startOfDayIn } from '../../../core/kernel/zoned-days.ts';

const MEASURED = ['metric', 'property', 'percentile', 'event_names', 'formula', 'per_player'] as const;

/** Fields that only some kinds take; the others belong to all. */
const FIELDS = {
  trend: [...MEASURED, 'interval', 'by', 'where', 'compare', 'cut', 'limit'],
  breakdown: [...MEASURED, 'by', 'where', 'limit'],
  retention: ['days', 'periods', 'method', 'interval', 'first_event', 'return_event', 'by', 'limit'],
  ltv: ['days', 'by', 'limit'],
  funnel: ['steps', 'order', 'exclusions', 'window_seconds', 'by', 'limit'],
  paths: ['event_name', 'direction', 'where', 'within_seconds', 'limit'],
  lifecycle: ['interval', 'where'],
  stickiness: ['interval', 'where'],
} as const satisfies Record<QueryBody['kind'], readonly (keyof QueryBody)[]>;

const REQUIRED = {
  trend: [],
  breakdown: ['by'],
  retention: [],
  ltv: [],
  funnel: ['steps'],
  paths: ['event_name'],
  lifecycle: [],
  stickiness: [],
} as const satisfies Record<QueryBody['kind'], readonly (keyof QueryBody)[]>;

const COMMON: ReadonlySet<string> = new Set(['kind', 'from', 'to', 'last_days']);

/** Kinds with many figures for each value. */
const SHORT_LISTS: ReadonlySet<QueryBody['kind']> = new Set(['trend', 'funnel', 'retention', 'ltv']);

const DEFAULT_RANGE_DAYS = 30;
const DEFAULT_LTV = [0, ...DEFAULT_DAYS, 90];
const DEFAULT_WITHIN_SECONDS = 1_800;

/**
 * The question of a valid body, or its faults.
 * @param scope game and environment of the key, the game's time zone and extracted properties
 * @param path where the query is in the body of the request
 */
export function questionOf(
  body: QueryBody,
  scope: Pick<Scope, 'game' | 'environment' | 'zone' | 'extracted'>,
  nowMs: number,
  path = '',
): { kind: 'question'; question: Question } | Failure {
  const faults: FieldFault[] = fieldFaults(body);
  const range = rangeOf(body, scope.zone, nowMs, faults);
  const filters = (where: QueryBody['where'], path: string) => filtersOf(where ?? [], EVENT_FIELDS, path, faults);
  const named = propertiesOf(body);
  const common = { ...scope, extracted: scope.extracted?.filter(({ path: one }) => named.has(one)), ...range };
  const limit = body.limit ?? ANALYTICS_LIMITS.questionKeys;
  if (limit > ANALYTICS_LIMITS.questionKeys && SHORT_LISTS.has(body.kind)) {
    faults.push({ path: '/limit', message: `must be at most ${ANALYTICS_LIMITS.questionKeys} with \`${body.kind}\`` });
  }
  const question = build();
  const valueChars = charsOf(wheresOf(body));
  if (valueChars > ANALYTICS_LIMITS.questionValueChars) {
    const message = `names values of ${valueChars} characters together; the maximum is ${ANALYTICS_LIMITS.questionValueChars}`;
    faults.push({ path: body.kind === 'funnel' ? '/steps' : '/where', message });
  }
  if (faults.length === 0) return { kind: 'question', question };
  return invalid(faults.map((fault) => ({ ...fault, path: path + fault.path })));

  function groupBy(fields: Parameters<typeof dimensionOf>[1]): Dimension | undefined {
    return body.by === undefined ? undefined : dimensionOf(body.by, fields, '/by', faults);
  }

  function build(): Question {
    switch (body.kind) {
      case 'trend': {
        const { interval = 'day' } = body;
        const parts = partsOf(body, faults);
        const by = groupBy(fieldsOfAll(measuresOf(body)));
        checkInterval(interval, body, faults);
        const whole = cutOf(body, wholeIntervals(interval, common), common, faults);
        const beforeMs = body.compare === undefined ? undefined : periodBefore(interval, { ...common, ...whole });
        const read = { ...common, ...whole, fromMs: beforeMs ?? whole.fromMs };
        if (faults.length === 0 && bucketsOf(interval, read).length > ANALYTICS_LIMITS.trendPoints) {
          const message = `has more than ${ANALYTICS_LIMITS.trendPoints} points in this range; choose a longer interval`;
          faults.push({ path: '/interval', message });
        }
        return { kind: 'trend', ...common, ...whole, figure: figureOf(body), parts, interval, beforeMs, by, limit };
      }
      case 'breakdown': {
        const parts = partsOf(body, faults);
        const by = groupBy(fieldsOfAll(measuresOf(body))) ?? { kind: 'column', column: 'event_name' };
        const windows = measuresOf(body).filter((name) => measureOf(name).windowDays !== undefined);
        for (const name of windows) {
          faults.push({ path: '/metric', message: `\`${name}\` has a figure for each day; use the kind \`trend\`` });
        }
        const isOfDays = measuresOf(body).some((name) => measureOf(name).source === 'player_days');
        const whole = isOfDays ? wholeIntervals('day', common) : {};
        return { kind: 'breakdown', ...common, ...whole, figure: figureOf(body), parts, by, limit };
      }
      case 'retention': {
        const parts = retentionParts(body, filters, faults);
        const whole = wholeIntervals(parts.interval, common);
        const by = cohortColumn(body.by, body.kind, faults);
        const cohorts = bucketsOf(parts.interval, { ...common, ...whole }).length;
        checkFigures(parts.periods.length * cohorts, by === undefined ? 1 : limit, faults);
        return { kind: 'retention', ...common, ...whole, ...parts, by, limit };
      }
      case 'ltv': {
        const { days = DEFAULT_LTV } = body;
        const by = cohortColumn(body.by, body.kind, faults);
        const cohorts = Math.ceil((range.toMs - range.fromMs) / DAY_MS);
        checkFigures(days.length * cohorts, by === undefined ? 1 : limit, faults);
        return { kind: 'ltv', ...common, days, by, limit };
      }
      case 'funnel':
        return {
          kind: 'funnel',
          ...common,
          ...funnelParts(body, filters, faults),
          nowMs,
          by: groupBy(EVENT_GROUPS),
          limit,
        };
      case 'paths': {
        const { direction = 'forward' } = body;
        const withinSeconds = body.within_seconds ?? DEFAULT_WITHIN_SECONDS;
        const where = filters(body.where, '/where');
        return { kind: 'paths', ...common, direction, eventName: body.event_name ?? '', where, withinSeconds, limit };
      }
      case 'lifecycle':
        return lifecycleQuestion(body, common, faults);
      case 'stickiness':
        return stickinessQuestion(body, common, faults);
    }
  }
}

function fieldFaults(body: QueryBody): FieldFault[] {
  const taken: ReadonlySet<string> = new Set(FIELDS[body.kind]);
  const foreign = Object.keys(body).filter((name) => !COMMON.has(name) && !taken.has(name));
  const missing = REQUIRED[body.kind].filter((name) => body[name] === undefined);
  const { days = [], periods = [] } = body;
  return [
    ...(new Set(days).size < days.length ? [{ path: '/days', message: 'must not name a day twice' }] : []),
    ...(new Set(periods).size < periods.length ? [{ path: '/periods', message: 'must not name one twice' }] : []),
    ...missing.map((name) => ({ path: `/${name}`, message: `is required with the kind \`${body.kind}\`` })),
    ...foreign.map((name) => ({ path: `/${name}`, message: `is not allowed with the kind \`${body.kind}\`` })),
  ];
}

/** The default range has whole days and ends in the future, so that it names the same answer for a whole day. */
function rangeOf(body: QueryBody, zone: string, nowMs: number, faults: FieldFault[]) {
  const { from, to, last_days: lastDays } = body;
  const today = dayIn(zone, nowMs);
  const toMs = to === undefined ? startOfDayIn(zone, today + 1) : momentOf(to, zone);
  if (lastDays !== undefined) {
    for (const name of ['from', 'to'] as const) {
      if (body[name] !== undefined) faults.push({ path: `/${name}`, message: 'is not allowed beside `last_days`' });
    }
    return { fromMs: startOfDayIn(zone, today - lastDays + 1), toMs };
  }
  const base = to === undefined ? startOfDayIn(zone, today) : toMs;
  const fromMs = from === undefined ? daysLater(zone, base, -DEFAULT_RANGE_DAYS) : momentOf(from, zone);
  if (fromMs >= toMs) faults.push({ path: '/from', message: 'must be before `to`' });
  else if (toMs - fromMs > ANALYTICS_LIMITS.questionRangeDays * DAY_MS) {
    faults.push({ path: '/from', message: `must be at most ${ANALYTICS_LIMITS.questionRangeDays} days before \`to\`` });
  }
  return { fromMs, toMs };
}

/** A date without a time is the start of that day in the zone. */
function momentOf(text: string, zone: string): number {
  const ms = parseTimestamp(text) ?? 0;
  return text.toLowerCase().includes('t') ? ms : startOfDayIn(zone, ms / DAY_MS);
}

function cohortColumn(text: string | undefined, kind: string, faults: FieldFault[]): CohortColumn | undefined {
  const column = COHORT_COLUMNS.find((name) => name === text);
  if (column === undefined && text !== undefined) {
    const known = COHORT_COLUMNS.map((name) => `\`${name}\``);
    faults.push({ path: '/by', message: `must be one of ${known.join(', ')} for the kind \`${kind}\`` });
  }
  return column;
}

/** @param figures of one value of `by` */
function checkFigures(figures: number, values: number, faults: FieldFault[]): void {
  const all = figures * values;
  if (faults.length > 0 || all <= ANALYTICS_LIMITS.retentionFigures) return;
  const message =
    `has up to ${all} figures in this range, days times first days times values; the maximum is ` +
    `${ANALYTICS_LIMITS.retentionFigures}: choose fewer days, a shorter range or a smaller \`limit\``;
  faults.push({ path: '/days', message });
}

/** Every condition of a body, wherever it stands. */
function wheresOf({ where = [], steps = [], exclusions = [], formula, ...body }: QueryBody) {
  const parts = formula === undefined ? [] : [formula.numerator, formula.denominator];
  return [
    ...where,
    ...[...steps, ...exclusions, body.first_event, body.return_event].flatMap((step) => step?.where ?? []),
    ...parts.flatMap((part) => part.where ?? []),
  ];
}

/** The paths of properties of events that a body names. */
function propertiesOf(body: QueryBody): ReadonlySet<string> {
  const { by = '', property, formula } = body;
  const fields = [by, ...wheresOf(body).map(({ field }) => field)].filter((field) => field.startsWith(OF_PROPERTY));
  const numbers = [property, formula?.numerator.property, formula?.denominator.property];
  return new Set([
    ...fields.map((field) => field.slice(OF_PROPERTY.length)),
    ...numbers.filter((path) => path !== undefined),
  ]);
}

const OF_PROPERTY = 'property:';

/** The range as it is asked for, if the last interval is to be cut; days of players begin whole. */
function cutOf(
  body: QueryBody,
  whole: Pick<Scope, 'fromMs' | 'toMs'>,
  range: Pick<Scope, 'fromMs' | 'toMs' | 'zone'>,
  faults: FieldFault[],
): Pick<Scope, 'fromMs' | 'toMs'> {
  if (body.cut !== true) return whole;
  if (body.compare !== undefined) faults.push({ path: '/cut', message: 'is not allowed beside `compare`' });
  const measures = measuresOf(body);
  for (const name of measures.filter((one) => measureOf(one).onlyWhole === true)) {
    faults.push({ path: '/cut', message: `is not allowed with \`${name}\`, which is known of whole days only` });
  }
  const isOfDays = measures.some((name) => measureOf(name).source === 'player_days');
  return { fromMs: isOfDays ? wholeIntervals('day', range).fromMs : range.fromMs, toMs: range.toMs };
}

function checkInterval(interval: Interval, body: QueryBody, faults: FieldFault[]): void {
  for (const name of measuresOf(body)) {
    const { source, windowDays } = measureOf(name);
    if (windowDays !== undefined && interval !== 'day') {
      faults.push({ path: '/interval', message: `must be \`day\` for \`${name}\`, which has a figure for each day` });
    } else if (source === 'player_days' && interval === 'hour') {
      faults.push({
        path: '/interval',
        message: `must be a day or longer for \`${name}\`, which counts days of players`,
      });
    }
  }
}
