import { isObject, type Json, type JsonObject } from '../../core/kernel/text/json.ts';
import { CONDITION_LIMITS } from './limits.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { charge, meterId } from './steps.ts';

/**
 * The player's attributes, parsed at the first read. JSON.parse makes every key, also `__proto__`, an own property.
 *
 * Conditions on one state run together, and most state changes keep the attributes, so one parsed text is cached: a
 * WeakMap of all states cost twice what it saved. Large attributes are cached as long as their state lives.
 */
export function attributesOf(player: PlayerState): JsonObject {
  if (player === paid && meterId === paidMeter) return latest.attributes;
  const text = player.attributes;
  // A meter pays for each text once, cached or not, so that caches do not change results.
  if (meterId !== paidMeter || text !== latest.text) charge(text.length * PARSE_STEPS);
  if (text !== latest.text) {
    const large = text.length >= CONDITION_LIMITS.largeAttributesLength;
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
/** Parsing 64 KiB takes 1.5 to 5.5 ms: up to 85 ns per character if all keys are short. */
const PARSE_STEPS = 8;
const parsed = new WeakMap<PlayerState, JsonObject>();

function parse(text: string): JsonObject {
  const value: Json = JSON.parse(text);
  return isObject(value) ? value : {};
}
