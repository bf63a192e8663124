import { failure, type Failure } from '../../core/kernel/errors.ts';
import type { JsonText } from '../../core/kernel/text/json.ts';
import { TEXT_LIMITS } from '../../core/kernel/text/limits.ts';
import type { Context, Decision } from '../decision/decision.ts';
import type { PlayerUpdated } from '../../core/vocabulary/facts/facts.ts';
import { type PlayerState, viewOf } from '../../core/vocabulary/state/state.ts';
import { mergeAttributes } from './attributes.ts';
import { type PlayerView, TEST_PLAYER_FIELD } from '../../core/vocabulary/state/player.ts';

/** The requested changes of a registration or patch; omitted fields stay. `attributes` is a merge patch. */
export interface PlayerChange {
  email?: string | null;
  deviceId?: string | null;
  isTestPlayer?: boolean;
  attributes?: JsonText;
}

/** Changes a player. Emits no fact if nothing differs. */
export function changePlayer(state: PlayerState, change: PlayerChange, context: Context): Decision {
  const before = viewOf(state);
  const attributes =
    change.attributes === undefined ? before.attributes : mergeAttributes(before.attributes, change.attributes);
  if (attributes === undefined) return { facts: [], reply: attributesTooLarge() };
  const player: PlayerView = {
    ...before,
    email: change.email === undefined ? before.email : change.email,
    deviceId: change.deviceId === undefined ? before.deviceId : change.deviceId,
    isTestPlayer: change.isTestPlayer ?? before.isTestPlayer,
    attributes,
  };
  const changed = [
    ...(player.email === before.email ? [] : ['email']),
    ...(player.deviceId === before.deviceId ? [] : ['device_id']),
    ...(player.isTestPlayer === before.isTestPlayer ? [] : [TEST_PLAYER_FIELD]),
    ...(player.attributes === before.attributes ? [] : ['attributes']),
  ];
  const reply = { kind: 'player', player, created: false } as const;
  if (changed.length === 0) return { facts: [], reply };
  return { facts: [playerUpdated(player, changed, context)], reply };
}

/** The fact that `attributes` replace all of a player's attributes. */
export function attributesReplaced(state: PlayerState, attributes: JsonText, context: Context): PlayerUpdated {
  return playerUpdated({ ...viewOf(state), attributes }, ['attributes'], context);
}

/** @param path JSON Pointer to the merge patch in the request */
export function attributesTooLarge(path = '/attributes'): Failure {
  const message =
    `makes the player's attributes too large; the maximum is ${TEXT_LIMITS.documentBytes} bytes as JSON and ` +
    `${TEXT_LIMITS.documentKeys} keys; send less, or delete keys by setting them to null`;
  return failure('VALIDATION_ERROR', undefined, { fields: [{ path, message }] });
}

function playerUpdated(player: PlayerView, changed: string[], { game, environment, at }: Context): PlayerUpdated {
  return { kind: 'PlayerUpdated', entityId: player.id, game, environment, at, changed, player };
}
