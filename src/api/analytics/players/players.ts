import { Type } from 'typebox';
import { QUESTION_LIMITS } from '../../../../clickhouse-schema/queries/questions/limits.ts';
import type { Behind, PlayersQuestion } from '../../../../clickhouse-schema/queries/questions/asked.ts';
import type { Failure, FieldFault } from '../../../../core/kernel/errors.ts';
import { API_LIMITS } from '../../limits.ts';
import { PlayerId, textOrNull, timeOrNull, timeOut } from '../../input/fields.ts';
import { NextCursor, NOT_A_CURSOR, PageQuery } from '../../input/paging.ts';
import { type Answer, answer } from '../../route/answer.ts';
import type { RequestContext } from '../../route/request-context.ts';
import { defineRoute, invalid } from '../../route/route.ts';
import { readScopeOf } from '../queries.ts';
import { QueryBody } from '../query-fields.ts';
import { questionOf } from '../query-question.ts';
import { afterOf } from '../../input/player-cursor.ts';
import { Point } from './point-fields.ts';
import { behindOf } from './points.ts';

/* The route that lists the players behind a figure of an analytics query. */

export const PLAYERS_EXAMPLE = {
  query: { kind: 'funnel', steps: [{ event_name: 'shop_opened' }, { event_name: 'purchase' }] },
  point: { step: 1, outcome: 'dropped' },
};

const Member = Type.Object(
  {
    player_id: PlayerId,
    external_id: textOrNull('Your id of the player; null about a second long after its registration.'),
    lifecycle_stage: textOrNull('Lifecycle stage now.'),
    country: textOrNull('Country now; empty: unknown.'),
    total_revenue: Type.Unsafe<number | null>({
      type: ['number', 'null'],
      description: "Revenue of the player up to now, less refunds, in the game's currency.",
    }),
    last_seen_at: timeOrNull('When the player was last active.'),
  },
  { description: 'A player.' },
);

export const listPlayersBehind = defineRoute({
  method: 'POST',
  path: '/v1/analytics/queries/players',
  tag: 'Analytics',
  summary: 'List the players behind a figure',
  description:
    'The players whom a figure of an analytics query counts, or whose events, sessions or purchases it is made of: of a ' +
    'point of a trend, a value of a breakdown, a cohort, a step of a funnel, a path. Ordered by player id. Each page ' +
    `runs the query anew within its bounds (${QUESTION_LIMITS.questionSeconds} seconds), so name \`from\` and \`to\` in ` +
    'the query: the default range moves on with the day.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  role: 'viewer',
  scope: 'read',
  // The conditions of a query may hold what an erasure must delete.
  audit: { kind: 'player', action: 'listed', reads: true, shows: ({ body }) => ({ query: kindIn(body) }) },
  approval: 'none',
  readsOnly: true,
  readsRows: true,
  errors: ['QUERY_TOO_LARGE', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  input: {
    body: Type.Object(
      { query: QueryBody, point: Point, ...PageQuery.properties },
      { additionalProperties: false, description: 'A query, and a figure of its answer.' },
    ),
  },
  example: PLAYERS_EXAMPLE,
  reply: {
    description: 'A page of players.',
    schema: Type.Object(
      {
        kind: Type.Unsafe<'players'>({ type: 'string', const: 'players', description: '`players`.' }),
        from: timeOut("First moment of the query's range."),
        to: timeOut('Moment after the range.'),
        built_to: Type.Optional(timeOrNull('As in the answer of the query.')),
        counts_players: Type.Boolean({
          description:
            'true: the figure is the number of these players. false: it is made of their events, sessions or purchases.',
        }),
        total: Type.Integer({ description: 'Number of all players behind the figure.' }),
        players: Type.Array(Member, { description: 'Players of this page.' }),
        next_cursor: NextCursor,
      },
      { description: 'The players behind a figure.' },
    ),
    example: {
      kind: 'players',
      from: '2026-01-14T00:00:00.000Z',
      to: '2026-01-16T00:00:00.000Z',
      counts_players: true,
      total: 1,
      players: [
        {
          player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
          external_id: 'player_12345',
          lifecycle_stage: 'active',
          country: 'DE',
          total_revenue: 4.99,
          last_seen_at: '2026-01-15T10:30:00.000Z',
        },
      ],
      next_cursor: null,
    },
  },
  action: { kind: 'service', call: ({ body }, context) => listPlayers(body, context) },
});

/** The kind of the query in a body, before validation. */
export function kindIn(body: unknown): string {
  const { query }: { query?: unknown } = Object(body);
  const { kind }: { kind?: unknown } = Object(query);
  return typeof kind === 'string' ? kind.slice(0, 20) : '';
}

interface Body {
  query: QueryBody;
  point: Point;
  limit?: number;
  cursor?: string;
}

async function listPlayers(body: Body, context: RequestContext): Promise<Answer> {
  const { limit = API_LIMITS.pageItemsDefault, cursor } = body;
  const afterPlayerId = cursor === undefined ? FIRST_UUID : afterOf(cursor);
  if (afterPlayerId === undefined) return invalid([{ path: '/cursor', message: NOT_A_CURSOR }]);
  const of = askedBehind(body, context);
  if (of.kind === 'failure') return of;
  const question = playersQuestion(of, { shows: 'page', afterPlayerId, limit: limit + 1 });
  const found = await context.services.queries.run(question);
  return found.kind === 'failure' ? found : { ...answer(found.text), freshAsOf: found.asOfMs };
}

/** The figure that a valid body names, or the faults of its query or point. */
export function askedBehind(
  { query, point }: Pick<Body, 'query' | 'point'>,
  context: RequestContext,
): Behind | Failure {
  const { key, services } = context;
  const nowMs = services.clock.wallMs();
  const asked = questionOf(query, readScopeOf(key, services), nowMs, '/query');
  if (asked.kind === 'failure') return asked;
  const faults: FieldFault[] = [];
  const of = behindOf(asked.question, point, nowMs, faults);
  return faults.length === 0 ? of : invalid(faults.map((fault) => ({ ...fault, path: `/point${fault.path}` })));
}

export const FIRST_UUID = '00000000-0000-0000-0000-000000000000';

export function playersQuestion(
  of: Behind,
  page: Pick<PlayersQuestion, 'shows' | 'afterPlayerId' | 'limit'>,
): PlayersQuestion {
  const { game, environment, zone, fromMs, toMs } = of.question;
  return { kind: 'players', game, environment, zone, fromMs, toMs, of, ...page };
}
