import { fieldsOf, fieldsOfSource, measuresOf, PLAYER_FIELDS } from '../../../core/vocabulary/metrics/asked.ts';
import type { NamedDimension } from '../../../core/vocabulary/metrics/dimensions.ts';
import {
  isRatio,
  MEASURE_NAMES,
  measureOf,
  METRIC_NAMES,
  PERCENTILES,
} from '../../../core/vocabulary/metrics/metrics.ts';
import { FILTER_OPERATORS, FILTER_OPERATOR_NAMES } from '../../../core/vocabulary/metrics/operators.ts';
import type { AnswerOf, BodyOf } from '../frame/api.ts';
import { DAY_MS } from '../parts/charts/units.ts';
import { dayText, startOf } from '../parts/zoned-time.ts';

/* An analytics query as the screen edits it, and its form in the address: `?q=<JSON>&days=28`, or `&from=…&to=…`. */

export type Query = Omit<BodyOf<'POST /v1/analytics/queries'>, 'from' | 'to' | 'last_days'>;
export type Kind = Query['kind'];
export type Result = AnswerOf<'POST /v1/analytics/queries'>;
export type ResultOf<K extends Kind> = Extract<Result, { kind: K }>;
export type Where = NonNullable<Query['where']>;
export type Step = NonNullable<Query['steps']>[number];
export type Exclusion = NonNullable<Query['exclusions']>[number];

/** The last days, today included, or days of which both ends count. */
export type Range = { days: number } | { from: string; to: string };

export interface Asked {
  query: Query;
  range: Range;
}

export const KINDS = [
  'trend',
  'retention',
  'funnel',
  'lifecycle',
  'stickiness',
  'ltv',
  'breakdown',
  'paths',
] as const satisfies readonly Kind[];
export const INTERVALS = ['hour', 'day', 'week', 'month'] as const satisfies readonly NonNullable<Query['interval']>[];
/** The intervals that a kind takes; others than these take none. */
export const INTERVALS_OF: Readonly<Partial<Record<Kind, readonly (typeof INTERVALS)[number][]>>> = {
  trend: INTERVALS,
  retention: ['day', 'week', 'month'],
  lifecycle: ['day', 'week', 'month'],
  stickiness: ['week', 'month'],
};
export const ORDERS = ['ordered', 'strict', 'any_order'] as const satisfies readonly NonNullable<Query['order']>[];
export const METHODS = ['classic', 'rolling'] as const satisfies readonly NonNullable<Query['method']>[];
export const DIRECTIONS = ['forward', 'backward'] as const satisfies readonly NonNullable<Query['direction']>[];
export const RANGES = [1, 7, 28, 90, 365] as const;
const DEFAULT_DAYS = 28;

/** What a new query of a kind asks. */
export const FIRST: Readonly<Record<Kind, Query>> = {
  trend: { kind: 'trend', metric: 'active_players', interval: 'day' },
  retention: { kind: 'retention' },
  funnel: { kind: 'funnel', steps: [{ event_name: '' }, { event_name: '' }] },
  ltv: { kind: 'ltv' },
  breakdown: { kind: 'breakdown', metric: 'events', by: 'event_name' },
  paths: { kind: 'paths', event_name: '' },
  lifecycle: { kind: 'lifecycle' },
  stickiness: { kind: 'stickiness', interval: 'week' },
};

/** Suggestions: names of events, of properties of the chosen event, and keys of segments. */
export interface Names {
  events: readonly string[];
  properties: readonly string[];
  segments: readonly string[];
}

const COHORT_FIELDS = ['country', 'platform', 'app_version'] as const;

/** The fields by which a query can be split and filtered. */
export function fieldsIn(query: Query, names: Names): string[] {
  const { kind } = query;
  if (kind === 'retention' || kind === 'ltv') return [...COHORT_FIELDS];
  const { columns, named } =
    kind === 'trend' || kind === 'breakdown'
      ? fieldsOf(measuresOf(query))
      : kind === 'lifecycle' || kind === 'stickiness'
        ? PLAYER_FIELDS
        : fieldsOfSource('events');
  const ofEach: Readonly<Record<NamedDimension, readonly string[]>> = {
    property: names.properties,
    attribute: [''],
    segment: names.segments,
  };
  return [...columns, ...named.flatMap((name) => ofEach[name].map((rest) => `${name}:${rest}`))];
}

/** A query with a changed figure, without the fields that its rows do not have: they would be refused. */
export function keptFields(query: Query): Query {
  const { columns, named } = fieldsOf(measuresOf(query));
  const isKept = (field: string): boolean =>
    columns.some((column) => column === field) || named.some((name) => field.startsWith(`${name}:`));
  const { by, where = [], ...rest } = query;
  const kept = where.filter(({ field }) => isKept(field));
  const first = query.kind === 'breakdown' ? { by: columns[0] ?? 'attribute:' } : {};
  return {
    ...rest,
    ...(by !== undefined && isKept(by) ? { by } : first),
    ...(kept.length === 0 ? {} : { where: kept }),
  };
}

/** Whether a query has what its kind requires; the service checks the rest. */
export function isComplete(query: Query): boolean {
  const { kind, by, event_name: name, steps = [], formula } = query;
  if (kind === 'paths') return name !== undefined && name !== '';
  if (kind === 'funnel') return steps.length > 1 && steps.every((step) => step.event_name !== '');
  if (kind === 'breakdown' && (by === undefined || by === '')) return false;
  const parts = formula === undefined ? [query] : [formula.numerator, formula.denominator];
  return parts.every(({ metric = 'events', property = '' }) => {
    return isRatio(metric) || measureOf(metric).ofProperty !== true || property !== '';
  });
}

/** The query and range of an address; what is missing or damaged there has its default. */
export function askedIn(search: string): Asked {
  const params = new URLSearchParams(search);
  const [from, to] = [params.get('from') ?? '', params.get('to') ?? ''];
  const days = Number(params.get('days') ?? DEFAULT_DAYS);
  const isDays = Number.isSafeInteger(days) && days > 0;
  const range = isDay(from) && isDay(to) ? { from, to } : { days: isDays ? days : DEFAULT_DAYS };
  return { query: queryOf(parsed(params.get('q') ?? '')), range };
}

export function addressOf({ query, range }: Asked): string {
  const params = new URLSearchParams({ q: JSON.stringify(query) });
  if ('days' in range) params.set('days', String(range.days));
  else {
    params.set('from', range.from);
    params.set('to', range.to);
  }
  return `?${params.toString()}`;
}

/** A query with two days as its range, both of which count. A date names the game's day. */
export function withDays(query: Query, { from, to }: { from: string; to: string }) {
  return { ...query, from, to: new Date(Date.parse(to) + DAY_MS).toISOString().slice(0, 10) };
}

/** The days of a range as the API takes it, both of which count: each end is a date of the game or a moment. */
export function daysOf(zone: string, from: string, to: string): { from: string; to: string } {
  const ms = (text: string): number => (isDay(text) ? startOf(zone, text) : Date.parse(text));
  return { from: dayText(zone, ms(from)), to: dayText(zone, ms(to) - 1) };
}

/** The body that asks the service. */
export function bodyOf({ query, range }: Asked): BodyOf<'POST /v1/analytics/queries'> {
  return 'from' in range ? withDays(query, range) : { ...query, last_days: range.days };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A query from any JSON: fields of a wrong type are left out. */
export function queryOf(value: unknown): Query {
  const of = recordOf(value);
  const kind = KINDS.find((known) => known === of['kind']);
  if (kind === undefined) return FIRST.trend;
  const interval = INTERVALS.find((known) => known === of['interval']);
  const days = listOf(of['days']).filter(isNumber);
  const where = whereOf(of['where']);
  const steps = listOf(of['steps']).map((step) => {
    const { event_name: name, where: conditions } = recordOf(step);
    const own = whereOf(conditions);
    return { event_name: isText(name) ? name : '', ...(own.length === 0 ? {} : { where: own }) };
  });
  const order = ORDERS.find((known) => known === of['order']);
  const direction = DIRECTIONS.find((known) => known === of['direction']);
  const exclusions = listOf(of['exclusions']).flatMap(exclusionsOf);
  const method = METHODS.find((known) => known === of['method']);
  const periods = listOf(of['periods']).filter(isNumber);
  const [firstEvent] = eventsIn(of['first_event']);
  const [returnEvent] = eventsIn(of['return_event']);
  const { event_name: name, by, window_seconds: window, within_seconds: within, limit } = of;
  const figure = figureIn(of);
  const { metric, ...unmeasured } = FIRST[kind];
  // As the service does: a formula stands in place of a metric, and without either events are counted.
  const first = figure.formula === undefined && metric !== undefined ? { ...unmeasured, ...EVENTS } : unmeasured;
  return {
    ...first,
    ...figure,
    ...(of['compare'] === 'previous_period' ? { compare: 'previous_period' } : {}),
    ...(interval === undefined ? {} : { interval }),
    ...(days.length === 0 ? {} : { days }),
    ...(where.length === 0 ? {} : { where }),
    ...(steps.length === 0 ? {} : { steps }),
    ...(order === undefined ? {} : { order }),
    ...(direction === undefined ? {} : { direction }),
    ...(exclusions.length === 0 ? {} : { exclusions }),
    ...(method === undefined ? {} : { method }),
    ...(periods.length === 0 ? {} : { periods }),
    ...(firstEvent === undefined ? {} : { first_event: firstEvent }),
    ...(returnEvent === undefined ? {} : { return_event: returnEvent }),
    ...(isText(name) ? { event_name: name } : {}),
    ...(isText(by) ? { by } : {}),
    ...(isNumber(window) ? { window_seconds: window } : {}),
    ...(isNumber(within) ? { within_seconds: within } : {}),
    ...(isNumber(limit) ? { limit } : {}),
  };
}

function exclusionsOf(value: unknown): Exclusion[] {
  const { after_step: after } = recordOf(value);
  return eventsIn(value).map((event) => ({ ...event, ...(isNumber(after) ? { after_step: after } : {}) }));
}

/** The event that a value names, if it does. */
function eventsIn(value: unknown): Step[] {
  const { event_name: name, where } = recordOf(value);
  const own = whereOf(where);
  if (!isText(name) || name === '') return [];
  return [{ event_name: name, ...(own.length === 0 ? {} : { where: own }) }];
}

const EVENTS = { metric: 'events' } as const;

/** What a query measures. */
function figureIn(of: Readonly<Record<string, unknown>>): Partial<Query> {
  const { numerator, denominator } = recordOf(of['formula']);
  const [over, under] = [measuredIn(recordOf(numerator)), measuredIn(recordOf(denominator))];
  if (over !== undefined && under !== undefined) return { formula: { numerator: over, denominator: under } };
  const metric = METRIC_NAMES.find((known) => known === of['metric']);
  const perPlayer = of['per_player'] === true ? { per_player: true } : {};
  return { ...(metric === undefined ? {} : { metric }), ...optionsIn(of), ...perPlayer };
}

function measuredIn(of: Readonly<Record<string, unknown>>) {
  const metric = MEASURE_NAMES.find((known) => known === of['metric']);
  const where = whereOf(of['where']);
  return metric && { metric, ...optionsIn(of), ...(where.length === 0 ? {} : { where }) };
}

function optionsIn(of: Readonly<Record<string, unknown>>) {
  const names = listOf(of['event_names']).filter(isText);
  const percentile = PERCENTILES.find((known) => known === of['percentile']);
  const { property } = of;
  return {
    ...(names.length === 0 ? {} : { event_names: names }),
    ...(isText(property) ? { property } : {}),
    ...(percentile === undefined ? {} : { percentile }),
  };
}

/** Each operator as a condition of its own: that is how they are edited. */
function whereOf(value: unknown): Where {
  return listOf(value).flatMap((each) => {
    const { field, ...of } = recordOf(each);
    if (!isText(field)) return [];
    return FILTER_OPERATOR_NAMES.flatMap((name) => {
      const compared = of[name];
      const isOf = {
        texts: Array.isArray(compared) && compared.every(isText),
        value: isText(compared) || isNumber(compared) || typeof compared === 'boolean',
        text: isText(compared),
        number: isNumber(compared),
        true: compared === true,
      }[FILTER_OPERATORS[name].takes];
      return isOf ? [{ field, [name]: compared }] : [];
    });
  });
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

function isDay(text: string): boolean {
  return text.length === 10 && !Number.isNaN(Date.parse(text));
}
