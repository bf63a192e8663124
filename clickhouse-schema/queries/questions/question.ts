/*
 * Questions about the events, sessions and purchases of one game and environment. Names of columns and functions come
 * from the lists of this folder; what callers write is only ever a bound value.
 */

/** Times are epoch milliseconds; `toMs` is exclusive. */
interface Scope {
  game: string;
  environment: string;
  fromMs: number;
  toMs: number;
}

/** A value of a row: a column of a fixed list, or a property of an event by its path. */
export type Dimension = { kind: 'column'; column: ColumnName } | { kind: 'property'; path: string };

export const EVENT_COLUMNS = ['event_name', 'country', 'lifecycle_stage', 'is_payer', 'source', 'key_kind'] as const;
export const SESSION_COLUMNS = ['end_reason', 'platform', 'app_version'] as const;
export const PURCHASE_COLUMNS = ['currency', 'product_id', 'recorded_by'] as const;

/** Of a player's first day, for retention, lifetime value and new players. */
export const COHORT_COLUMNS = ['country', 'platform', 'app_version'] as const;
export type CohortColumn = (typeof COHORT_COLUMNS)[number];

export type ColumnName =
  | (typeof EVENT_COLUMNS)[number]
  | (typeof SESSION_COLUMNS)[number]
  | (typeof PURCHASE_COLUMNS)[number];

/** Rows whose value is one of these texts. */
export interface Filter {
  dimension: Dimension;
  values: readonly string[];
}

/** What is measured, each from one table. */
export const METRIC_TABLES = {
  events: 'events',
  players: 'events',
  sum: 'events',
  sessions: 'sessions',
  playtime_seconds: 'sessions',
  purchases: 'purchases',
  payers: 'purchases',
  revenue: 'purchases',
  new_players: 'player_days',
} as const;

export type Metric = keyof typeof METRIC_TABLES;

interface Measured extends Scope {
  metric: Metric;
  /** The number to add up, of the metric `sum`. */
  property?: string | undefined;
  /** Of metrics of `events`; empty: all. */
  eventNames: readonly string[];
  where: readonly Filter[];
  /** Counts distinct players in groups, which spill to disk, and not in sets, which are three times as fast. */
  spills?: boolean;
}

export const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

/** A metric over time; with `by`, the series of its `limit` largest values. */
export interface TrendQuestion extends Measured {
  kind: 'trend';
  interval: Interval;
  by?: Dimension | undefined;
  limit: number;
}

/** A metric by the values of a dimension, the largest first. */
export interface BreakdownQuestion extends Measured {
  kind: 'breakdown';
  by: Dimension;
  limit: number;
}

/** Players by their first day, and how many were active N days later. */
export interface RetentionQuestion extends Scope {
  kind: 'retention';
  days: readonly number[];
  by?: CohortColumn | undefined;
  limit: number;
}

/** Players by their first day, and their revenue up to N days later. */
export interface LtvQuestion extends Scope {
  kind: 'ltv';
  days: readonly number[];
  by?: CohortColumn | undefined;
  limit: number;
}

export interface FunnelStep {
  eventName: string;
  where: readonly Filter[];
}

/** An event that ends attempts: after one step, or after any. */
export interface FunnelExclusion extends FunnelStep {
  afterStep?: number | undefined;
}

/**
 * `ordered`: the steps in their order, with other events between them. `strict`: without. `any_order`: the steps in any
 * order.
 */
export const FUNNEL_ORDERS = ['ordered', 'strict', 'any_order'] as const;

/** Players who did steps, all within `windowSeconds` of the first. */
export interface FunnelQuestion extends Scope {
  kind: 'funnel';
  order: (typeof FUNNEL_ORDERS)[number];
  steps: readonly FunnelStep[];
  exclusions: readonly FunnelExclusion[];
  windowSeconds: number;
  /** Players whose attempt is younger than the window at this time may still convert. */
  nowMs: number;
  by?: Dimension | undefined;
  limit: number;
}

/** What players did next, and after that. */
export interface PathsQuestion extends Scope {
  kind: 'paths';
  eventName: string;
  where: readonly Filter[];
  /** Longest pause between two steps. */
  withinSeconds: number;
  limit: number;
}

export type Question =
  | TrendQuestion
  | BreakdownQuestion
  | RetentionQuestion
  | LtvQuestion
  | FunnelQuestion
  | PathsQuestion;

/** Whether a question reads `player_days`, which follows the other tables some seconds later. */
export function readsDays(question: Question): boolean {
  return (
    question.kind === 'retention' ||
    question.kind === 'ltv' ||
    ('metric' in question && METRIC_TABLES[question.metric] === 'player_days')
  );
}
