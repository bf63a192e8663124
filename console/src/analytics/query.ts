import type { AnswerOf, BodyOf } from '../frame/api.ts';
import { DAY_MS } from '../parts/charts/units.ts';

/* An analytics query as the screen edits it, and its form in the address: `?q=<JSON>&days=28`, or `&from=…&to=…`. */

export type Query = Omit<BodyOf<'POST /v1/analytics/queries'>, 'from' | 'to'>;
export type Kind = Query['kind'];
export type Result = AnswerOf<'POST /v1/analytics/queries'>;
export type ResultOf<K extends Kind> = Extract<Result, { kind: K }>;
export type Where = NonNullable<Query['where']>;
export type Step = NonNullable<Query['steps']>[number];
export type Exclusion = NonNullable<Query['exclusions']>[number];

/** The last days, today included, or UTC days of which both ends count. */
export type Range = { days: number } | { from: string; to: string };

export interface Asked {
  query: Query;
  range: Range;
}

export const KINDS = ['trend', 'retention', 'funnel', 'ltv', 'breakdown', 'paths'] as const satisfies readonly Kind[];
export const METRICS = [
  'events',
  'players',
  'new_players',
  'sum',
  'sessions',
  'playtime_seconds',
  'purchases',
  'payers',
  'revenue',
] as const satisfies readonly NonNullable<Query['metric']>[];
export const INTERVALS = ['hour', 'day', 'week', 'month'] as const satisfies readonly NonNullable<Query['interval']>[];
export const ORDERS = ['ordered', 'strict', 'any_order'] as const satisfies readonly NonNullable<Query['order']>[];
export const DIRECTIONS = ['forward', 'backward'] as const satisfies readonly NonNullable<Query['direction']>[];
export const RANGES = [1, 7, 28, 90, 365] as const;
const DEFAULT_DAYS = 28;

/** What a new query of a kind asks. */
export const FIRST: Readonly<Record<Kind, Query>> = {
  trend: { kind: 'trend', metric: 'players', interval: 'day' },
  retention: { kind: 'retention' },
  funnel: { kind: 'funnel', steps: [{ event_name: '' }, { event_name: '' }] },
  ltv: { kind: 'ltv' },
  breakdown: { kind: 'breakdown', metric: 'events', by: 'event_name' },
  paths: { kind: 'paths', event_name: '' },
};

/** Whether a query has what its kind requires; the service checks the rest. */
export function isComplete({ kind, metric, property, by, event_name: name, steps = [] }: Query): boolean {
  if (kind === 'paths') return name !== undefined && name !== '';
  if (kind === 'funnel') return steps.length > 1 && steps.every((step) => step.event_name !== '');
  if (kind === 'breakdown' && (by === undefined || by === '')) return false;
  return metric !== 'sum' || (property !== undefined && property !== '');
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

/** A query with two days as its range, both of which count. */
export function withDays(query: Query, { from, to }: { from: string; to: string }) {
  return {
    ...query,
    from: new Date(Date.parse(from)).toISOString(),
    to: new Date(Date.parse(to) + DAY_MS).toISOString(),
  };
}

/** The body that asks the service. A range of days ends with today, so that it names the same answer all day. */
export function bodyOf({ query, range }: Asked, nowMs: number): BodyOf<'POST /v1/analytics/queries'> {
  if ('from' in range) return withDays(query, range);
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const from = new Date(today - (range.days - 1) * DAY_MS).toISOString();
  return { ...query, from, to: new Date(today + DAY_MS).toISOString() };
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
  const metric = METRICS.find((known) => known === of['metric']);
  const interval = INTERVALS.find((known) => known === of['interval']);
  const names = listOf(of['event_names']).filter(isText);
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
  const { property, event_name: name, by, window_seconds: window, within_seconds: within, limit } = of;
  return {
    ...FIRST[kind],
    ...(metric === undefined ? {} : { metric }),
    ...(interval === undefined ? {} : { interval }),
    ...(names.length === 0 ? {} : { event_names: names }),
    ...(days.length === 0 ? {} : { days }),
    ...(where.length === 0 ? {} : { where }),
    ...(steps.length === 0 ? {} : { steps }),
    ...(order === undefined ? {} : { order }),
    ...(direction === undefined ? {} : { direction }),
    ...(exclusions.length === 0 ? {} : { exclusions }),
    ...(isText(property) ? { property } : {}),
    ...(isText(name) ? { event_name: name } : {}),
    ...(isText(by) ? { by } : {}),
    ...(isNumber(window) ? { window_seconds: window } : {}),
    ...(isNumber(within) ? { within_seconds: within } : {}),
    ...(isNumber(limit) ? { limit } : {}),
  };
}

function exclusionsOf(value: unknown): Exclusion[] {
  const { event_name: name, where, after_step: after } = recordOf(value);
  const own = whereOf(where);
  if (!isText(name) || name === '') return [];
  return [
    {
      event_name: name,
      ...(own.length === 0 ? {} : { where: own }),
      ...(isNumber(after) ? { after_step: after } : {}),
    },
  ];
}

function whereOf(value: unknown): Where {
  return listOf(value).flatMap((each) => {
    const { field, in: values } = recordOf(each);
    return isText(field) ? [{ field, in: listOf(values).filter(isText) }] : [];
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
