import {
  COHORT_COLUMNS,
  type CohortColumn,
  type ColumnName,
  type Dimension,
  EVENT_COLUMNS,
  type Filter,
  METRIC_TABLES,
  PURCHASE_COLUMNS,
  type Question,
  SESSION_COLUMNS,
} from '../../../clickhouse-schema/queries/questions/question.ts';
import type { FieldFault, Failure } from '../../../core/kernel/errors.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { API_LIMITS } from '../limits.ts';
import { parseTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { invalid } from '../route/route.ts';
import type { QueryBody } from './query-fields.ts';
import { funnelParts } from './funnel-question.ts';
import { bucketsOf, wholeIntervals } from './trend-buckets.ts';
import { DAY_MS } from '../../../core/kernel/days.ts';

/** Fields that only some kinds take; the others belong to all. */
const FIELDS = {
  trend: ['metric', 'property', 'event_names', 'interval', 'by', 'where', 'limit'],
  breakdown: ['metric', 'property', 'event_names', 'by', 'where', 'limit'],
  retention: ['days', 'by', 'limit'],
  ltv: ['days', 'by', 'limit'],
  funnel: ['steps', 'order', 'exclusions', 'window_seconds', 'by', 'limit'],
  paths: ['event_name', 'where', 'within_seconds', 'limit'],
} as const satisfies Record<QueryBody['kind'], readonly (keyof QueryBody)[]>;

const REQUIRED = {
  trend: [],
  breakdown: ['by'],
  retention: [],
  ltv: [],
  funnel: ['steps'],
  paths: ['event_name'],
} as const satisfies Record<QueryBody['kind'], readonly (keyof QueryBody)[]>;

const COMMON: ReadonlySet<string> = new Set(['kind', 'from', 'to']);

const COLUMNS = {
  events: EVENT_COLUMNS,
  sessions: SESSION_COLUMNS,
  purchases: PURCHASE_COLUMNS,
  player_days: COHORT_COLUMNS,
} as const;
type Table = keyof typeof COLUMNS;

/** Kinds with many figures for each value. */
const SHORT_LISTS: ReadonlySet<QueryBody['kind']> = new Set(['trend', 'funnel', 'retention', 'ltv']);

const DEFAULT_RANGE_DAYS = 30;
const DEFAULT_RETENTION = [1, 3, 7, 14, 30];
const DEFAULT_LTV = [0, ...DEFAULT_RETENTION, 90];
const DEFAULT_WITHIN_SECONDS = 1_800;

/**
 * The question of a valid body, or its faults.
 * @param scope game and environment of the key
 * @param path where the query is in the body of the request
 */
export function questionOf(
  body: QueryBody,
  scope: { game: string; environment: string },
  nowMs: number,
  path = '',
): { kind: 'question'; question: Question } | Failure {
  const faults: FieldFault[] = fieldFaults(body);
  const range = rangeOf(body, nowMs, faults);
  const table: Table =
    body.kind === 'trend' || body.kind === 'breakdown' ? METRIC_TABLES[body.metric ?? 'events'] : 'events';
  const dimension = (text: string, path: string): Dimension => dimensionOf(text, table, path, faults);
  let valueChars = 0;
  const filters = (where: QueryBody['where'], path: string): Filter[] => {
    for (const { in: values } of where ?? []) for (const value of values) valueChars += value.length;
    return (where ?? []).map(({ field, in: values }, place) => ({
      dimension: dimension(field, `${path}/${place}/field`),
      values,
    }));
  };
  const common = { ...scope, ...range };
  const by =
    body.by === undefined || body.kind === 'retention' || body.kind === 'ltv' ? undefined : dimension(body.by, '/by');
  const limit = body.limit ?? ANALYTICS_LIMITS.questionKeys;
  if (limit > ANALYTICS_LIMITS.questionKeys && SHORT_LISTS.has(body.kind)) {
    faults.push({ path: '/limit', message: `must be at most ${ANALYTICS_LIMITS.questionKeys} with \`${body.kind}\`` });
  }
  const question = build();
  if (valueChars > ANALYTICS_LIMITS.questionValueChars) {
    const message = `names values of ${valueChars} characters together; the maximum is ${ANALYTICS_LIMITS.questionValueChars}`;
    faults.push({ path: body.kind === 'funnel' ? '/steps' : '/where', message });
  }
  if (faults.length === 0) return { kind: 'question', question };
  return invalid(faults.map((fault) => ({ ...fault, path: path + fault.path })));

  function measured() {
    const { metric = 'events', property, event_names: eventNames = [] } = body;
    if (metric === 'sum' && property === undefined) {
      faults.push({ path: '/property', message: 'is required with the metric `sum`' });
    }
    if (metric !== 'sum' && property !== undefined) {
      faults.push({ path: '/property', message: 'is allowed with the metric `sum` only' });
    }
    if (property !== undefined) checkPath(property, '/property', faults);
    if (table !== 'events' && eventNames.length > 0) {
      faults.push({ path: '/event_names', message: `is allowed with metrics of events only, not with \`${metric}\`` });
    }
    return { ...common, metric, property, eventNames, where: filters(body.where, '/where'), limit };
  }

  function build(): Question {
    switch (body.kind) {
      case 'trend': {
        const { interval = 'day' } = body;
        if (faults.length === 0 && bucketsOf(interval, range).length > ANALYTICS_LIMITS.trendPoints) {
          const message = `has more than ${ANALYTICS_LIMITS.trendPoints} points in this range; choose a longer interval`;
          faults.push({ path: '/interval', message });
        }
        return { kind: 'trend', ...measured(), ...wholeIntervals(interval, range), interval, by };
      }
      case 'breakdown':
        return { kind: 'breakdown', ...measured(), by: by ?? { kind: 'column', column: 'event_name' } };
      case 'retention':
      case 'ltv': {
        const { days = body.kind === 'ltv' ? DEFAULT_LTV : DEFAULT_RETENTION } = body;
        const column = cohortColumn(body.by, body.kind, faults);
        const cohorts = Math.ceil((range.toMs - range.fromMs) / DAY_MS) * (column === undefined ? 1 : limit);
        const figures = cohorts * days.length;
        if (faults.length === 0 && figures > ANALYTICS_LIMITS.retentionFigures) {
          const message =
            `has up to ${figures} figures in this range, days times first days times values; the maximum is ` +
            `${ANALYTICS_LIMITS.retentionFigures}: choose fewer days, a shorter range or a smaller \`limit\``;
          faults.push({ path: '/days', message });
        }
        return { kind: body.kind, ...common, days, by: column, limit };
      }
      case 'funnel':
        return { kind: 'funnel', ...common, ...funnelParts(body, filters, faults), nowMs, by, limit };
      case 'paths': {
        const withinSeconds = body.within_seconds ?? DEFAULT_WITHIN_SECONDS;
        const where = filters(body.where, '/where');
        return { kind: 'paths', ...common, eventName: body.event_name ?? '', where, withinSeconds, limit };
      }
    }
  }
}

function fieldFaults(body: QueryBody): FieldFault[] {
  const taken: ReadonlySet<string> = new Set(FIELDS[body.kind]);
  const foreign = Object.keys(body).filter((name) => !COMMON.has(name) && !taken.has(name));
  const missing = REQUIRED[body.kind].filter((name) => body[name] === undefined);
  const { days = [] } = body;
  return [
    ...(new Set(days).size < days.length ? [{ path: '/days', message: 'must not name a day twice' }] : []),
    ...missing.map((name) => ({ path: `/${name}`, message: `is required with the kind \`${body.kind}\`` })),
    ...foreign.map((name) => ({ path: `/${name}`, message: `is not allowed with the kind \`${body.kind}\`` })),
  ];
}

/** The default range begins at a UTC day and ends in the future, so that it names the same answer for a whole day. */
function rangeOf({ from, to }: QueryBody, nowMs: number, faults: FieldFault[]): { fromMs: number; toMs: number } {
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const toMs = to === undefined ? Math.max(todayMs + DAY_MS, nowMs) : (parseTimestamp(to) ?? 0);
  const base = to === undefined ? todayMs : toMs;
  const fromMs = from === undefined ? base - DEFAULT_RANGE_DAYS * DAY_MS : (parseTimestamp(from) ?? 0);
  if (fromMs >= toMs) faults.push({ path: '/from', message: 'must be before `to`' });
  else if (toMs - fromMs > ANALYTICS_LIMITS.questionRangeDays * DAY_MS) {
    faults.push({ path: '/from', message: `must be at most ${ANALYTICS_LIMITS.questionRangeDays} days before \`to\`` });
  }
  return { fromMs, toMs };
}

function cohortColumn(text: string | undefined, kind: string, faults: FieldFault[]): CohortColumn | undefined {
  const column = COHORT_COLUMNS.find((name) => name === text);
  if (column === undefined && text !== undefined) {
    const known = COHORT_COLUMNS.map((name) => `\`${name}\``);
    faults.push({ path: '/by', message: `must be one of ${known.join(', ')} for the kind \`${kind}\`` });
  }
  return column;
}

const PROPERTY = 'property:';

function dimensionOf(text: string, table: Table, path: string, faults: FieldFault[]): Dimension {
  if (table === 'events' && text.startsWith(PROPERTY)) {
    const property = text.slice(PROPERTY.length);
    if (property === '') faults.push({ path, message: 'must name a property after `property:`' });
    checkPath(property, path, faults);
    return { kind: 'property', path: property };
  }
  const column = COLUMNS[table].find((name): name is typeof name => name === text);
  if (column !== undefined) return { kind: 'column', column };
  const known = COLUMNS[table].map((name: ColumnName) => `\`${name}\``);
  if (table === 'events') known.push('`property:<path>`');
  faults.push({
    path,
    message: `must be one of ${known.join(', ')} for ${table === 'player_days' ? 'new players' : table}`,
  });
  return { kind: 'column', column: 'event_name' };
}

function checkPath(property: string, path: string, faults: FieldFault[]): void {
  if (property.split('.').length <= API_LIMITS.propertyPathKeys) return;
  faults.push({ path, message: `must have at most ${API_LIMITS.propertyPathKeys} keys joined by dots` });
}
