import { Type, type Static } from 'typebox';
import { armsOf, canDraw } from '../../../../actors/flags/periods.ts';
import type { FlagArm, FlagDocument, FlagPeriod } from '../../../../core/vocabulary/documents/documents.ts';
import type {
  Aggregate,
  ExperimentPeriod,
} from '../../../../clickhouse-schema/queries/experiments/experiment-query.ts';
import type { Failure, FieldFault } from '../../../../core/kernel/errors.ts';
import { API_LIMITS } from '../../limits.ts';
import { EVENT_QUERY_LIMITS } from '../../../../clickhouse-schema/queries/events/limits.ts';
import { FLAG_API_LIMITS } from '../limits.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import type { RequestContext } from '../../route/request-context.ts';
import { invalid } from '../../route/route.ts';
import { DAY_MS } from '../../../../core/kernel/days.ts';
import { oneOf } from '../../input/fields.ts';

/* What the routes with results of an experiment share: the period, the metrics and the samples. */

/** Fields of a metric. */
export const METRIC_FIELDS = {
  metric: Type.String({
    minLength: 1,
    maxLength: TEXT_LIMITS.nameLength,
    description: 'Name of the events to measure.',
  }),
  aggregate: Type.Optional(
    oneOf(
      ['conversion', 'count', 'sum'],
      'Metric of a player: whether the player has such an event (`conversion`, default), the number of events ' +
        '(`count`), or the sum of a numeric property (`sum`).',
    ),
  ),
  property: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: API_LIMITS.propertyPathLength,
      description:
        'Required with `sum`: path of the number in the properties, keys joined by dots (`price.amount`). Other ' +
        'values count as 0.',
    }),
  ),
};

/** Fields that choose players and time. */
export const PERIOD_FIELDS = {
  window_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: API_LIMITS.resultsWindowDays,
      description: `Window after a player's first exposure in which its events count, days of 24 hours. Default: 7.`,
    }),
  ),
  period: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2 ** 32 - 1,
      description:
        'Number of a period in `periods` of the response. Default: the current period. Results of an earlier period ' +
        'end where the next period starts.',
    }),
  ),
  version: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2 ** 32 - 1,
      description: 'Version of the flag, instead of `period`. It selects the period that contains the version.',
    }),
  ),
  percentage: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      exclusiveMaximum: 100,
      description:
        'Boolean flag: compare the players of whose kind this percentage gets `true`. Default: the percentage of the ' +
        'flag if it has only one, else the one with the most players; `percentages` lists them.',
    }),
  ),
};

const MetricInput = Type.Object(METRIC_FIELDS);
const PeriodInput = Type.Object(PERIOD_FIELDS);

/** The period of a request: whom to measure, the variants, and what the response says of the period. */
export interface MeasuredPeriod {
  kind: 'period';
  measured: ExperimentPeriod;
  arms: readonly FlagArm[];
  /** The percentage of a boolean flag that the request names. */
  percentage: number | undefined;
  isBoolean: boolean;
  /** Whether the flag draws for anybody now. */
  draws: boolean;
  shown: ShownPeriod;
}

export interface ShownPeriod {
  flagKey: string;
  flagVersion: number;
  period: number;
  periods: readonly FlagPeriod[];
  windowDays: number;
}

/**
 * The period that a request selects.
 * @param path where the fields are: empty for a query string, `/` for a body
 */
export function measuredPeriod(
  flag: FlagDocument,
  input: Static<typeof PeriodInput>,
  { key, services }: RequestContext,
  path = '',
): MeasuredPeriod | Failure {
  if (input.percentage !== undefined && flag.flagType !== 'boolean') {
    return invalid([{ path: `${path}percentage`, message: 'is allowed for boolean flags only; others have weights' }]);
  }
  const chosen = chosenPeriod(flag, input, path);
  if ('code' in chosen) return chosen;
  const nowMs = services.clock.wallMs();
  const windowDays = input.window_days ?? DEFAULT_WINDOW_DAYS;
  const { current, next, all } = chosen;
  const arms = current.arms ?? armsOf(flag);
  const spanFromMs = nowMs - FLAG_API_LIMITS.resultsSpanDays * DAY_MS;
  return {
    kind: 'period',
    measured: {
      game: key.game,
      environment: key.environment,
      flagKey: flag.key,
      fromVersion: current.version,
      beforeVersion: next?.version ?? MOST_VERSION,
      variants: arms.map(({ variantKey }) => variantKey),
      windowDays,
      sinceMs: Math.max(current.since - EVENT_QUERY_LIMITS.resultsMarginMs, spanFromMs),
      untilMs: next?.since ?? nowMs + EVENT_QUERY_LIMITS.resultsMarginMs,
      earlierSinceMs: Math.max(flag.createdAt - EVENT_QUERY_LIMITS.resultsMarginMs, spanFromMs),
    },
    arms,
    percentage: input.percentage,
    isBoolean: flag.flagType === 'boolean',
    draws: canDraw(flag),
    shown: {
      flagKey: flag.key,
      flagVersion: next === undefined ? flag.version : next.version - 1,
      period: current.period,
      periods: all,
      windowDays,
    },
  };
}

/** Versions are 32-bit integers in ClickHouse; no flag reaches this one. */
const MOST_VERSION = 2 ** 32 - 1;

interface Chosen {
  current: FlagPeriod;
  /** The following period; undefined for the current one. */
  next: FlagPeriod | undefined;
  all: readonly FlagPeriod[];
}

function chosenPeriod(
  flag: FlagDocument,
  { period, version }: Static<typeof PeriodInput>,
  at: string,
): Chosen | Failure {
  const { periods: all } = flag;
  if (period !== undefined && version !== undefined) {
    return invalid([{ path: `${at}version`, message: 'cannot be combined with `period`; send one of them' }]);
  }
  const place = all.findLastIndex((one) => {
    if (version !== undefined) return one.version <= version;
    return period === undefined || one.period === period;
  });
  const current = all[place];
  if (current === undefined || (version ?? 0) > flag.version) {
    const path = `${at}${version === undefined ? 'period' : 'version'}`;
    return invalid([{ path, message: 'matches no period of the flag; see `periods` in the results' }]);
  }
  return { current, next: all[place + 1], all };
}

const DEFAULT_WINDOW_DAYS = 7;

/**
 * The aggregate of a metric; its faults are added to `faults`.
 * @param path where the metric is in the request, with `/` at the end; empty for a query string
 */
export function aggregateOf(
  { aggregate: kind = 'conversion', property }: Static<typeof MetricInput>,
  path: string,
  faults: FieldFault[],
): Aggregate {
  const at = `${path}property`;
  if (kind === 'sum' && property === undefined) faults.push({ path: at, message: 'is required with `aggregate=sum`' });
  if (kind !== 'sum' && property !== undefined)
    faults.push({ path: at, message: 'is allowed with `aggregate=sum` only' });
  if ((property?.split('.').length ?? 0) > API_LIMITS.propertyPathKeys) {
    faults.push({ path: at, message: `must have at most ${API_LIMITS.propertyPathKeys} keys joined by dots` });
  }
  return kind === 'sum' ? { kind, property: property ?? '' } : { kind };
}
