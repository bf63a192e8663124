import { Type, type Static } from 'typebox';
import { BUCKETS } from '../../../../actors/conditions/buckets/hash.ts';
import { mayDraw, splitsOf } from '../../../../actors/flags/draw/strata.ts';
import { armsOf } from '../../../../actors/flags/periods.ts';
import type { FlagArm, FlagDocument, FlagPeriod, FlagSplit } from '../../../../core/vocabulary/documents/documents.ts';
import type { ExperimentPeriod } from '../../../../clickhouse-schema/queries/experiments/experiment-query.ts';
import type { Failure } from '../../../../core/kernel/errors.ts';
import { scopeOf } from '../../analytics/queries.ts';
import { API_LIMITS } from '../../limits.ts';
import { EVENT_QUERY_LIMITS } from '../../../../clickhouse-schema/queries/events/limits.ts';
import { FLAG_API_LIMITS } from '../limits.ts';
import type { RequestContext } from '../../route/request-context.ts';
import { invalid } from '../../route/route.ts';
import { DAY_MS } from '../../../../core/kernel/days.ts';

/* What the routes with results of an experiment share: the period, the metrics and the samples. */

/** Fields that choose players and time. */
export const PERIOD_FIELDS = {
  window_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: API_LIMITS.resultsWindowDays,
      description: `Window after a player's first exposure in which its events count, days of 24 hours. Default: 7.`,
    }),
  ),
  min_exposure_age_days: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: API_LIMITS.resultsWindowDays,
      description:
        'Only players whose first exposure was at least this many days of 24 hours ago, or before the end of the ' +
        'period, count. With the value of `window_days` all have their whole window. Default: 0.',
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
  split: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2 ** 32 - 1,
      description:
        "Flag with variants: compare the players of this split, one of `splits`. Default: the flag's own weights if " +
        'any player got a variant by them, else the split with the most players.',
    }),
  ),
};

const PeriodInput = Type.Object(PERIOD_FIELDS);

/** The period of a request: whom to measure, the variants, and what the response says of the period. */
export interface MeasuredPeriod {
  kind: 'period';
  measured: ExperimentPeriod;
  arms: readonly FlagArm[];
  /** The weights of each stratum of a flag with variants. */
  splits: readonly FlagSplit[];
  /** What the request names: the percentage of a boolean flag, the stratum of another one. */
  percentage: number | undefined;
  split: number | undefined;
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
  minExposureAgeDays: number;
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
  if (input.split !== undefined && flag.flagType === 'boolean') {
    return invalid([{ path: `${path}split`, message: 'is not allowed for boolean flags; send `percentage`' }]);
  }
  const chosen = chosenPeriod(flag, input, path);
  if ('code' in chosen) return chosen;
  const nowMs = services.clock.wallMs();
  const windowDays = input.window_days ?? DEFAULT_WINDOW_DAYS;
  const { current, next, all } = chosen;
  const age = input.min_exposure_age_days ?? 0;
  const arms = current.arms ?? armsOf(flag);
  const splits = next === undefined ? splitsOf(flag) : (current.splits ?? [{ stratum: BUCKETS, arms }]);
  const spanFromMs = nowMs - FLAG_API_LIMITS.resultsSpanDays * DAY_MS;
  return {
    kind: 'period',
    measured: {
      ...scopeOf(key, services),
      flagKey: flag.key,
      fromVersion: current.version,
      beforeVersion: next?.version ?? MOST_VERSION,
      variants: arms.map(({ variantKey }) => variantKey),
      windowDays,
      sinceMs: Math.max(current.since - EVENT_QUERY_LIMITS.resultsMarginMs, spanFromMs),
      untilMs: next?.since ?? nowMs + EVENT_QUERY_LIMITS.resultsMarginMs,
      earlierSinceMs: Math.max(flag.createdAt - EVENT_QUERY_LIMITS.resultsMarginMs, spanFromMs),
      exposedBeforeMs: age === 0 ? undefined : Math.min(nowMs, next?.since ?? nowMs) - age * DAY_MS,
    },
    arms,
    splits,
    percentage: input.percentage,
    split: input.split,
    isBoolean: flag.flagType === 'boolean',
    draws: mayDraw(flag),
    shown: {
      flagKey: flag.key,
      flagVersion: next === undefined ? flag.version : next.version - 1,
      period: current.period,
      periods: all,
      windowDays,
      minExposureAgeDays: age,
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

export const DEFAULT_WINDOW_DAYS = 7;
