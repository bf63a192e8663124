import type { DimensionName } from '../../../core/vocabulary/metrics/dimensions.ts';
import type { MeasureName } from '../../../core/vocabulary/metrics/measures.ts';
import type { Source, Unit } from '../../../core/vocabulary/metrics/metric.ts';
import { measureOf, type Percentile } from '../../../core/vocabulary/metrics/metrics.ts';
import { DAY_INTERVALS, type DayInterval } from '../../behaviour/intervals.ts';
import type { ExtractedColumn } from '../../extracted-properties.ts';
import { columnSql } from '../../metrics/dimension-sql.ts';

/*
 * Questions about the events, sessions and purchases of one game and environment. Names of columns and functions come
 * from the lists of this folder; what callers write is only ever a bound value.
 */

/** Times are epoch milliseconds; `toMs` is exclusive. */
export interface Scope {
  game: string;
  environment: string;
  fromMs: number;
  toMs: number;
  /** The IANA name of the game's time zone, in which days count. */
  zone: string;
  /** The columns of the question's properties, of those that have one by the game's settings. */
  extracted?: readonly ExtractedColumn[] | undefined;
}

/** A value of a row, or of its player now. A property and an attribute have a path, a segment its key. */
export type Dimension =
  | { kind: 'column'; column: DimensionName }
  | { kind: 'property' | 'attribute'; path: string }
  | { kind: 'segment'; key: string };

/** What a value is compared with; see `FILTER_OPERATORS`. */
export type Test =
  | { operator: 'in'; value: readonly string[] }
  | { operator: 'is' | 'is_not'; value: string | number | boolean }
  | { operator: 'gt' | 'gte' | 'lt' | 'lte'; value: number }
  | { operator: 'contains'; value: string }
  | { operator: 'is_set' | 'is_not_set'; value: true };

/** Rows whose value passes a test. */
export interface Filter {
  dimension: Dimension;
  test: Test;
}

/** Of a player's first day, for retention, lifetime value and new players. */
export const COHORT_COLUMNS = ['country', 'platform', 'app_version'] as const;
export type CohortColumn = (typeof COHORT_COLUMNS)[number];

/** A measure of some rows. */
export interface Part {
  measure: MeasureName;
  /** The number that an aggregate of a property is of. */
  property?: string | undefined;
  /** In percent, of the measure `percentile`. */
  percentile?: Percentile | undefined;
  /** Of measures of events; empty: all. */
  eventNames: readonly string[];
  where: readonly Filter[];
}

/** How a figure is called and shown. */
export interface Figure {
  metric: string;
  title: string;
  unit: Unit;
  /** Why it may be null; undefined: it is 0 without rows. */
  nullWithout: string | undefined;
}

interface Measured extends Scope {
  figure: Figure;
  /** One measure, or a numerator and a denominator. */
  parts: readonly [Part] | readonly [Part, Part];
  /** Counts distinct players in groups, which spill to disk, and not in sets, which are three times as fast. */
  spills?: boolean;
}

export const INTERVALS = ['hour', ...DAY_INTERVALS] as const;
export type Interval = (typeof INTERVALS)[number];

/** A metric over time; with `by`, the series of its `limit` largest values. */
export interface TrendQuestion extends Measured {
  kind: 'trend';
  interval: Interval;
  /** Where the period before begins that is asked for beside the range: at `fromMs` it ends. */
  beforeMs?: number | undefined;
  by?: Dimension | undefined;
  limit: number;
}

/** A metric by the values of a dimension, the largest first. */
export interface BreakdownQuestion extends Measured {
  kind: 'breakdown';
  by: Dimension;
  limit: number;
}

/** `classic`: who returned in the Nth interval after the first. `rolling`: in that or a later one. */
export const RETENTION_METHODS = ['classic', 'rolling'] as const;

/** Players by the interval in which they began, and how many returned N intervals later. */
export interface RetentionQuestion extends Scope {
  kind: 'retention';
  method: (typeof RETENTION_METHODS)[number];
  interval: DayInterval;
  /** With what players begin: their first such event in the range. Otherwise with their first day. */
  firstEvent?: FunnelStep | undefined;
  /** With what they return. Otherwise with a day on which they are active. */
  returnEvent?: FunnelStep | undefined;
  /** Numbers of intervals after the first. */
  periods: readonly number[];
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

export const PATH_DIRECTIONS = ['forward', 'backward'] as const;

/** What players did next and after that, or before. */
export interface PathsQuestion extends Scope {
  kind: 'paths';
  direction: (typeof PATH_DIRECTIONS)[number];
  eventName: string;
  where: readonly Filter[];
  /** Longest pause between two steps. */
  withinSeconds: number;
  limit: number;
}

/** Players by what they are in an interval: see `LIFECYCLE_STATES`. */
export interface LifecycleQuestion extends Scope {
  kind: 'lifecycle';
  interval: DayInterval;
  /** Where the interval before the range begins. */
  beforeMs: number;
  /** On players: all of a player's days pass, or none. */
  where: readonly Filter[];
}

export const STICKINESS_INTERVALS = ['week', 'month'] as const;

/** Players by the number of days of an interval on which they were active. */
export interface StickinessQuestion extends Scope {
  kind: 'stickiness';
  interval: (typeof STICKINESS_INTERVALS)[number];
  /** As of `LifecycleQuestion`. */
  where: readonly Filter[];
}

export type Question =
  | TrendQuestion
  | BreakdownQuestion
  | RetentionQuestion
  | LtvQuestion
  | FunnelQuestion
  | PathsQuestion
  | LifecycleQuestion
  | StickinessQuestion;

/** Whether a question reads `player_days`, which follows the other tables some seconds later. */
export function readsDays(question: Question): boolean {
  switch (question.kind) {
    case 'retention':
      return question.firstEvent === undefined || question.returnEvent === undefined;
    case 'ltv':
    case 'lifecycle':
    case 'stickiness':
      return true;
    case 'trend':
    case 'breakdown':
      return question.parts.some(({ measure, where }) => {
        const { source } = measureOf(measure);
        const used = [...where.map(({ dimension }) => dimension), ...(question.by === undefined ? [] : [question.by])];
        return source === 'player_days' || source === 'first_days' || used.some((one) => isOfDay(one, source));
      });
    case 'funnel':
    case 'paths':
      return false;
  }
}

function isOfDay(dimension: Dimension, source: Source): boolean {
  return dimension.kind === 'column' && columnSql(dimension.column, source)?.of === 'day';
}
