import { readableSql } from '../../../clickhouse-schema/queries/questions/statement-of.ts';
import { Type } from 'typebox';
import { ANALYTICS_LIMITS } from './limits.ts';
import { QUESTION_LIMITS } from '../../../clickhouse-schema/queries/questions/limits.ts';
import { type Answer, answer, jsonAnswer } from '../route/answer.ts';
import { extractedOf, gameAddress, zoneOf } from '../../../streams/config/games.ts';
import type { ApiKey } from '../../access/api-key.ts';
import type { RequestContext, Services } from '../route/request-context.ts';
import { defineRoute, readBy } from '../route/route.ts';
import { QueryBody } from './query-fields.ts';
import { questionOf } from './query-question.ts';
import { QueryResult } from './query-results.ts';

/* The routes that answer analytics queries, and that say them in SQL. */

export const runAnalyticsQuery = defineRoute({
  method: 'POST',
  path: '/v1/analytics/queries',
  tag: 'Analytics',
  summary: 'Query figures: trends, breakdowns, retention, lifetime value, funnels, paths',
  description:
    "Answers one question about the key's game and environment from ClickHouse. Ranges select by `happened_at`; days " +
    "are those of the game's time zone. " +
    'The range of a `trend` grows to whole intervals, as `from` and `to` of the answer say. ' +
    '`retention`, `ltv` and `new_players` read `player_days`, which follows some seconds later. An answer is given ' +
    'again until new ' +
    `rows come, for at most ${ANALYTICS_LIMITS.answersKeptMs / 1000} seconds. A query has ${QUESTION_LIMITS.questionSeconds} seconds, ` +
    `${QUESTION_LIMITS.questionMemoryBytes / 1024 / 1024} MiB of memory and ${QUESTION_LIMITS.questionRows / 1_000_000} million rows; ` +
    `beyond one of them it gets 422. A game has ${ANALYTICS_LIMITS.questionsOfGame} queries under way in one process; more get 429.`,
  auth: { keys: ['server'] },
  limitClass: 'events',
  ...readBy('viewer'),
  readsOnly: true,
  readsRows: true,
  errors: ['QUERY_TOO_LARGE', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  input: { body: QueryBody },
  example: { kind: 'trend', metric: 'players', event_names: ['level_up'], interval: 'day' },
  reply: {
    description: 'The answer.',
    schema: QueryResult,
    example: {
      kind: 'trend',
      from: '2026-01-14T00:00:00.000Z',
      to: '2026-01-16T00:00:00.000Z',
      metric: 'players',
      title: 'Players with an event',
      unit: 'count',
      null_reason: null,
      interval: 'day',
      partial_from: '2026-01-15T00:00:00.000Z',
      series: [
        {
          key: null,
          points: [
            { at: '2026-01-14T00:00:00.000Z', value: 1520 },
            { at: '2026-01-15T00:00:00.000Z', value: 611 },
          ],
          previous: null,
        },
      ],
    },
  },
  action: { kind: 'service', call: ({ body }, context) => answerQuery(body, context) },
});

export const describeAnalyticsQuery = defineRoute({
  method: 'POST',
  path: '/v1/analytics/queries/sql',
  tag: 'Analytics',
  summary: 'Get the SQL of an analytics query',
  description:
    'The statement that answers the same body at `/v1/analytics/queries`, with its values written out: it reads the ' +
    'documented tables, and an analyst can run and change it. It is not run.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  ...readBy('viewer'),
  readsOnly: true,
  errors: [],
  input: { body: QueryBody },
  example: { kind: 'retention', days: [1, 7] },
  reply: {
    description: 'The statement.',
    schema: Type.Object(
      { sql: Type.String({ description: 'One SELECT for ClickHouse, without a semicolon.' }) },
      { description: 'A statement.' },
    ),
    example: { sql: "SELECT toUnixTimestamp(toStartOfDay(happened_at, 'UTC')) AS at, '' AS key FROM events" },
  },
  action: { kind: 'service', call: ({ body }, context) => describeQuery(body, context) },
});

/** What a key asks about. */
export function scopeOf({ game, environment }: ApiKey, { config }: Pick<Services, 'config'>) {
  return { game, environment, zone: zoneOf(config.get(gameAddress(game))?.document) };
}

/** The same with the properties of events that have columns of their own. */
export function readScopeOf(key: ApiKey, services: Pick<Services, 'config'>) {
  const paths = extractedOf(services.config.get(gameAddress(key.game))?.document);
  return { ...scopeOf(key, services), extracted: paths.map((path, place) => ({ path, place })) };
}

function describeQuery(body: QueryBody, { key, services }: RequestContext): Answer {
  const asked = questionOf(body, readScopeOf(key, services), services.clock.wallMs());
  if (asked.kind === 'failure') return asked;
  return jsonAnswer({ sql: readableSql(asked.question) });
}

async function answerQuery(body: QueryBody, { key, services }: RequestContext): Promise<Answer> {
  const asked = questionOf(body, readScopeOf(key, services), services.clock.wallMs());
  if (asked.kind === 'failure') return asked;
  const found = await services.queries.run(asked.question);
  return found.kind === 'failure' ? found : { ...answer(found.text), freshAsOf: found.asOfMs };
}
