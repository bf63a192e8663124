import { Type, type Static } from 'typebox';
import type { MeasuredVariant } from '../../../clickhouse-schema/queries/analytics.ts';
import type { Aggregate } from '../../../clickhouse-schema/queries/experiment-query.ts';
import { armsOf, periodsOf } from '../../../actors/flags/periods.ts';
import type { FlagArm, FlagDocument, FlagPeriod } from '../../../actors/vocabulary/documents.ts';
import { experimentResults, type VariantSample } from '../../analysis/experiment-results.ts';
import { failure, type Failure, type FieldFault } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { answer, type Answer } from '../answer.ts';
import { FLAG_RESULTS_EXAMPLE, FlagResults, resultsJson } from './flag-results-resource.ts';
import { findFlag } from './flags.ts';
import type { RequestContext } from '../request-context.ts';
import { defineRoute, invalid } from '../route.ts';

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
        'Metric of a player: whether it has such an event (`conversion`, the default), how many (`count`), or the sum of a ' +
        'number in their properties (`sum`).',
    }),
  ),
  property: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.propertyPathLength,
      description:
        'With `sum`: where the number is in the properties, keys joined by dots (`price.amount`). What is no number there counts 0.',
    }),
  ),
  window_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.resultsWindowDays,
      description: `Days of 24 hours after a player's first exposure in which its events count; 7 when left out.`,
    }),
  ),
  period: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2 ** 32 - 1,
      description:
        'Period of the flag, one of `periods` in the answer; the current one by default. The results of an earlier period ' +
        'end where the next begins.',
    }),
  ),
  version: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2 ** 32 - 1,
      description: 'Instead of `period`: a version of the flag; selects the period that contains it.',
    }),
  ),
});
type ResultsQuery = Static<typeof ResultsQuery>;

/**
 * The experiment includes the players exposed to a variant in this period of the flag. The default (no variant), a
 * disabled flag and overrides are left out. A boolean flag's variants are `false`, the control, and `true`.
 * Only events after the first exposure count, by the server's clock and, within a millisecond, by place in the log. Players
 * whose window isn't over yet are in it with what they did so far. The weights are those of the variants; for a boolean flag
 * there is an expected ratio when its one rule is a plain roll-out to everybody.
 */
export const getFlagResults = defineRoute({
  method: 'GET',
  path: '/v1/flags/flags/{key}/results',
  tag: 'Feature flags',
  summary: 'Results of the experiment a flag is',
  description:
    'Compares the metric of the players exposed to each variant with that of the first variant, the control. An edit that changes ' +
    'who gets what (variants, weights, rules, default, switch, prerequisites) begins a new period; results are of one period. ' +
    "Events count from a player's first exposure for the window, the exposing event included. Players served two variants in " +
    'the period, or exposed to another one in an earlier period, are left out. Comparisons with several variants are not ' +
    'corrected for their number. About a second behind; the test environment has no exposures.',
  auth: { keys: ['server'] },
  limitClass: 'none',
  errors: ['FLAG_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: { params: Type.Object({ key: Type.String({ description: "The flag's key." }) }), query: ResultsQuery },
  reply: { statuses: [200], description: 'The results.', schema: FlagResults, example: FLAG_RESULTS_EXAMPLE },
  action: {
    kind: 'handle',
    handle({ params, query }, context) {
      const flag = findFlag(params.key, context);
      if (flag === undefined) return failure('FLAG_NOT_FOUND');
      const aggregate = aggregateOf(query);
      return 'code' in aggregate ? aggregate : results(flag, query, aggregate, context);
    },
  },
});

async function results(
  flag: FlagDocument,
  query: ResultsQuery,
  aggregate: Aggregate,
  { key, services }: RequestContext,
): Promise<Answer> {
  const found = chosenPeriod(flag, query);
  if ('code' in found) return found;
  const nowMs = services.clock.wallMs();
  const windowDays = query.window_days ?? DEFAULT_WINDOW_DAYS;
  const { current, next, all } = found;
  const arms = current.arms ?? armsOf(flag);
  const spanFromMs = nowMs - LIMITS.resultsSpanDays * DAY_MS;
  const asked = await services.analytics.experiment({
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
  });
  if (asked.kind === 'unavailable') return failure('SERVICE_UNAVAILABLE', 'ClickHouse cannot answer just now.');
  const samples = arms.map((arm) => sampleOf(asked.value, arm));
  const total = (count: (measured: MeasuredVariant) => number) => asked.value.reduce((sum, one) => sum + count(one), 0);
  const shown = {
    flagKey: flag.key,
    flagVersion: next === undefined ? flag.version : next.version - 1,
    period: current.period,
    periods: all,
    metric: query.metric,
    aggregate: aggregate.kind,
    windowDays,
    excludedPlayers: total(({ excluded, players }) => (excluded ? players : 0)),
    mismatchedPlayers: total(({ mismatches }) => mismatches),
  };
  return answer(resultsJson(shown, experimentResults(samples)));
}

/** No flag gets this many versions, and ClickHouse holds them in 32 bits. */
const MOST_VERSION = 2 ** 32 - 1;

interface Chosen {
  current: FlagPeriod;
  /** The period that ended it. */
  next: FlagPeriod | undefined;
  all: readonly FlagPeriod[];
}

/** The period that the query selects. */
function chosenPeriod(flag: FlagDocument, { period, version }: ResultsQuery): Chosen | Failure {
  const all = periodsOf(flag);
  if (period !== undefined && version !== undefined) {
    return invalid([{ path: 'version', message: 'cannot be combined with `period`; send one of the two' }]);
  }
  const place = all.findLastIndex((one) => {
    if (version !== undefined) return one.version <= version;
    return period === undefined || one.period === period;
  });
  const current = all[place];
  if (current === undefined || (version ?? 0) > flag.version) {
    const path = version === undefined ? 'period' : 'version';
    return invalid([{ path, message: 'selects no period that the flag keeps; `periods` of the results lists them' }]);
  }
  return { current, next: all[place + 1], all };
}

const DEFAULT_WINDOW_DAYS = 7;
const DAY_MS = 86_400_000;

function aggregateOf({ aggregate: kind = 'conversion', property }: ResultsQuery): Aggregate | Failure {
  const faults: FieldFault[] = [];
  if (kind === 'sum' && property === undefined)
    faults.push({ path: 'property', message: 'is required with aggregate=sum' });
  if (kind !== 'sum' && property !== undefined)
    faults.push({ path: 'property', message: 'goes with aggregate=sum only' });
  if ((property?.split('.').length ?? 0) > LIMITS.propertyPathKeys) {
    faults.push({ path: 'property', message: `must have at most ${LIMITS.propertyPathKeys} keys` });
  }
  if (faults.length > 0) return invalid(faults);
  return kind === 'sum' ? { kind, property: property ?? '' } : { kind };
}

/** What was measured of a variant; nobody, if nobody saw it. */
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
