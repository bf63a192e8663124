import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { PlayerState } from '../state.ts';
import { isObject } from './values.ts';

/**
 * The player's attributes, parsed when a condition first asks. JSON.parse makes every key, also `__proto__`, an object's
 * own.
 *
 * All that is asked about one state is asked in one go, so the latest is remembered and that is all: a WeakMap of every
 * state cost twice as much as the parsing it saved. Only large attributes are kept as long as their state.
 */
export function attributesOf(player: PlayerState): JsonObject {
  if (player === latest?.player) return latest.attributes;
  const large = player.attributes.length >= LIMITS.largeAttributesLength;
  const attributes = (large ? parsed.get(player) : undefined) ?? parse(player);
  if (large) parsed.set(player, attributes);
  latest = { player, attributes };
  return attributes;
}

let latest: { player: PlayerState; attributes: JsonObject } | undefined;
const parsed = new WeakMap<PlayerState, JsonObject>();

function parse(player: PlayerState): JsonObject {
  const value: Json = JSON.parse(player.attributes);
  return isObject(value) ? value : {};
}
