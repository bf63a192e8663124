import { Type, type TSchema } from 'typebox';
import type { FieldFault } from '../../../core/kernel/errors.ts';
import type { Json, JsonObject } from '../../../core/kernel/text/json.ts';
import { DEFINITION_LIMITS } from './limits.ts';
import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { nullable, timeOut } from '../input/fields.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';

/*
 * Fields that segments, flags, campaigns and other definitions share.
 */

/** Not `.` and `..`: in a path they stand for folders, so that no address would reach them. */
const KEY_PATTERN = `^(?!\\.{1,2}$)[A-Za-z0-9._-]{1,${TEXT_LIMITS.definitionKeyLength}}$`;

/** A key that people choose. @param description what the key is for */
export function keyOf(description: string) {
  return Type.String({
    pattern: KEY_PATTERN,
    description: `${description} 1 to ${TEXT_LIMITS.definitionKeyLength} characters: A-Z a-z 0-9 . _ -, but not . or ..`,
  });
}

/** A display name. @param description what it names */
export function nameOf(description: string) {
  return Type.String({ minLength: 1, maxLength: TEXT_LIMITS.nameLength, description });
}

export const Description = Type.String({
  maxLength: DEFINITION_LIMITS.descriptionLength,
  description: 'Free text for people.',
});

/** A condition. @param description what it decides */
export function conditionsOf(description: string) {
  return Type.Unsafe<JsonObject>({
    type: 'object',
    description:
      `${description} MongoDB-style: \`{"attributes.level": {"$gte": 10}, "is_payer": true}\`. A condition that ` +
      'exceeds its step budget for a player, for example with many regular expressions over long lists, is false for ' +
      'that player.',
  });
}

/** Any JSON value. @param description what the value is for */
export function anyJson(description: string) {
  return Type.Unsafe<Json>({ description });
}

/** A read-only field, ignored in a PUT so that the response to GET can be edited and sent back. */
export const ReadOnly = Type.Optional(Type.Unknown({ description: 'Read-only, as returned by GET. Ignored.' }));

/** The version in the body of a change, for clients that send back what they got. */
export const BasedOn = Type.Optional(
  Type.Integer({
    minimum: 1,
    description: 'The version on which the change is based, as returned by GET: 412 if it is not the current one.',
  }),
);

/** The key in the body of a change. */
export const CurrentKey = Type.Optional(keyOf('The current key; it cannot be changed.'));

/** The fault of a key in the body of a change that is not the current one. */
export function keyFaults(sent: string | undefined, current: string): FieldFault[] {
  if (sent === undefined || sent === current) return [];
  return [{ path: '/key', message: 'cannot be changed; leave it out or send the current key' }];
}

/** A field of a merge patch. `null` sets it to its default at creation. */
export function orNull<S extends TSchema & { type: string }>(schema: S) {
  return Type.Optional(nullable(schema));
}

/** The fields that the service maintains. @param one what the definition is called */
export function madeFields(one: string) {
  return {
    version: Type.Integer({ description: 'Version, counted from 1.' }),
    created_at: timeOut(`When the ${one} was created.`),
    updated_at: timeOut(`When the ${one} was last changed.`),
  };
}

export const MADE_EXAMPLE = {
  version: 1,
  created_at: '2026-01-15T10:30:00.000Z',
  updated_at: '2026-01-15T10:30:00.000Z',
};

export function madeJson(made: { version: number; createdAt: number; updatedAt: number }) {
  const { version, createdAt, updatedAt } = made;
  return { version, created_at: formatTimestamp(createdAt), updated_at: formatTimestamp(updatedAt) };
}
