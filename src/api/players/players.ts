import { Type } from 'typebox';
import { answer } from '../route/answer.ts';
import { settableAttributes } from './client-attributes.ts';
import { documentText, documentTooLarge } from '../input/document-text.ts';
import { ExternalId, PlayerId, freeForm, nullable } from '../input/fields.ts';
import { playerIdOf } from './player-id.ts';
import {
  Player,
  PLAYER_EXAMPLE,
  deviceIdSchema,
  emailSchema,
  expectPlayer,
  playerJson,
} from './state/player-resource.ts';
import { defineRoute, forGames } from '../route/route.ts';

/* The routes that register, read and change players. */

const tag = 'Players';
const ById = Type.Object({ id: PlayerId });

export const registerPlayer = defineRoute({
  method: 'POST',
  path: '/v1/players/players',
  tag,
  summary: 'Register a player, or update the one with the same external_id',
  description:
    'Attributes are merged into the stored ones. A client key cannot replace a stored e-mail address, and replaces a ' +
    'stored device_id only with a player token. It can set the attributes that the game allows for client keys; ' +
    'others are ignored and listed in X-Ignored-Fields. For an existing player, a client key without a player token ' +
    'gets back only the attributes it sent; device, sessions and revenue are empty or 0. GET by id returns them.',
  auth: { keys: ['client', 'server'] },
  players: ({ body }) => ({ externalId: body.external_id }),
  limitClass: 'none',
  ...forGames('track'),
  idempotent: true,
  errors: ['DUPLICATE_PLAYER'],
  input: {
    headers: Type.Object({
      'If-None-Match': Type.Optional(
        Type.String({
          pattern: '^\\*$',
          description: '`*`: create only. If the player exists, the response is 409 DUPLICATE_PLAYER.',
        }),
      ),
    }),
    body: Type.Object({
      external_id: ExternalId,
      device_id: Type.Optional(Type.String(deviceIdSchema)),
      email: Type.Optional(Type.String(emailSchema)),
      attributes: Type.Optional(freeForm('Custom attributes.')),
    }),
  },
  reply: {
    statuses: [201, 200],
    description: '201: the player was registered. 200: the player existed and was updated.',
    schema: Player,
    example: PLAYER_EXAMPLE,
  },
  example: { external_id: 'player_12345', device_id: 'device_abc', attributes: { level: 25, country: 'US' } },
  action: {
    kind: 'command',
    toCommand({ body, headers }, context) {
      const { key, player, idempotency } = context;
      const attributes =
        body.attributes === undefined
          ? undefined
          : documentText(settableAttributes(body.attributes, 'attributes', context));
      if (body.attributes !== undefined && attributes === undefined) return documentTooLarge('/attributes');
      const playerId = playerIdOf(key, body.external_id);
      return {
        kind: 'addressed',
        playerId: playerId,
        body: {
          kind: 'RegisterPlayer',
          playerId,
          externalId: body.external_id,
          ...(body.device_id === undefined ? {} : { deviceId: body.device_id }),
          ...(body.email === undefined ? {} : { email: body.email }),
          ...(attributes === undefined ? {} : { attributes }),
          createOnly: headers['If-None-Match'] !== undefined,
          byClientKey: key.kind === 'client',
          ...(player === undefined ? {} : { isOwn: true as const }),
          ...(idempotency === undefined ? {} : { idempotency }),
        },
      };
    },
    toAnswer(reply, { key }) {
      const { player, created, replayed = false } = expectPlayer(reply);
      return answer(playerJson(player, key.kind), { status: created ? 201 : 200, replayed });
    },
  },
});

export const getPlayer = defineRoute({
  method: 'GET',
  path: '/v1/players/players/{id}',
  tag,
  summary: 'Get a player by id',
  auth: { keys: ['client', 'server'] },
  players: ({ params }) => ({ playerId: params.id }),
  limitClass: 'none',
  role: 'viewer',
  scope: 'read',
  audit: { kind: 'player', action: 'read', player: 'id', reads: true },
  approval: 'none',
  errors: ['PLAYER_NOT_FOUND'],
  input: { params: ById },
  reply: { description: 'The player.', schema: Player, example: PLAYER_EXAMPLE },
  action: {
    kind: 'query',
    toQuery({ params }) {
      const playerId = params.id.toLowerCase();
      return { kind: 'addressed', playerId: playerId, body: { kind: 'GetPlayer', playerId } };
    },
    toAnswer(reply, { key }) {
      const found = expectPlayer(reply);
      return answer(playerJson(found.player, key.kind, found));
    },
  },
});

export const getPlayerByExternalId = defineRoute({
  method: 'GET',
  path: '/v1/players/players/external/{external_id}',
  tag,
  summary: 'Get a player by external_id',
  auth: { keys: ['server'] },
  limitClass: 'none',
  role: 'viewer',
  scope: 'read',
  audit: {
    kind: 'player',
    action: 'searched',
    reads: true,
    shows: () => ({ by: ['external_id'] }),
  },
  approval: 'none',
  errors: ['PLAYER_NOT_FOUND'],
  input: { params: Type.Object({ external_id: ExternalId }) },
  reply: { description: 'The player.', schema: Player, example: PLAYER_EXAMPLE },
  action: {
    kind: 'query',
    toQuery({ params }, { key }) {
      const playerId = playerIdOf(key, params.external_id);
      return { kind: 'addressed', playerId: playerId, body: { kind: 'GetPlayer', playerId } };
    },
    toAnswer(reply, { key }) {
      const found = expectPlayer(reply);
      return answer(playerJson(found.player, key.kind, found));
    },
  },
});

export const patchPlayer = defineRoute({
  method: 'PATCH',
  path: '/v1/players/players/{id}',
  tag,
  summary: 'Update a player',
  description:
    'Applies a JSON Merge Patch (RFC 7396) to the attributes: null deletes a key. null also clears `email` and ' +
    '`device_id`. Analytics leave out players with `is_test_player`, also what they did before; webhooks, targeting ' +
    'and rows do not.',
  auth: { keys: ['server'] },
  limitClass: 'none',
  role: 'editor',
  scope: 'track',
  audit: {
    kind: 'player',
    action: 'changed',
    player: 'id',
    peopleOnly: true,
    shows: ({ body }) => ({ fields: Object.keys(Object(body)) }),
  },
  approval: 'none',
  idempotent: true,
  errors: ['PLAYER_NOT_FOUND'],
  input: {
    params: ById,
    body: Type.Object({
      device_id: Type.Optional(nullable(Type.String(deviceIdSchema))),
      email: Type.Optional(nullable(Type.String(emailSchema))),
      is_test_player: Type.Optional(
        Type.Boolean({ description: 'Marks the player as a test player, whom figures leave out; false unmarks it.' }),
      ),
      attributes: Type.Optional(freeForm('JSON Merge Patch for the custom attributes.')),
    }),
  },
  reply: { description: 'The updated player.', schema: Player, example: PLAYER_EXAMPLE },
  example: { email: 'player@example.com', attributes: { level: 26, trial: null } },
  action: {
    kind: 'command',
    toCommand({ params, body }, context) {
      const { idempotency } = context;
      const attributes =
        body.attributes === undefined
          ? undefined
          : documentText(settableAttributes(body.attributes, 'attributes', context));
      if (body.attributes !== undefined && attributes === undefined) return documentTooLarge('/attributes');
      const playerId = params.id.toLowerCase();
      return {
        kind: 'addressed',
        playerId: playerId,
        body: {
          kind: 'PatchPlayer',
          playerId,
          ...(body.device_id === undefined ? {} : { deviceId: body.device_id }),
          ...(body.email === undefined ? {} : { email: body.email }),
          ...(body.is_test_player === undefined ? {} : { isTestPlayer: body.is_test_player }),
          ...(attributes === undefined ? {} : { attributes }),
          ...(idempotency === undefined ? {} : { idempotency }),
        },
      };
    },
    toAnswer(reply, { key }) {
      const { player, replayed = false } = expectPlayer(reply);
      return answer(playerJson(player, key.kind), { replayed });
    },
  },
});
