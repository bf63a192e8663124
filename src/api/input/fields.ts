import { Type, type Static, type TSchema } from 'typebox';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';

/** Fields that several resources share. Each has a description with its unit, which OpenAPI publishes. */

export const PlayerId = Type.String({ format: 'uuid', description: 'Id of the player, assigned by the service.' });

export const ExternalId = Type.String({
  minLength: 1,
  maxLength: TEXT_LIMITS.externalIdLength,
  format: 'external-id',
  description: 'Your own unique id of the player.',
});

/** A time in a request. @param description what happens at that time */
export function timeIn(description: string) {
  return Type.String({ format: 'date-time', description: `${description} ISO 8601; UTC without an offset.` });
}

/** A time in a response. @param description what happened at that time */
export function timeOut(description: string) {
  return Type.String({ format: 'date-time', description: `${description} ISO 8601, UTC, milliseconds.` });
}

export function nullableTimeOut(description: string) {
  return nullable(timeOut(description));
}

/** The schema, or null. */
export function nullable<S extends TSchema & { type: string }>(schema: S) {
  return Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'] });
}

export const textOrNull = (description: string) => nullable(Type.String({ description }));
export const integerOrNull = (description: string) => nullable(Type.Integer({ description }));
export const numberOrNull = (description: string) => nullable(Type.Number({ description }));
export const timeOrNull = (description: string) => nullable(Type.String({ format: 'date-time', description }));

/** A choice. @param description what is chosen */
export function oneOf<const T extends string>(values: readonly T[], description: string) {
  return Type.Unsafe<T>({ type: 'string', enum: values, description });
}

/** A caller's free-form JSON object. Commands carry it as JSON text (document-text.ts). */
export function freeForm(description: string) {
  return Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    maxProperties: TEXT_LIMITS.documentKeys,
    propertyNames: { type: 'string', minLength: 1, maxLength: TEXT_LIMITS.nameLength },
    description:
      `${description} At most ${TEXT_LIMITS.documentKeys} keys and ${TEXT_LIMITS.documentBytes} bytes as JSON; ` +
      `each string at most ${TEXT_LIMITS.stringBytes} bytes.`,
  });
}
