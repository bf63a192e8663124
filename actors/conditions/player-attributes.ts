import type { Json, JsonObject } from '../../src/kernel/json.ts';
import type { PlayerState } from '../state.ts';
import { isObject } from './values.ts';

/**
 * The player's attributes, parsed when a condition first asks and once for each state. JSON.parse makes every key, also
 * `__proto__`, an object's own.
 */
export function attributesOf(player: PlayerState): JsonObject {
  const known = parsed.get(player);
  if (known !== undefined) return known;
  const value: Json = JSON.parse(player.attributes);
  const attributes = isObject(value) ? value : {};
  parsed.set(player, attributes);
  return attributes;
}

const parsed = new WeakMap<PlayerState, JsonObject>();
