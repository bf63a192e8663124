import { Type, type Static, type TSchema } from 'typebox';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { LIMITS } from '../../kernel/limits.ts';

/** Fields that segments and flags share. */

const KEY_PATTERN = `^[A-Za-z0-9._-]{1,${LIMITS.definitionKeyLength}}$`;

/** A key. @param description what it is the key of */
export function keyOf(description: string) {
  return Type.String({
    pattern: KEY_PATTERN,
    description: `${description} 1 to ${LIMITS.definitionKeyLength} of the characters A-Z a-z 0-9 . _ -`,
  });
}

/** A name for people. @param description what it names */
export function nameOf(description: string) {
  return Type.String({ minLength: 1, maxLength: LIMITS.nameLength, description });
}

export const Description = Type.String({ maxLength: LIMITS.descriptionLength, description: 'For people.' });

/** A condition. @param description what it decides */
export function conditionsOf(description: string) {
  return Type.Unsafe<JsonObject>({
    type: 'object',
    description:
      `${description} MongoDB-style: \`{"attributes.level": {"$gte": 10}, "is_payer": true}\`. A condition that exceeds its ` +
      'budget of steps for a player, such as many regular expressions over long lists, is false for that player.',
  });
}

/** Any JSON value. @param description what it is */
export function anyJson(description: string) {
  return Type.Unsafe<Json>({ description });
}

/**
 * A field of an answer that a whole definition may be sent back with. It changes nothing, so that what GET answered can
 * be edited and put.
 */
export const ReadOnly = Type.Optional(Type.Unknown({ description: 'Read only: as GET answers it; changes nothing.' }));

/** A field of a merge patch. `null` sets it to what it is when left out at creation. */
export function orNull<S extends TSchema & { type: string }>(schema: S) {
  return Type.Optional(Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'] }));
}
