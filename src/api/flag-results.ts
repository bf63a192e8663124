import { Type, type Static } from 'typebox';
import type { MeasuredVariant } from '../../clickhouse-schema/analytics.ts';
import type { Aggregate } from '../../clickhouse-schema/experiment-query.ts';
import type { FlagDocument } from '../../streams/config/documents.ts';
import { experimentResults, type VariantSample } from '../analysis/experiment-results.ts';
import { failure, type Failure, type FieldFault } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { answer, type Answer } from './answer.ts';
import { FLAG_RESULTS_EXAMPLE, FlagResults, resultsJson } from './flag-results-resource.ts';
import { findFlag } from './flags.ts';
import type { RequestContext } from './request-context.ts';
import { defineRoute, invalid } from './route.ts';

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
  version: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2 ** 32 - 1,
      description:
        'Version of the flag whose exposures to read: after an edit, that of the experiment before it. The current one when ' +
        'left out. The variants are those of the current definition, and no ratio is expected of an earlier version.',
    }),
  ),
});
type ResultsQuery = Static<typeof ResultsQuery>;

/**
 * What the decisions leave open is settled here. In the experiment is who was exposed to a variant of this version of the flag; the
 * default (no variant), a disabled flag and overrides are not. A boolean flag's variants are `false`, the control, and `true`.
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
    'Compares the metric of the players exposed to each variant with that of the first variant, the control. Events count from a ' +
    "player's first exposure for the window; players who saw two variants are left out. Comparisons with several variants are " +
    'not corrected for their number. About a second behind; the test environment has no exposures.',
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
  const nowMs = services.clock.wallMs();
  const flagVersion = query.version ?? flag.version;
  const windowDays = query.window_days ?? DEFAULT_WINDOW_DAYS;
  const variants = variantsOf(flag);
  const asked = await services.analytics.experiment({
    game: key.game,
    environment: key.environment,
    flagKey: flag.key,
    flagVersion,
    variantBy: flag.flagType === 'boolean' ? 'value' : 'variant_key',
    variants: variants.map(({ variantKey }) => variantKey),
    metric: query.metric,
    aggregate,
    windowDays,
    sinceMs: Math.max(flag.createdAt - LIMITS.resultsMarginMs, nowMs - LIMITS.resultsSpanDays * DAY_MS),
    untilMs: nowMs + LIMITS.resultsMarginMs,
  });
  if (asked.kind === 'unavailable') return failure('SERVICE_UNAVAILABLE', 'ClickHouse cannot answer just now.');
  const current = flagVersion === flag.version;
  const samples = variants.map((variant) => sampleOf(asked.value, variant.variantKey, current ? variant.weight : null));
  const excluded = asked.value.reduce((sum, { mixed, players }) => (mixed ? sum + players : sum), 0);
  const shown = { flagKey: flag.key, flagVersion, metric: query.metric, aggregate: aggregate.kind, windowDays };
  return answer(resultsJson(shown, experimentResults(samples), excluded));
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

interface Variant {
  variantKey: string;
  weight: number | null;
}

function variantsOf(flag: FlagDocument): Variant[] {
  if (flag.flagType !== 'boolean') return flag.variants.map(({ key, weight }) => ({ variantKey: key, weight }));
  const share = plainShare(flag);
  return [
    { variantKey: 'false', weight: share === null ? null : 100 - share },
    { variantKey: 'true', weight: share },
  ];
}

/** The percentage of all exposed players that get `true`, where one rule alone decides that by chance. */
function plainShare({ rules, defaultValue }: FlagDocument): number | null {
  const [rule, ...more] = rules;
  if (rule === undefined || more.length > 0 || defaultValue !== false || !rule.value) return null;
  const forAll = rule.segmentId === null && rule.conditions === undefined;
  const always = rule.startAt === null && rule.endAt === null;
  return forAll && always ? rule.percentage : null;
}

/** What was measured of a variant; nobody, if nobody saw it. */
function sampleOf(measured: readonly MeasuredVariant[], variantKey: string, weight: number | null): VariantSample {
  const found = measured.find(({ variant, mixed }) => variant === variantKey && !mixed);
  if (found === undefined) {
    return { variantKey, weight, players: 0, conversions: 0, sum: 0, mean: Number.NaN, variance: Number.NaN };
  }
  const { players, conversions, sum, mean, variance } = found;
  return { variantKey, weight, players, conversions, sum, mean, variance };
}
