import type { Json, JsonObject } from '../../core/kernel/text/json.ts';
import { numberOfText } from '../../core/kernel/text/text-number.ts';
import { namedPropertyId, type PropertySpec } from '../../core/vocabulary/documents/computed.ts';

/**
 * Identifies a property by its content, and by its key if it is named: rows of players show named ones by their key.
 * The order of keys in its filter does not matter.
 */
export function propertyIdOf(spec: PropertySpec, key?: string): string {
  const contentId = numberOfText(JSON.stringify(inOrder(contentOf(spec)))).toString(36);
  return key === undefined ? contentId : namedPropertyId(key, contentId);
}

/** An empty filter says as much as none. */
function contentOf({ event, where = {}, aggregate, path, days }: PropertySpec): JsonObject {
  return { event, where, aggregate, ...(path === undefined ? {} : { path }), days };
}

function inOrder(value: Json): Json {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, Json] => [name, inOrder(inner)]);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}
