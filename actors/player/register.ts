import { failure, type Failure } from '../../core/kernel/errors.ts';
import type { JsonText } from '../../core/kernel/text/json.ts';
import { computedAt } from '../computed/player-values.ts';
import type { NamedProperty } from '../decision/targeting.ts';
import type { PlayerReply } from '../../core/vocabulary/commands/replies.ts';
import type { RegisterPlayer } from '../../core/vocabulary/commands/commands.ts';
import type { Context, Decision } from '../decision/decision.ts';
import { type PlayerState, viewOf } from '../../core/vocabulary/state/state.ts';
import { mergeAttributes } from './attributes.ts';
import { attributesTooLarge, changePlayer } from './change.ts';
import type { AbsorbedGuest } from '../../core/vocabulary/merge/merged.ts';
import type { PlayerView } from '../../core/vocabulary/state/player.ts';

/**
 * Registers a player, or updates an existing one: attributes merge, `device_id` and `email` replace. A client key never
 * replaces an existing e-mail.
 *
 * Client keys are public and an external_id can be guessed. So without a player token that proves the identity, an
 * existing device stays too, and the reply contains no private data of an existing player.
 */
export function registerPlayer(state: PlayerState | undefined, command: RegisterPlayer, context: Context): Decision {
  if (state === undefined) return create(command, context);
  if (command.createOnly) return { facts: [], reply: failure('DUPLICATE_PLAYER') };
  const isStranger = command.byClientKey && command.isOwn !== true;
  const keepsEmail = command.byClientKey && state.email !== null;
  const keepsDevice = isStranger && state.deviceId !== null;
  const { email, deviceId, attributes } = command;
  const { facts, reply } = changePlayer(
    state,
    {
      ...(email === undefined || keepsEmail ? {} : { email }),
      ...(deviceId === undefined || keepsDevice ? {} : { deviceId }),
      ...(attributes === undefined ? {} : { attributes }),
    },
    context,
  );
  if (!isStranger || reply.kind !== 'player') return { facts, reply };
  return { facts, reply: { ...reply, player: withoutPrivateData(reply.player, command) } };
}

/** The reply without proof of identity: all fields of the resource, with the private ones as of a new player. */
function withoutPrivateData(player: PlayerView, { deviceId, attributes }: RegisterPlayer): PlayerView {
  return {
    ...player,
    deviceId: player.deviceId === deviceId ? player.deviceId : null,
    email: null,
    sessionCount: 0,
    totalRevenue: 0,
    isPayer: false,
    isTestPlayer: false,
    // The caller sent these attributes itself.
    attributes: mergeAttributes('{}', attributes ?? '{}') ?? '{}',
  };
}

function create(command: RegisterPlayer, context: Context): Decision {
  const attributes = mergeAttributes('{}', command.attributes ?? '{}');
  if (attributes === undefined) return { facts: [], reply: attributesTooLarge() };
  const player = newPlayer(command, attributes, context.at);
  const { game, environment, at } = context;
  return {
    facts: [{ kind: 'PlayerRegistered', entityId: player.id, game, environment, at, player }],
    reply: { kind: 'player', player, created: true },
  };
}

export function newPlayer(
  { playerId, externalId, deviceId, email }: Pick<RegisterPlayer, 'playerId' | 'externalId' | 'deviceId' | 'email'>,
  attributes: JsonText,
  at: number,
): PlayerView {
  return {
    id: playerId,
    externalId,
    deviceId: deviceId ?? null,
    email: email ?? null,
    lifecycleStage: 'new',
    sessionCount: 0,
    totalRevenue: 0,
    isPayer: false,
    isTestPlayer: false,
    firstSeenAt: at,
    lastSeenAt: at,
    attributes,
  };
}

function guestOf({ mergeId, guestId, guestExternalId, at }: AbsorbedGuest) {
  return { mergeId, guestId, guestExternalId, at };
}

/** Reads a player. Fails with PLAYER_NOT_FOUND. */
export function readPlayer(
  state: PlayerState | undefined,
  properties: ReadonlyMap<string, NamedProperty> | undefined,
  nowMs: number,
): PlayerReply | Failure {
  if (state === undefined) return failure('PLAYER_NOT_FOUND');
  const { absorbed = [], bornSeq: life } = state;
  const reply: PlayerReply = {
    kind: 'player',
    player: viewOf(state),
    created: false,
    ...(life === undefined ? {} : { life }),
    ...(absorbed.length === 0 ? {} : { merged: absorbed.map(guestOf) }),
  };
  if (properties === undefined || properties.size === 0) return reply;
  const values = [...properties].map(([key, { id, spec }]) => [key, computedAt(state, id, spec, nowMs)] as const);
  return { ...reply, computed: JSON.stringify(Object.fromEntries(values)) };
}
