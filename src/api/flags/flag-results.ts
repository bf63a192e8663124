import { Type, type Static } from 'typebox';
import type { MeasuredVariant } from '../../../clickhouse-schema/queries/analytics.ts';
import type { Aggregate, ExperimentQuery } from '../../../clickhouse-schema/queries/experiment-query.ts';
import { armsOf, periodsOf } from '../../../actors/flags/periods.ts';
import type { FlagArm, FlagDocument, FlagPeriod } from '../../../actors/vocabulary/documents.ts';
import { experimentResults, type VariantSample } from '../../analysis/experiment-results.ts';
import { failure, type Failure, type FieldFault } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { answer } from '../answer.ts';
import { FLAG_RESULTS_EXAMPLE, FlagResults, resultsJson } from './flag-results-resource.ts';
import { findFlag } from './flags.ts';
import type { RequestContext } from '../request-context.ts';
import { defineRoute, invalid } from '../route.ts';

/* The route that returns the results of a flag's experiment, computed from ClickHouse. */

const ResultsQuery = Type.Object({
  metric: Type.String({
    minLength: 1,
    maxLength: LIMITS.nameLength,
    description: 'Name of the events to measure.',
  }),
  aggregate: Type.Optional(
    Type.Unsafe<Aggregate['kind']>({
      type: 'string',
      enum: ['conversion', 'count', 'sum'],
      description:
        'Metric of a player: whether the player has such an event (`conversion`, default), the number of events ' +
        '(`count`), or the sum of a numeric property (`sum`).',
    }),
  ),
  property: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.propertyPathLength,
      description:
        'Required with `sum`: path of the number in the properties, keys joined by dots (`price.amount`). Other ' +
        'values count as 0.',
    }),
  ),
  window_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.resultsWindowDays,
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
});
type ResultsQuery = Static<typeof ResultsQuery>;

/**
 * The experiment includes the players exposed to a variant in this period of the flag, without the default (no
 * variant), disabled flags and overrides. The variants of a boolean flag are `false`, the control, and `true`. Events
 * count after the first exposure, by server time and, within a millisecond, by position in the log; players whose
 * window is still open are included. A boolean flag has an expected ratio only if its one rule is a plain roll-out to
 * all players.
 */
export const getFlagResults = defineRoute({
  method: 'GET',
  path: '/v1/flags/flags/{key}/results',
  tag: 'Feature flags',
  summary: "Get the results of a flag's experiment",
  description:
    'Compares each variant with the first one, the control, by a metric of the exposed players. An edit that ' +
    'changes which players get which value (variants, weights, rules, default, enabled, prerequisites) starts a ' +
    "new period; results cover one period. A player's events count from its first exposure to the end of the " +
    'window, including the event that exposed the player. Players who were served two variants in the period, ' +
    'or exposed to another variant in an earlier period, are left out. Results are not corrected for the number ' +
    'of variants. They are about a second behind; the test environment records no exposures.',
  auth: { keys: ['server'] },
  limitClass: 'none',
  errors: ['FLAG_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: { params: Type.Object({ key: Type.String({ description: "The flag's key." }) }), query: ResultsQuery },
  reply: { statuses: [200], description: 'The results.', schema: FlagResults, example: FLAG_RESULTS_EXAMPLE },
  action: {
    kind: 'analytics',
    toQuestion({ params, query }, context) {
      const flag = findFlag(params.key, context);
      if (flag === undefined) return failure('FLAG_NOT_FOUND');
      const aggregate = aggregateOf(query);
      if ('code' in aggregate) return aggregate;
      const found = chosenPeriod(flag, query);
      return 'code' in found ? found : questionOf(flag, query, aggregate, found, context);
    },
    read: (analytics, { measured }) => analytics.experiment(measured),
    toAnswer(variants, { arms, shown }) {
      const samples = arms.map((arm) => sampleOf(variants, arm));
      const total = (count: (measured: MeasuredVariant) => number) =>
        variants.reduce((sum, one) => sum + count(one), 0);
      const players = {
        excludedPlayers: total(({ excluded, players }) => (excluded ? players : 0)),
        mismatchedPlayers: total(({ mismatches }) => mismatches),
      };
      return answer(resultsJson({ ...shown, ...players }, experimentResults(samples)));
    },
  },
});

/** @param chosen the period of the results */
function questionOf(
  flag: FlagDocument,
  query: ResultsQuery,
  aggregate: Aggregate,
  chosen: Chosen,
  { key, services }: RequestContext,
) {
  const nowMs = services.clock.wallMs();
  const windowDays = query.window_days ?? DEFAULT_WINDOW_DAYS;
  const { current, next, all } = chosen;
  const arms = current.arms ?? armsOf(flag);
  const spanFromMs = nowMs - LIMITS.resultsSpanDays * DAY_MS;
  const measured: ExperimentQuery = {
    game: key.game,
    environment: key.environment,
    flagKey: flag.key,
    fromVersion: current.version,
    beforeVersion: next?.version ?? MOST_VERSION,
    variantBy: flag.flagType === 'boolean' ? 'value' : 'variant_key',
    variants: arms.map(({ variantKey }) => variantKey),
    metric: query.metric,
    aggregate,
    windowDays,
    sinceMs: Math.max(current.since - LIMITS.resultsMarginMs, spanFromMs),
    untilMs: next?.since ?? nowMs + LIMITS.resultsMarginMs,
    earlierSinceMs: Math.max(flag.createdAt - LIMITS.resultsMarginMs, spanFromMs),
  };
  const shown = {
    flagKey: flag.key,
    flagVersion: next === undefined ? flag.version : next.version - 1,
    period: current.period,
    periods: all,
    metric: query.metric,
    aggregate: aggregate.kind,
    windowDays,
  };
  return { kind: 'question' as const, question: { measured, arms, shown } };
}

/** Versions are 32-bit integers in ClickHouse; no flag reaches this one. */
const MOST_VERSION = 2 ** 32 - 1;

interface Chosen {
  current: FlagPeriod;
  /** The following period; undefined for the current one. */
  next: FlagPeriod | undefined;
  all: readonly FlagPeriod[];
}

/** The period that the query selects. */
function chosenPeriod(flag: FlagDocument, { period, version }: ResultsQuery): Chosen | Failure {
  const all = periodsOf(flag);
  if (period !== undefined && version !== undefined) {
    return invalid([{ path: 'version', message: 'cannot be combined with `period`; send one of them' }]);
  }
  const place = all.findLastIndex((one) => {
    if (version !== undefined) return one.version <= version;
    return period === undefined || one.period === period;
  });
  const current = all[place];
  if (current === undefined || (version ?? 0) > flag.version) {
    const path = version === undefined ? 'period' : 'version';
    return invalid([{ path, message: 'matches no period of the flag; see `periods` in the results' }]);
  }
  return { current, next: all[place + 1], all };
}

const DEFAULT_WINDOW_DAYS = 7;
const DAY_MS = 86_400_000;

function aggregateOf({ aggregate: kind = 'conversion', property }: ResultsQuery): Aggregate | Failure {
  const faults: FieldFault[] = [];
  if (kind === 'sum' && property === undefined)
    faults.push({ path: 'property', message: 'is required with `aggregate=sum`' });
  if (kind !== 'sum' && property !== undefined)
    faults.push({ path: 'property', message: 'is allowed with `aggregate=sum` only' });
  if ((property?.split('.').length ?? 0) > LIMITS.propertyPathKeys) {
    faults.push({ path: 'property', message: `must have at most ${LIMITS.propertyPathKeys} keys joined by dots` });
  }
  if (faults.length > 0) return invalid(faults);
  return kind === 'sum' ? { kind, property: property ?? '' } : { kind };
}

/** The sample of a variant; an empty sample if no player was exposed to it. */
function sampleOf(measured: readonly MeasuredVariant[], { variantKey, weight }: FlagArm): VariantSample {
  const rows = measured.filter(({ variant }) => variant === variantKey);
  const arrived = rows.reduce((sum, row) => (row.arrived ? sum + row.players : sum), 0);
  const found = rows.find(({ excluded }) => !excluded);
  if (found === undefined) {
    const nothing = { players: 0, conversions: 0, sum: 0, mean: Number.NaN, variance: Number.NaN };
    return { variantKey, weight, arrived, ...nothing };
  }
  const { players, conversions, sum, mean, variance } = found;
  return { variantKey, weight, arrived, players, conversions, sum, mean, variance };
}
