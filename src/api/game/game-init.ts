import { Type } from 'typebox';
import { newSessionId } from '../../../actors/sessions/session-id.ts';
import { GAME_API_LIMITS } from './limits.ts';
import { SESSION_LIMITS } from '../../../actors/sessions/limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { answer } from '../route/answer.ts';
import { ExternalId, freeForm, PlayerId, timeOut } from '../input/fields.ts';
import { flagMap, flagMapJson, GAME_TAG, GameSessionId } from './game-fields.ts';
import { noteIgnored } from '../input/ignored-fields.ts';
import { defineRoute, forGames, ignorableFields, type KeyedRoute } from '../route/route.ts';
import { isBlank, PLATFORMS, platformName } from '../../../core/vocabulary/state/platform.ts';
import type { DeviceInfo } from '../../../core/vocabulary/state/device.ts';

/* The route that opens a session for a game client. */

const deviceField = (description: string) =>
  Type.Optional(Type.String({ maxLength: GAME_API_LIMITS.deviceFieldLength, description }));

const Device = Type.Object(
  {
    platform: deviceField(
      `Platform: one of ${Object.keys(PLATFORMS).join(', ')}, or a name of your own. Names of engines, such as ` +
        '`IPhonePlayer`, are stored as these.',
    ),
    os_version: deviceField('Version of the operating system.'),
    app_version: deviceField('Version of the game.'),
    build: deviceField('Build of this version, for example `20413`.'),
    device_model: deviceField('Model of the device.'),
    locale: deviceField('Language and region of the device, such as `de-AT`: messages are in it.'),
  },
  { description: 'The device. Conditions of segments and flags can use it.' },
);
const deviceFields = ignorableFields(Device) ?? new Set<string>();

const Reply = Type.Object(
  {
    player: Type.Object(
      {
        player_id: PlayerId,
        external_id: ExternalId,
        first_seen: timeOut('When the player was first registered.'),
        last_seen: timeOut('When the player was last active, which is now.'),
        properties: freeForm('Custom attributes.'),
      },
      { description: 'The player.' },
    ),
    session_id: GameSessionId,
    flags: flagMap('The requested flags, or all flags.'),
    segments: Type.Array(Type.String(), { description: 'Keys of the segments the player is in.' }),
    server_time: timeOut('Current time of the service.'),
    unknown_flags: Type.Array(Type.String(), { description: 'Requested flags that do not exist.' }),
  },
  { description: 'An open session with the data that a game needs at its start.' },
);

/**
 * The route that opens sessions.
 * @param sessionTtlSeconds how long a session stays open without init or sync, seconds
 */
export function gameInit(sessionTtlSeconds: number): KeyedRoute {
  return defineRoute({
    method: 'POST',
    path: '/v1/bff/game/init',
    tag: GAME_TAG,
    summary: 'Start a session and get the player, flags and segments',
    description:
      `A player has at most ${SESSION_LIMITS.openSessions} open sessions. One more closes the oldest; an init by a client key ` +
      'first closes a session that had no call since its init. A session expires ' +
      `${sessionTtlSeconds} seconds after its last init or sync. With an Idempotency-Key, a repeat returns the same ` +
      'session.',
    auth: { keys: ['client', 'server'] },
    players: ({ body }) => ({ playerId: body.player_id }),
    limitClass: 'game',
    ...forGames('track'),
    idempotent: true,
    errors: ['PLAYER_NOT_FOUND'],
    input: {
      body: Type.Object({
        player_id: PlayerId,
        device_info: Type.Optional(Device),
        requested_flags: Type.Optional(
          Type.Array(Type.String({ maxLength: TEXT_LIMITS.nameLength }), {
            maxItems: GAME_API_LIMITS.requestedFlags,
            description: 'Keys of the flags to evaluate at init and at every sync. Default: all flags.',
          }),
        ),
      }),
    },
    reply: {
      description: 'The session is open.',
      schema: Reply,
      example: {
        player: {
          player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
          external_id: 'player_12345',
          first_seen: '2026-01-01T00:00:00.000Z',
          last_seen: '2026-01-15T10:30:00.000Z',
          properties: { level: 25, country: 'US' },
        },
        session_id: 'ses_019bc0de-1234-7abc-8def-0123456789ab',
        flags: {
          new_shop: {
            enabled: true,
            variant: 'b',
            value: 'layout_b',
            variant_key: 'b',
            reason: 'percentage_rollout',
            period: 2,
          },
          double_xp: { enabled: false, value: false, variant_key: null, reason: 'default' },
        },
        segments: ['regulars'],
        server_time: '2026-01-15T10:30:00.000Z',
        unknown_flags: [],
      },
    },
    example: {
      player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
      device_info: {
        platform: 'ios',
        os_version: '18.1',
        app_version: '2.4.0',
        device_model: 'iPhone16,2',
        locale: 'de-AT',
      },
      requested_flags: ['new_shop', 'double_xp'],
    },
    action: {
      kind: 'command',
      toCommand({ body }, { origin, services, idempotency, ignored }) {
        const { device_info: device, requested_flags: flagKeys } = body;
        noteIgnored(device, deviceFields, 'device_info.', ignored);
        const playerId = body.player_id.toLowerCase();
        return {
          kind: 'addressed',
          playerId: playerId,
          body: {
            kind: 'InitSession',
            playerId,
            sessionId: newSessionId(services.ids, playerId, origin.receivedAt),
            device: device === undefined ? null : deviceOf(device),
            flagKeys: flagKeys ?? null,
            ttlMs: sessionTtlSeconds * 1000,
            ...(idempotency === undefined ? {} : { idempotency }),
          },
        };
      },
      toAnswer(reply) {
        if (reply.kind !== 'sessionOpened') throw new Error(`an init was answered with ${reply.kind}`);
        const { player, sessionId, flags, segmentKeys, serverTime, unknownFlags, replayed = false } = reply;
        return answer(
          `{"player":{"player_id":"${player.id}","external_id":${JSON.stringify(player.externalId)},` +
            `"first_seen":"${formatTimestamp(player.firstSeenAt)}","last_seen":"${formatTimestamp(player.lastSeenAt)}",` +
            `"properties":${player.attributes}},"session_id":"${sessionId}","flags":${flagMapJson(flags)},` +
            `"segments":${JSON.stringify(segmentKeys)},"server_time":"${formatTimestamp(serverTime)}",` +
            `"unknown_flags":${JSON.stringify(unknownFlags)}}`,
          { replayed },
        );
      },
    },
  });
}

/** A field that is missing or blank is unknown. @returns null if all are, which keeps the stored device */
function deviceOf(device: { [K in keyof typeof Device.properties]?: string }): DeviceInfo | null {
  const { platform, os_version, app_version, build, device_model } = device;
  const locale = known(device.locale);
  const said = {
    platform: known(platform),
    osVersion: known(os_version),
    appVersion: known(app_version),
    build: known(build),
    deviceModel: known(device_model),
  };
  if (locale === null && Object.values(said).every((field) => field === null)) return null;
  const named = said.platform === null ? said : { ...said, platform: platformName(said.platform) };
  return locale === null ? named : { ...named, locale };
}

const known = (text: string | undefined): string | null => (text === undefined || isBlank(text) ? null : text);
