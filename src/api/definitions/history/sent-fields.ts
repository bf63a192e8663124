import type { TObject } from 'typebox';
import type { JsonObject } from '../../../../core/kernel/text/json.ts';

/** What a request sends of an answer: without what the service makes. `version` would be the basis of a change. */
export function sentFields(body: TObject, wire: JsonObject): JsonObject {
  const names = Object.keys(body.properties).filter((name) => name !== 'version' && Object.hasOwn(wire, name));
  return Object.fromEntries(names.map((name) => [name, wire[name] ?? null]));
}
