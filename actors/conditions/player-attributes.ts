import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import { charge, meterId } from './steps.ts';
import { isObject } from './values.ts';

/**
 * The player's attributes, parsed when a condition first asks. JSON.parse makes every key, also `__proto__`, an object's
 * own.
 *
 * All conditions about one state are evaluated together, and most changes of a state leave its attributes alone, so only the latest
 * text is remembered: a WeakMap of every state cost twice as much as the parsing it saved. Large attributes are kept as long as
 * their state.
 */
export function attributesOf(player: PlayerState): JsonObject {
  if (player === paid && meterId === paidMeter) return latest.attributes;
  const text = player.attributes;
  // What follows from one text is paid for once, whether it is remembered or not.
  if (meterId !== paidMeter || text !== latest.text) charge(text.length * PARSE_STEPS);
  if (text !== latest.text) {
    const large = text.length >= LIMITS.largeAttributesLength;
    const attributes = (large ? parsed.get(player) : undefined) ?? parse(text);
    if (large) parsed.set(player, attributes);
    latest = { text, attributes };
  }
  paid = player;
  paidMeter = meterId;
  return latest.attributes;
}

let paid: PlayerState | undefined;
let paidMeter = 0;
let latest: { text: string; attributes: JsonObject } = { text: '{}', attributes: {} };
/** JSON of 64 KiB takes 1.5 to 5.5 ms: up to 85 ns a character where it is all short keys. */
const PARSE_STEPS = 8;
const parsed = new WeakMap<PlayerState, JsonObject>();

function parse(text: string): JsonObject {
  const value: Json = JSON.parse(text);
  return isObject(value) ? value : {};
}
