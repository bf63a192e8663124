import { Type } from 'typebox';
import { MERGE_LIMITS } from '../../../actors/merge/limits.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { type Answer, jsonAnswer } from '../route/answer.ts';
import { ExternalId, PlayerId, timeOut } from '../input/fields.ts';
import type { MergedGuest } from '../route/merges.ts';
import type { RequestContext } from '../route/request-context.ts';
import { ROUTE_LIMITS } from '../route/limits.ts';
import { defineRoute, forGames } from '../route/route.ts';
import { playerIdsOf } from './player-id.ts';

/* The routes that merge a guest into an account, and take it back. */

const ById = Type.Object({ id: PlayerId });
const HOURS = MERGE_LIMITS.takeBackMs / 3_600_000;

const Guest = Type.Object({ id: PlayerId, external_id: ExternalId }, { description: 'The player who was merged.' });

const Merge = Type.Object(
  {
    merge_id: Type.String({ description: 'Id of the merge.' }),
    player_id: PlayerId,
    external_id: ExternalId,
    guest: Guest,
    merged_at: timeOut('When the players were merged.'),
    undo_until: timeOut('Until when DELETE takes the merge back.'),
  },
  { description: 'A merge. `player_id` and `external_id` are those of the account.' },
);

const EXAMPLE = {
  merge_id: 'mrg_019bc0de-1234-7abc-8def-0123456789ab',
  player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
  external_id: 'player_12345',
  guest: { id: '0c1d6a52-3f0e-5b77-8a1c-5f6a7d1e9b20', external_id: 'guest_8f2c' },
  merged_at: '2026-01-15T10:30:00.000Z',
  undo_until: '2026-01-16T10:30:00.000Z',
};

const mergePlayer = defineRoute({
  method: 'POST',
  path: '/v1/players/players/{id}/merge',
  tag: 'Players',
  summary: 'Merge a guest into an account',
  description:
    'The player `id` becomes an alias of the account `into`, which gets its revenue, sessions, counters, attributes, ' +
    'flags, memberships and rows. From then on each request that names the guest is about the account. A repeat ' +
    'returns the same merge. A client key needs the player token of the account, and can merge guests only: players ' +
    'without an e-mail address, without a purchase that a game server reported or refunded, and without guests of ' +
    'their own. It also sends the player token of the guest, as `guest_token`. 409: the player is merged into another ' +
    'account, the account is merged into this player or the two were being merged into each other, the account has ' +
    'too many guests, the chain of merges is too long, or the revenue of both is too large.',
  auth: { keys: ['client', 'server'] },
  players: ({ body }) => ({ idOrExternalId: body.into }),
  limitClass: 'none',
  repeatsById: true,
  ...forGames('track'),
  role: 'editor',
  audit: { kind: 'player', action: 'merged', player: 'id', peopleOnly: true },
  errors: ['PLAYER_NOT_FOUND', 'CONFLICT'],
  input: {
    params: ById,
    body: Type.Object({
      into: Type.String({
        minLength: 1,
        maxLength: TEXT_LIMITS.externalIdLength,
        description: 'Id or external_id of the account.',
      }),
      guest_token: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: ROUTE_LIMITS.playerTokenLength,
          description: 'Player token of the guest. Required with a client key.',
        }),
      ),
    }),
  },
  reply: { description: 'The merge.', schema: Merge, example: EXAMPLE },
  example: { into: EXAMPLE.external_id },
  action: {
    kind: 'several',
    async handle({ params, body }, context) {
      const { key, origin, services } = context;
      const guestId = params.id.toLowerCase();
      const refused = unproven(guestId, body.guest_token, context);
      if (refused !== undefined) return refused;
      let merged: MergedGuest | Failure = failure('PLAYER_NOT_FOUND');
      for (const accountId of playerIdsOf(key, body.into)) {
        merged = await services.merges.merge(origin, { guestId, accountId, byClientKey: key.kind === 'client' });
        if (merged.kind !== 'failure') return mergeAnswer(merged);
        if (merged.code !== 'PLAYER_NOT_FOUND') return merged;
      }
      return merged;
    },
  },
});

/** Why a client key may not merge these players: it proves the account by X-Player-Token, and the guest in the body. */
function unproven(
  guestId: string,
  guestToken: string | undefined,
  { key, player, services }: RequestContext,
): Failure | undefined {
  if (key.kind === 'server') return undefined;
  if (player === undefined) return NO_TOKEN;
  if (guestToken === undefined) return NO_GUEST_TOKEN;
  const guest = services.provenPlayer(key, guestToken);
  if ('code' in guest) return guest;
  return guest.playerId === guestId ? undefined : OTHER_GUEST;
}

const NO_TOKEN = failure(
  'FORBIDDEN',
  'A client key (pk_) merges into the account of its player token only: send that as X-Player-Token.',
);
const NO_GUEST_TOKEN = failure(
  'FORBIDDEN',
  'With a client key (pk_) the guest is proven too: send its player token as `guest_token`.',
);
const OTHER_GUEST = failure('FORBIDDEN', '`guest_token` belongs to another player than the one in the path.');

function mergeAnswer(merged: MergedGuest): Answer {
  return jsonAnswer({
    merge_id: merged.mergeId,
    player_id: merged.accountId,
    external_id: merged.accountExternalId,
    guest: { id: merged.guestId, external_id: merged.guestExternalId },
    merged_at: formatTimestamp(merged.at),
    undo_until: formatTimestamp(merged.at + MERGE_LIMITS.takeBackMs),
  });
}

const takeBackMerge = defineRoute({
  method: 'DELETE',
  path: '/v1/players/players/{id}/merge',
  tag: 'Players',
  summary: 'Take a merge back',
  description:
    `Within ${HOURS} hours: the guest is a player again as it was, and the account gives back what it brought. What ` +
    'happened after the merge stays with the account. 409: the player is not merged, it is too late, or the account ' +
    'was merged into another one since.',
  auth: { keys: ['server'] },
  limitClass: 'none',
  repeatsById: true,
  ...forGames('track'),
  role: 'editor',
  audit: { kind: 'player', action: 'merge_taken_back', player: 'id' },
  errors: ['PLAYER_NOT_FOUND', 'CONFLICT'],
  input: { params: ById },
  reply: {
    description: 'The merge that was taken back.',
    schema: Type.Object(
      {
        merge_id: Type.String({ description: 'Id of the merge.' }),
        player_id: PlayerId,
        account_id: Type.String({ format: 'uuid', description: 'Id of the account.' }),
      },
      { description: 'A merge that was taken back. `player_id` is a player again.' },
    ),
    example: { merge_id: EXAMPLE.merge_id, player_id: EXAMPLE.guest.id, account_id: EXAMPLE.player_id },
  },
  action: {
    kind: 'several',
    async handle({ params }, { origin, services }) {
      const taken = await services.merges.takeBack(origin, params.id.toLowerCase());
      if (taken.kind === 'failure') return taken;
      const { mergeId, guestId, accountId } = taken;
      return jsonAnswer({ merge_id: mergeId, player_id: guestId, account_id: accountId });
    },
  },
});

export const mergeRoutes = [mergePlayer, takeBackMerge];
