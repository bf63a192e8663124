import { Type } from 'typebox';
import type { SegmentPlayer } from '../../../clickhouse-schema/queries/player-pages.ts';
import { isFailure } from '../../../core/kernel/errors.ts';
import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { jsonAnswer } from '../route/answer.ts';
import { ExternalId, PlayerId, timeOut } from '../input/fields.ts';
import { NextCursor, PageQuery } from '../input/paging.ts';
import { placeOf, shownOf } from '../input/player-pages.ts';
import { defineRoute, type KeyedRoute } from '../route/route.ts';
import { noSegment } from './no-segment.ts';

/* The route that lists the players in a segment, from ClickHouse. */

const Member = Type.Object(
  { player_id: PlayerId, external_id: ExternalId, entered_at: timeOut('When the player entered the segment.') },
  { description: 'A player in the segment.' },
);

/** The same list under two paths: `players` is the older one, `members` stands beside the writes of lists. */
export const segmentPlayersRoutes = [
  listRoute('/v1/segments/segments/{id}/players', 'List the players in a segment'),
  listRoute('/v1/segments/segments/{id}/members', 'List the members of a segment'),
];

function listRoute(path: string, summary: string): KeyedRoute {
  return defineRoute({
    method: 'GET',
    path,
    tag: 'Segments',
    summary,
    description: 'Ordered by player id. About a second behind the live state that flag evaluation uses.',
    auth: { keys: ['server'] },
    limitClass: 'events',
    role: 'viewer',
    scope: 'read',
    audit: { kind: 'segment', action: 'players_listed', key: 'id', reads: true },
    approval: 'none',
    errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    input: { params: Type.Object({ id: Type.String({ description: 'Id of the segment.' }) }), query: PageQuery },
    reply: {
      description: 'A page of players.',
      schema: Type.Object(
        { players: Type.Array(Member, { description: 'Players of this page.' }), next_cursor: NextCursor },
        { description: 'A page of players in a segment.' },
      ),
      example: {
        players: [
          {
            player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
            external_id: 'player_12345',
            entered_at: '2026-01-15T10:30:00.000Z',
          },
        ],
        next_cursor: null,
      },
    },
    action: {
      kind: 'analytics',
      toQuestion({ params, query }, { key, services }) {
        const { game, environment } = key;
        const segmentId = params.id;
        if (services.config.get({ game, environment, kind: 'segment', key: segmentId }) === undefined)
          return noSegment();
        const place = placeOf(query);
        return isFailure(place) ? place : { kind: 'question', question: { game, environment, segmentId, ...place } };
      },
      read: (analytics, question) => analytics.segmentPlayers(question),
      toAnswer(players, { limit }) {
        const { shown, nextCursor } = shownOf(players, limit);
        return jsonAnswer({ players: shown.map(memberJson), next_cursor: nextCursor });
      },
    },
  });
}

function memberJson({ playerId, externalId, enteredAt }: SegmentPlayer) {
  return { player_id: playerId, external_id: externalId, entered_at: formatTimestamp(enteredAt) };
}
