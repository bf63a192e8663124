import { isObject, type Json, jsonText, type JsonText } from '../../core/kernel/text/json.ts';
import { ATTRIBUTE_LIMITS } from './limits.ts';
import { TEXT_LIMITS } from '../../core/kernel/text/limits.ts';
import type { PlayedFrom } from '../../core/vocabulary/facts/session-facts.ts';

type JsonObject = { [key: string]: Json };

/**
 * Merges `patch` into `current` as JSON Merge Patch (RFC 7396): objects merge, null deletes, other values replace.
 * @returns the merged text; `undefined` if it would exceed the limits of a document
 */
export function mergeAttributes(current: JsonText, patch: JsonText): JsonText | undefined {
  const merged = mergeObjects(parseObject(current), parseObject(patch));
  if (Object.keys(merged).length > TEXT_LIMITS.documentKeys) return undefined;
  const text = jsonText(merged);
  return Buffer.byteLength(text) > TEXT_LIMITS.documentBytes ? undefined : text;
}

/** The country as facts of sessions hold it. */
export const playedFrom = (country: string): PlayedFrom => (country === '' ? {} : { country });

/** The `country` attribute if it is a string of at most `countryLength`; otherwise ''. Every event carries it. */
export function countryOf(attributes: JsonText): string {
  if (!attributes.includes('"country"')) return '';
  const country = parseObject(attributes)['country'];
  return typeof country === 'string' && country.length <= ATTRIBUTE_LIMITS.countryLength ? country : '';
}

function mergeObjects(target: JsonObject, patch: JsonObject): JsonObject {
  // A Map and Object.fromEntries keep a key named __proto__ an own property.
  const merged = new Map<string, Json>(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else if (isObject(value)) merged.set(key, mergeObjects(objectOrEmpty(merged.get(key)), value));
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

function objectOrEmpty(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function parseObject(text: JsonText): JsonObject {
  const value: Json = JSON.parse(text);
  return objectOrEmpty(value);
}
