import { Type } from 'typebox';
import {
  type FoundPlayer,
  PLAYER_ORDERS,
  type PlayerOrder,
} from '../../../clickhouse-schema/queries/lookups/player-search.ts';
import type { PlayerView } from '../../../core/vocabulary/state/player.ts';
import type { Failure } from '../../../core/kernel/errors.ts';
import { PLAYER_API_LIMITS } from './limits.ts';
import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { type Answer, jsonAnswer } from '../route/answer.ts';
import { clickHouseUnavailable } from '../route/clickhouse-unavailable.ts';
import { ExternalId, nullableTimeOut, oneOf, PlayerId, textOrNull, timeOut } from '../input/fields.ts';
import type { RequestContext } from '../route/request-context.ts';
import { defineRoute, invalid } from '../route/route.ts';
import { playerIdsOf } from './player-id.ts';
import { lastSeenOf, LIFECYCLE_STAGE_SCHEMA, PLAYER_EXAMPLE } from './state/player-resource.ts';

/*
 * The route that finds players. Owners know a player by id and by external id at once; ClickHouse finds the rest, about
 * a second later.
 */

const Found = Type.Object(
  {
    id: PlayerId,
    external_id: ExternalId,
    device_id: textOrNull('Device id; null if not set.'),
    email: textOrNull('E-mail address; null if not set.'),
    lifecycle_stage: Type.Unsafe<string>(LIFECYCLE_STAGE_SCHEMA),
    session_count: Type.Integer({ description: 'Number of sessions opened or recorded.' }),
    total_revenue: Type.Number({ description: "Sum of all purchases in the game's currency." }),
    is_payer: Type.Boolean({ description: 'Whether the player has made a purchase.' }),
    is_test_player: Type.Boolean({ description: 'Whether figures leave the player out, as a test player.' }),
    first_seen_at: timeOut('When the player was first registered.'),
    last_seen_at: nullableTimeOut('When the player was last active; null: never.'),
    matched: Type.Unsafe<'id' | 'external_id' | 'guest' | 'device_id' | 'email' | 'external_id_start' | null>({
      type: ['string', 'null'],
      enum: ['id', 'external_id', 'guest', 'device_id', 'email', 'external_id_start', null],
      description:
        'What `search` matched; null without `search`. `guest`: the id or external_id of a guest that was merged into ' +
        'the player.',
    }),
  },
  { description: 'A player that was found.' },
);

const { attributes: _, ...EXAMPLE } = PLAYER_EXAMPLE;

export const findPlayers = defineRoute({
  method: 'GET',
  path: '/v1/players/players',
  tag: 'Players',
  summary: 'Find players',
  description:
    'With `search`: the player with this id or external_id, then those with this device_id or e-mail address, then ' +
    'those whose external_id begins with it. Without `search`: those first of all players by `order`, by default who ' +
    'was active last. Players are found by id and external_id at once, otherwise about a second after a change. There ' +
    'are no further pages: search for more characters, or list a segment.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  // What people searched for may be an e-mail address, so only its kind is shown.
  role: 'viewer',
  scope: 'read',
  audit: {
    kind: 'player',
    action: 'searched',
    reads: true,
    shows: ({ query }) => ({ by: Object.keys(query ?? {}) }),
  },
  approval: 'none',
  errors: ['SERVICE_UNAVAILABLE'],
  input: {
    query: Type.Object({
      search: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: PLAYER_API_LIMITS.playerSearchLength,
          description:
            'A player id, external_id, device_id or e-mail address, or the beginning of an external_id. Case counts, ' +
            'except in e-mail addresses.',
        }),
      ),
      order: Type.Optional(
        oneOf(
          PLAYER_ORDERS,
          'Without `search`: orders all players by this field, the latest or highest first. Default: last_seen_at.',
        ),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: PLAYER_API_LIMITS.foundPlayers,
          description: `Maximum number of players. Default: ${PLAYER_API_LIMITS.foundPlayersDefault}.`,
        }),
      ),
    }),
  },
  reply: {
    description: 'The players.',
    schema: Type.Object(
      {
        players: Type.Array(Found, {
          description: 'With `search`: exact matches first, then the players who were active last.',
        }),
        complete: Type.Boolean({
          description:
            'false: ClickHouse does not answer, so only the player with this id or external_id was looked for.',
        }),
      },
      { description: 'Found players.' },
    ),
    example: {
      players: [{ ...EXAMPLE, is_payer: true, matched: 'external_id' }],
      complete: true,
    },
  },
  action: { kind: 'service', call: ({ query }, context) => find(query, context) },
});

type Player = Omit<FoundPlayer, 'country'> & { isByGuest?: true };

interface Asked {
  search?: string;
  order?: PlayerOrder;
  limit?: number;
}

async function find(
  { search, order, limit = PLAYER_API_LIMITS.foundPlayersDefault }: Asked,
  context: RequestContext,
): Promise<Answer | Failure> {
  if (search !== undefined && order !== undefined) return invalid([{ path: '/order', message: NOT_WITH_SEARCH }]);
  const { game, environment } = context.key;
  const [exact, others] = await Promise.all([
    search === undefined ? [] : knownToOwners(search, context),
    context.services.analytics.lookups.players({ game, environment, text: search, order, limit }),
  ]);
  if ('code' in exact) return exact;
  const complete = others.kind === 'answered';
  if (!complete && exact.length === 0) return clickHouseUnavailable();
  const known = new Set(exact.map(({ playerId }) => playerId));
  const more = complete ? others.value.filter(({ playerId }) => !known.has(playerId)) : [];
  const players = [...exact, ...more].slice(0, limit).map((player) => shown(player, search));
  return jsonAnswer({ players, complete });
}

const NOT_WITH_SEARCH = 'must be left out with `search`, which puts exact matches first';

/** The players that a name stands for by id or external id. */
async function knownToOwners(
  search: string,
  { key, origin, services: { backend } }: RequestContext,
): Promise<Player[] | Failure> {
  const ids = playerIdsOf(key, search);
  const replies = await Promise.all(
    ids.map((playerId) => backend.query(origin, playerId, { kind: 'GetPlayer', playerId })),
  );
  const players = new Map<string, Player>();
  for (const [place, reply] of replies.entries()) {
    if (reply.kind === 'player') {
      const found = ofView(reply.player);
      // The owner of an account answers for its guests.
      players.set(found.playerId, found.playerId === ids[place] ? found : { ...found, isByGuest: true });
    } else if (reply.kind === 'failure' && reply.code !== 'PLAYER_NOT_FOUND') return reply;
  }
  return [...players.values()];
}

function ofView(view: PlayerView): Player {
  return { ...view, playerId: view.id, totalRevenue: view.totalRevenue / MONEY_SCALE };
}

const MONEY_SCALE = 10_000;

function shown(player: Player, search: string | undefined) {
  return {
    id: player.playerId,
    external_id: player.externalId,
    device_id: player.deviceId,
    email: player.email,
    lifecycle_stage: player.lifecycleStage,
    session_count: player.sessionCount,
    total_revenue: player.totalRevenue,
    is_payer: player.isPayer,
    is_test_player: player.isTestPlayer,
    first_seen_at: formatTimestamp(player.firstSeenAt),
    last_seen_at: lastSeenOf(player),
    matched: search === undefined ? null : matchOf(player, search),
  };
}

function matchOf({ playerId, externalId, deviceId, email, isByGuest }: Player, search: string) {
  if (isByGuest === true) return 'guest';
  if (externalId === search) return 'external_id';
  if (playerId === search.toLowerCase()) return 'id';
  if (deviceId === search) return 'device_id';
  return email?.toLowerCase() === search.toLowerCase() ? 'email' : 'external_id_start';
}
