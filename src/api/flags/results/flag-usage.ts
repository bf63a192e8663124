import { Type } from 'typebox';
import { FLAG_API_LIMITS } from '../limits.ts';
import { DAY_MS } from '../../../../core/kernel/days.ts';
import { failure, type Failure } from '../../../../core/kernel/errors.ts';
import { dateOf, dayIn, startOfDayIn } from '../../../../core/kernel/zoned-days.ts';
import { gameAddress, zoneOf } from '../../../../streams/config/games.ts';
import { formatTimestamp } from '../../../../core/kernel/text/timestamp.ts';
import { jsonAnswer } from '../../route/answer.ts';
import { clickHouseUnavailable } from '../../route/clickhouse-unavailable.ts';
import type { RequestContext } from '../../route/request-context.ts';
import { defineRoute, readBy } from '../../route/route.ts';
import { findStoredFlag } from '../flags.ts';
import { timeOrNull } from '../../input/fields.ts';

/* The routes that say which flags are used: when they were last evaluated, and their exposures. */

const time = (description: string) =>
  timeOrNull(`${description} ISO 8601, UTC, milliseconds; null: never, as far as is known.`);

const getFlagUsage = defineRoute({
  method: 'GET',
  path: '/v1/flags/usage',
  tag: 'Feature flags',
  summary: 'List when flags were last used',
  description:
    'Lists all flags, archived ones too, with their last evaluation and their exposures of the last ' +
    `${FLAG_API_LIMITS.flagUseDays} days. An evaluation of all flags at once counts for each of them; evaluations in game ` +
    `servers appear only as exposures. Evaluations are up to ${FLAG_API_LIMITS.flagUseStoreMs / 1_000} seconds behind on other ` +
    'nodes, exposures about a second. The test environment has no exposures.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  ...readBy('viewer'),
  errors: ['SERVICE_UNAVAILABLE'],
  input: {},
  reply: {
    description: 'The use of all flags.',
    schema: Type.Object(
      {
        since: Type.String({ format: 'date-time', description: 'Exposures count from this time on. ISO 8601, UTC.' }),
        flags: Type.Array(
          Type.Object(
            {
              key: Type.String({ description: 'Key of the flag.' }),
              archived_at: time('When the flag was archived; null: it is not.'),
              last_evaluated_at: time('Last evaluation by a request to this service.'),
              last_exposed_at: time('Last exposure since `since`.'),
              exposures: Type.Integer({ description: 'Exposures since `since`: one per player, period and variant.' }),
            },
            { description: 'The use of a flag.' },
          ),
          { description: 'In order of keys.' },
        ),
      },
      { description: 'The use of flags.' },
    ),
    example: {
      since: '2026-01-15T10:30:00.000Z',
      flags: [
        {
          key: 'new_shop',
          archived_at: null,
          last_evaluated_at: '2026-02-14T10:29:58.120Z',
          last_exposed_at: '2026-02-14T10:20:11.004Z',
          exposures: 1_200,
        },
      ],
    },
  },
  action: {
    kind: 'service',
    async call(_, context) {
      const { key, services } = context;
      const { game, environment } = key;
      const sinceMs = services.clock.wallMs() - FLAG_API_LIMITS.flagUseDays * DAY_MS;
      const [exposures, times] = await Promise.all([
        services.analytics.flagUsage({ game, environment, sinceMs }),
        services.flagUse.read({ game, environment }).catch((): Failure => UNAVAILABLE),
      ]);
      if (exposures.kind === 'unavailable') return clickHouseUnavailable();
      if ('kind' in times) return times;
      const exposed = new Map(exposures.value.map((each) => [each.flagKey, each]));
      const flags = services.config
        .list('flag', game, environment)
        .toSorted((one, other) => (one.key < other.key ? -1 : 1))
        .map(({ document }) => {
          const seen = exposed.get(document.key);
          const end = document.archivedAt ?? Number.POSITIVE_INFINITY;
          // An evaluation of all flags is one of this flag only while it exists.
          const atOnce = times.all >= document.createdAt && times.all < end ? times.all : 0;
          return {
            key: document.key,
            archived_at: timeOf(document.archivedAt ?? 0),
            last_evaluated_at: timeOf(Math.max(atOnce, times.byKey.get(document.key) ?? 0)),
            last_exposed_at: timeOf(seen?.lastExposedAt ?? 0),
            exposures: seen?.exposures ?? 0,
          };
        });
      return jsonAnswer({ since: formatTimestamp(sinceMs), flags });
    },
  },
});

const UNAVAILABLE = failure(
  'SERVICE_UNAVAILABLE',
  'The times of evaluations are temporarily unavailable; retry later.',
);

function timeOf(atMs: number): string | null {
  return atMs === 0 ? null : formatTimestamp(atMs);
}

const getFlagExposures = defineRoute({
  method: 'GET',
  path: '/v1/flags/flags/{key}/exposures',
  tag: 'Feature flags',
  summary: "Get a flag's exposures by day",
  description:
    "Counts the exposures of each day of the game's time zone by variant. " +
    'A player is exposed once per period and variant. Days without ' +
    'exposures are left out, and today is not over. The test environment has no exposures.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  ...readBy('viewer'),
  errors: ['FLAG_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: {
    params: Type.Object({ key: Type.String({ description: "The flag's key." }) }),
    query: Type.Object({
      days: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: FLAG_API_LIMITS.exposureDays,
          description: `Number of days, today included. Default: ${FLAG_API_LIMITS.flagUseDays}.`,
        }),
      ),
    }),
  },
  reply: {
    description: 'The exposures.',
    schema: Type.Object(
      {
        flag_key: Type.String({ description: 'Key of the flag.' }),
        from: Type.String({ description: 'First day, as `2026-01-15`.' }),
        days: Type.Array(
          Type.Object(
            {
              day: Type.String({ description: 'Day in the time zone of the game.' }),
              variant: Type.String({
                description: 'Key of the variant, or the served value as JSON if the flag has no variant: `true`.',
              }),
              exposures: Type.Integer({ description: 'Exposures on that day.' }),
            },
            { description: 'Exposures of one variant on one day.' },
          ),
          { description: 'In order of days.' },
        ),
      },
      { description: 'Exposures by day.' },
    ),
    example: { flag_key: 'new_shop', from: '2026-01-15', days: [{ day: '2026-01-15', variant: 'b', exposures: 412 }] },
  },
  action: {
    kind: 'analytics',
    toQuestion({ params, query }, context) {
      const flag = findStoredFlag(params.key, context);
      if (flag === undefined) return failure('FLAG_NOT_FOUND');
      return { kind: 'question', question: questionOf(flag.key, query.days ?? FLAG_API_LIMITS.flagUseDays, context) };
    },
    read: (analytics, question) => analytics.exposureDays(question),
    toAnswer: (days, { flagKey, zone, sinceMs }) =>
      jsonAnswer({ flag_key: flagKey, from: dateOf(dayIn(zone, sinceMs)), days }),
  },
});

function questionOf(flagKey: string, days: number, { key: { game, environment }, services }: RequestContext) {
  const zone = zoneOf(services.config.get(gameAddress(game))?.document);
  const today = dayIn(zone, services.clock.wallMs());
  return { game, environment, flagKey, zone, sinceMs: startOfDayIn(zone, today - days + 1) };
}

export const flagUsageRoutes = [getFlagUsage, getFlagExposures];
