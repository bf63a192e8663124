import { Type } from 'typebox';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import { API_LIMITS } from '../limits.ts';
import { SEGMENT_API_LIMITS } from './limits.ts';
import type { BodyStream } from '../input/body-stream.ts';
import { type Answer, answer, jsonAnswer } from '../route/answer.ts';
import { ExternalId, oneOf, PlayerId } from '../input/fields.ts';
import { playerIdOf } from '../players/player-id.ts';
import type { RequestContext } from '../route/request-context.ts';
import { defineRoute } from '../route/route.ts';
import type { ChangedList, ListRequest, LoadedList, NameBatch, NameKind, PlayerName } from './lists/list-port.ts';
import { listFormatOf, readNames, type ListFormat } from './lists/read-names.ts';

/* The routes that load the list of a static segment, and add and remove players. */

export const MEMBERS_PATH = '/v1/segments/segments/{id}/members';
const SegmentParams = Type.Object({ id: Type.String({ description: 'Id of the static segment.' }) });
const SHARED = { tag: 'Segments', auth: { keys: ['server'] }, limitClass: 'none', repeatsById: true } as const;

const unknownIds = (what: string) =>
  Type.Array(Type.String({ description: 'An id as you sent it.' }), { description: what });

export const LoadedListSchema = Type.Object(
  {
    segment_id: Type.String({ description: 'Id of the segment.' }),
    version: Type.Integer({ description: 'Version of the segment with the new list.' }),
    received: Type.Integer({ description: 'Number of ids in the request.' }),
    members: Type.Integer({ description: 'Number of players in the new list.' }),
    duplicates: Type.Integer({ description: 'Number of ids that repeat another one.' }),
    unknown: Type.Integer({ description: 'Number of ids that are not registered players.' }),
    unknown_ids: unknownIds(`Some of the unknown ids, at most ${SEGMENT_API_LIMITS.listUnknownShown}.`),
  },
  { description: 'A loaded list.' },
);

export const LOADED_EXAMPLE = {
  segment_id: 'seg_019bc0de-1234-7abc-8def-0123456789ab',
  version: 2,
  received: 5,
  members: 3,
  duplicates: 1,
  unknown: 1,
  unknown_ids: ['player_67890'],
};

const putMembers = defineRoute({
  ...SHARED,
  role: 'editor',
  scope: 'define',
  audit: { kind: 'segment', action: 'list_replaced', key: 'id' },
  approval: { id: 'segment.list.replace', of: 'segment' },
  method: 'PUT',
  path: MEMBERS_PATH,
  summary: 'Replace the list of a static segment',
  description:
    `Up to ${SEGMENT_API_LIMITS.listPlayers} players. The body is read while it arrives. The new list replaces the old one at one ` +
    'moment, when the response is sent; after any failure the old list is unchanged. Players enter and leave in the ' +
    'background, with the progress in `evaluation` of the segment. Ids of players that are not registered are ' +
    'counted and ignored: they join with a later list. A repeat of the same list changes no membership.',
  errors: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  streamedBody: {
    types: ['text/csv', 'application/x-ndjson', 'application/json'],
    description:
      'CSV: a header line names the column `external_id` or `player_id`; without a header each line is one id. ' +
      'NDJSON: each line is a JSON string, or an object with `external_id` or `player_id`. ' +
      `JSON: \`{"external_ids": […], "player_ids": […]}\` of at most ${API_LIMITS.bodyBytes} bytes.`,
    mostBytes: SEGMENT_API_LIMITS.listBytes,
    example: 'external_id\nplayer_12345\nplayer_67890\n',
  },
  input: {
    params: SegmentParams,
    query: Type.Object({
      ids: Type.Optional(
        oneOf(['external_id', 'player_id'], 'What ids without a field name are. Default: external_id.'),
      ),
    }),
    headers: Type.Object({
      'Content-Type': Type.Optional(
        Type.String({ description: 'text/csv, application/x-ndjson or application/json. Default: text/csv.' }),
      ),
    }),
  },
  reply: {
    description: 'The new list has replaced the old one.',
    schema: LoadedListSchema,
    example: LOADED_EXAMPLE,
  },
  action: {
    kind: 'service',
    async call({ params, query, headers }, context) {
      const refused = context.services.writeRefusal();
      if (refused !== undefined) return refused;
      const { body, services } = context;
      const format = listFormatOf(headers['Content-Type'] ?? 'text/csv');
      if (format === undefined) return WRONG_TYPE;
      if (body === undefined) throw new Error('a streamed body is missing');
      const names = wholeList(body, format, query.ids ?? 'external_id');
      const request = { ...listRequest(params.id, context), isGone: () => body.released };
      const loaded = await services.listLoader.load(request, names);
      return loaded.kind === 'failure' ? loaded : answer(loadedJson(loaded), { etag: loaded.entry.document.version });
    },
  },
  versioned: true,
});

const postMembers = defineRoute({
  ...SHARED,
  role: 'editor',
  scope: 'define',
  audit: { kind: 'segment', action: 'list_extended', key: 'id' },
  approval: { id: 'segment.list.extend', of: 'segment' },
  method: 'POST',
  path: MEMBERS_PATH,
  summary: 'Add players to the list of a static segment',
  description:
    'Players enter the segment before the response is sent. Ids of players that are not registered are ignored and ' +
    'named. A list that is loaded later replaces these players too.',
  errors: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  input: {
    params: SegmentParams,
    body: Type.Object(
      {
        external_ids: Type.Optional(
          Type.Array(ExternalId, { maxItems: SEGMENT_API_LIMITS.listAdded, description: 'Your ids of players.' }),
        ),
        player_ids: Type.Optional(
          Type.Array(PlayerId, { maxItems: SEGMENT_API_LIMITS.listAdded, description: 'Ids of players.' }),
        ),
      },
      { additionalProperties: false, description: 'The players to add.' },
    ),
  },
  example: { external_ids: ['player_12345'] },
  reply: {
    description: 'The players are in the list.',
    schema: Type.Object(
      {
        segment_id: Type.String({ description: 'Id of the segment.' }),
        added: Type.Integer({ description: 'Number of players who were not in the list before.' }),
        unknown_ids: unknownIds('The ids that are not registered players.'),
      },
      { description: 'The result.' },
    ),
    example: { segment_id: 'seg_019bc0de-1234-7abc-8def-0123456789ab', added: 1, unknown_ids: [] },
  },
  action: {
    kind: 'service',
    async call({ params, body }, context) {
      const { external_ids: externalIds = [], player_ids: playerIds = [] } = body;
      const names: PlayerName[] = [
        ...externalIds.map((text) => ({ kind: 'external_id' as const, text })),
        ...playerIds.map((text) => ({ kind: 'player_id' as const, text })),
      ];
      const changed = await change(params.id, 'add', names, context);
      if (changed.kind === 'failure') return changed;
      const result = { segment_id: params.id, added: changed.changed, unknown_ids: changed.unknownNames };
      return jsonAnswer(result);
    },
  },
});

const deleteMember = defineRoute({
  ...SHARED,
  role: 'editor',
  scope: 'define',
  audit: {
    kind: 'segment',
    action: 'list_shortened',
    key: 'id',
    player: 'player_id',
  },
  approval: { id: 'segment.list.shorten', of: 'segment' },
  method: 'DELETE',
  path: `${MEMBERS_PATH}/{player_id}`,
  summary: 'Remove a player from the list of a static segment',
  description: 'The player leaves the segment before the response is sent, unless the segment includes it by name.',
  errors: ['NOT_FOUND', 'PLAYER_NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  input: { params: Type.Object({ ...SegmentParams.properties, player_id: PlayerId }) },
  reply: {
    description: 'The player is not in the list.',
    schema: Type.Object(
      {
        segment_id: Type.String({ description: 'Id of the segment.' }),
        player_id: PlayerId,
        removed: Type.Boolean({ description: 'Whether the player was in the list.' }),
      },
      { description: 'The result.' },
    ),
    example: {
      segment_id: 'seg_019bc0de-1234-7abc-8def-0123456789ab',
      player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
      removed: true,
    },
  },
  action: {
    kind: 'service',
    async call({ params }, context): Promise<Answer> {
      const playerId = params.player_id.toLowerCase();
      const changed = await change(params.id, 'remove', [{ kind: 'player_id', text: playerId }], context);
      if (changed.kind === 'failure') return changed;
      if (changed.unknownNames.length > 0) return failure('PLAYER_NOT_FOUND');
      const result = { segment_id: params.id, player_id: playerId, removed: changed.changed > 0 };
      return jsonAnswer(result);
    },
  },
});

export const segmentMembersRoutes = [putMembers, postMembers, deleteMember];

const WRONG_TYPE = failure(
  'UNSUPPORTED_MEDIA_TYPE',
  'Content-Type must be text/csv, application/x-ndjson or application/json, without a Content-Encoding.',
);

/** The names of a body; a failure if the caller disconnects before its end, for half a list is no list. */
async function* wholeList(body: BodyStream, format: ListFormat, plain: NameKind): AsyncGenerator<NameBatch> {
  yield* readNames(body.chunks, format, plain);
  if (!body.complete) yield failure('VALIDATION_ERROR', 'The body ended before its end.');
}

export function listRequest(id: string, { key }: RequestContext): ListRequest {
  const { game, environment } = key;
  return {
    address: { game, environment, kind: 'segment', key: id },
    idOf: ({ kind, text }) => (kind === 'player_id' ? text.toLowerCase() : playerIdOf(key, text)),
  };
}

async function change(
  id: string,
  what: 'add' | 'remove',
  names: readonly PlayerName[],
  context: RequestContext,
): Promise<ChangedList | Failure> {
  const refused = context.services.writeRefusal();
  if (refused !== undefined) return refused;
  const request = listRequest(id, context);
  const players = names.map((name) => ({ playerId: request.idOf(name), text: name.text }));
  return context.services.listLoader.change(request, what, players);
}

export function loadedJson({ entry: { document }, received, duplicates, tally }: LoadedList): string {
  return JSON.stringify({
    segment_id: document.id,
    version: document.version,
    received,
    members: tally.members,
    duplicates,
    unknown: tally.unknown,
    unknown_ids: tally.unknownNames,
  });
}
