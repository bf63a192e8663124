import { Type } from 'typebox';
import { LIMITS } from '../kernel/limits.ts';

/** Fields that several resources share. Every one has a description with its unit; OpenAPI shows it. */

export const PlayerId = Type.String({ format: 'uuid', description: 'The player, as assigned by the service.' });

export const ExternalId = Type.String({
  minLength: 1,
  maxLength: LIMITS.externalIdLength,
  description: "The caller's own unique id of the player.",
});

/** A time a caller sends. @param description what it is the time of */
export function timeIn(description: string) {
  return Type.String({ format: 'date-time', description: `${description} ISO 8601; without an offset it is UTC.` });
}

/** A time in an answer. @param description what it is the time of */
export function timeOut(description: string) {
  return Type.String({ format: 'date-time', description: `${description} ISO 8601, UTC, milliseconds.` });
}

/** A free-form JSON object of a caller, kept as JSON text from here on. */
export function freeForm(description: string) {
  return Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    maxProperties: LIMITS.documentKeys,
    propertyNames: { type: 'string', minLength: 1, maxLength: LIMITS.nameLength },
    description: `${description} At most ${LIMITS.documentKeys} keys and ${LIMITS.documentBytes / 1024} KiB as JSON.`,
  });
}
