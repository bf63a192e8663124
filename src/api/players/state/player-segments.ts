import { Type } from 'typebox';
import { formatTimestamp } from '../../../../core/kernel/text/timestamp.ts';
import { jsonAnswer } from '../../route/answer.ts';
import { PlayerId, textOrNull, timeOut } from '../../input/fields.ts';
import { defineRoute, readBy } from '../../route/route.ts';
import { readPlayerState } from './player-state.ts';

/* The route that lists the segments of a player, from live state. */

const Membership = Type.Object(
  {
    segment_id: Type.String({ description: 'Id of the segment.' }),
    segment_key: Type.String({ description: 'Key of the segment when the player entered it.' }),
    name: textOrNull('Name of the segment; null if it is deleted and the player has not left it yet.'),
    static: Type.Boolean({ description: 'Whether the players of the segment are those of a list.' }),
    since: timeOut('When the player entered the segment.'),
  },
  { description: 'A segment that the player is in.' },
);

export const getPlayerSegments = defineRoute({
  method: 'GET',
  path: '/v1/players/players/{id}/segments',
  tag: 'Players',
  summary: 'List the segments of a player',
  description: 'Live state, as flags and campaigns see it. Entries and exits of the past are in the timeline.',
  auth: { keys: ['server'] },
  limitClass: 'none',
  ...readBy('viewer'),
  errors: ['PLAYER_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: { params: Type.Object({ id: PlayerId }) },
  reply: {
    description: 'The segments, in order of their ids.',
    schema: Type.Object(
      { player_id: PlayerId, segments: Type.Array(Membership, { description: 'The segments.' }) },
      { description: 'Segments of a player.' },
    ),
    example: {
      player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
      segments: [
        {
          segment_id: 'seg_019bc0de-1234-7abc-8def-0123456789ab',
          segment_key: 'whales',
          name: 'Whales',
          static: false,
          since: '2026-01-10T08:00:00.000Z',
        },
      ],
    },
  },
  action: {
    kind: 'service',
    async call({ params }, context) {
      const found = await readPlayerState(params.id, context);
      if (found.kind === 'failure') return found;
      const { game, environment } = context.key;
      const { id, segments } = found.player;
      const shown = segments.map(({ segmentId, segmentKey, since }) => {
        const held = context.services.config.get({ kind: 'segment', game, environment, key: segmentId })?.document;
        return {
          segment_id: segmentId,
          segment_key: segmentKey,
          name: held?.name ?? null,
          static: held?.list !== undefined,
          since: formatTimestamp(since),
        };
      });
      return jsonAnswer({ player_id: id, segments: shown });
    },
  },
});
