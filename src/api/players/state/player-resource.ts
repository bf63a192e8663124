import { Type } from 'typebox';
import type { PlayerReply } from '../../../../core/vocabulary/commands/replies.ts';
import type { JsonObject, JsonText } from '../../../../core/kernel/text/json.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import { unitsText } from '../../../../core/kernel/money.ts';
import { formatTimestamp } from '../../../../core/kernel/text/timestamp.ts';
import type { Success } from '../../route/action.ts';
import { ExternalId, freeForm, nullableTimeOut, PlayerId, textOrNull, timeOut } from '../../input/fields.ts';
import { LIFECYCLE_STAGES } from '../../../../core/vocabulary/state/lifecycle-stages.ts';
import { NEVER_SEEN, type PlayerView } from '../../../../core/vocabulary/state/player.ts';
import type { KeyKind } from '../../../access/api-key.ts';

/* The Player resource: its schema, its JSON text and its example. */

export const LIFECYCLE_STAGE_SCHEMA = {
  type: 'string',
  enum: LIFECYCLE_STAGES,
  description: 'Lifecycle stage of the player.',
} as const;

/** The Player resource of the API. */
export const Player = Type.Object(
  {
    id: PlayerId,
    external_id: ExternalId,
    device_id: textOrNull('Device id; null if not set.'),
    email: Type.Optional(textOrNull('E-mail address; null if not set. Responses to client keys leave it out.')),
    lifecycle_stage: Type.Unsafe<string>(LIFECYCLE_STAGE_SCHEMA),
    session_count: Type.Integer({ description: 'Number of sessions opened or recorded.' }),
    total_revenue: Type.Number({
      description: "Sum of all purchases in the game's currency, with up to four decimals.",
    }),
    is_payer: Type.Boolean({ description: 'Whether the player has made a purchase.' }),
    is_test_player: Type.Boolean({
      description: 'Whether the player is marked as a test player: figures leave it out. Set by PATCH.',
    }),
    first_seen_at: timeOut('When the player was first registered.'),
    last_seen_at: nullableTimeOut("When the player was last active, by the service's clock; null: never."),
    attributes: freeForm('Custom attributes.'),
    merged_players: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: PlayerId,
            external_id: ExternalId,
            merge_id: Type.String({ description: 'Id of the merge.' }),
            merged_at: timeOut('When it was merged.'),
          },
          { description: 'A guest that was merged into the player.' },
        ),
        {
          description:
            'Guests that were merged into the player, the oldest first. Only in responses to GET with a server key, ' +
            'if there are any.',
        },
      ),
    ),
    computed: Type.Optional(
      Type.Unsafe<JsonObject>({
        type: 'object',
        description:
          'Named computed properties by key; `null`: no value. Only in responses to GET with a server key, if the game ' +
          'has any.',
      }),
    ),
  },
  { description: 'A player.' },
);

/** `device_id` and `email` in requests. */
export const deviceIdSchema = {
  minLength: 1,
  maxLength: TEXT_LIMITS.deviceIdLength,
  format: 'caller-id',
  description: 'Device id.',
} as const;
export const emailSchema = {
  format: 'email',
  maxLength: TEXT_LIMITS.emailLength,
  description: 'E-mail address. The service stores it and sends no e-mail.',
} as const;

/** When a player was last active, as callers get it; null: never. */
export function lastSeenOf({ lastSeenAt }: Pick<PlayerView, 'lastSeenAt'>): string | null {
  return lastSeenAt === NEVER_SEEN ? null : formatTimestamp(lastSeenAt);
}

/** The Player resource as JSON text. Client keys get neither the e-mail address nor computed properties nor guests. */
export function playerJson(player: PlayerView, reader: KeyKind, more: Pick<PlayerReply, 'computed' | 'merged'> = {}) {
  const own = reader === 'client' ? '' : guestsText(more.merged) + computedText(more.computed);
  const email = reader === 'client' ? '' : `"email":${JSON.stringify(player.email)},`;
  return (
    `{"id":"${player.id}","external_id":${JSON.stringify(player.externalId)},` +
    `"device_id":${JSON.stringify(player.deviceId)},${email}"lifecycle_stage":"${player.lifecycleStage}",` +
    `"session_count":${player.sessionCount},"total_revenue":${unitsText(player.totalRevenue)},` +
    `"is_payer":${player.isPayer},"is_test_player":${player.isTestPlayer},"first_seen_at":"${formatTimestamp(player.firstSeenAt)}",` +
    `"last_seen_at":${JSON.stringify(lastSeenOf(player))},"attributes":${player.attributes}${own}}`
  );
}

const computedText = (computed: JsonText | undefined): string =>
  computed === undefined ? '' : `,"computed":${computed}`;

function guestsText(merged: PlayerReply['merged'] = []): string {
  if (merged.length === 0) return '';
  const guests = merged.map(({ guestId, guestExternalId, mergeId, at }) => ({
    id: guestId,
    external_id: guestExternalId,
    merge_id: mergeId,
    merged_at: formatTimestamp(at),
  }));
  return `,"merged_players":${JSON.stringify(guests)}`;
}

/** Narrows the reply to a player command or query. Any other kind is a bug of the owner. */
export function expectPlayer(reply: Success): PlayerReply {
  if (reply.kind !== 'player') throw new Error(`a player command was answered with ${reply.kind}`);
  return reply;
}

export const PLAYER_EXAMPLE = {
  id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
  external_id: 'player_12345',
  device_id: 'device_abc',
  email: 'player@example.com',
  lifecycle_stage: 'active',
  session_count: 42,
  total_revenue: 99.99,
  is_payer: true,
  is_test_player: false,
  first_seen_at: '2026-01-01T00:00:00.000Z',
  last_seen_at: '2026-01-15T10:30:00.000Z',
  attributes: { level: 25, country: 'US', language: 'en', is_vip: true },
};
