import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { playersRoute } from '../definitions/players-of-definition.ts';
import { timeOut } from '../input/fields.ts';
import type { KeyedRoute } from '../route/route.ts';
import { noSegment } from './no-segment.ts';

/** The same list under two paths: `players` is the older one, `members` stands beside the writes of lists. */
export const segmentPlayersRoutes = [
  listRoute('/v1/segments/segments/{id}/players', 'List the players in a segment'),
  listRoute('/v1/segments/segments/{id}/members', 'List the members of a segment'),
];

function listRoute(path: string, summary: string): KeyedRoute {
  return playersRoute({
    path,
    tag: 'Segments',
    summary,
    audit: { kind: 'segment', action: 'players_listed' },
    param: { name: 'id', description: 'Id of the segment.' },
    missing: 'NOT_FOUND',
    field: 'players',
    item: { entered_at: timeOut('When the player entered the segment.') },
    itemIs: 'A player in the segment.',
    pageIs: 'A page of players in a segment.',
    example: { entered_at: '2026-01-15T10:30:00.000Z' },
    find: (id, { key: { game, environment }, services }) =>
      services.config.get({ game, environment, kind: 'segment', key: id })?.document ?? noSegment(),
    read: (analytics, { id: segmentId }, page) => analytics.segmentPlayers({ ...page, segmentId }),
    textOf: ({ enteredAt }) => `"entered_at":"${formatTimestamp(enteredAt)}"`,
  });
}
