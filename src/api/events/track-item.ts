import { Type, type Static } from 'typebox';
import { acknowledgedMembers } from '../../../core/vocabulary/facts/event-json.ts';
import type { TrackItem } from '../../../core/vocabulary/commands/commands.ts';
import type { TrackResult } from '../../../core/vocabulary/commands/replies.ts';
import type { Failure, FieldFault } from '../../../core/kernel/errors.ts';
import { uuidv5 } from '../../../core/kernel/ids.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { parseTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { documentText, documentTooLarge } from '../input/document-text.ts';
import { PlayerId, freeForm, timeIn } from '../input/fields.ts';
import { validatedEvent, type ValidatedEvent } from './validated-event.ts';
import type { RequestContext } from '../route/request-context.ts';

/* Events as callers send them, the items of commands made of them, and the acknowledgement. */

/** An event as callers send it, alone or in a batch. */
export const TrackBody = Type.Object(
  {
    player_id: PlayerId,
    event_name: Type.String({ minLength: 1, maxLength: TEXT_LIMITS.nameLength, description: 'Name of the event.' }),
    properties: Type.Optional(freeForm('Custom properties.')),
    session_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: TEXT_LIMITS.callerIdLength,
        format: 'caller-id',
        description: 'Id of the session that the event belongs to.',
      }),
    ),
    timestamp: Type.Optional(timeIn('When the event happened. Default: the time of receipt.')),
    event_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: TEXT_LIMITS.callerIdLength,
        format: 'caller-id',
        description: 'Your id of the event. Repeats for the same player count once.',
      }),
    ),
  },
  { description: 'An event to track.' },
);

export type TrackBody = Static<typeof TrackBody>;

/** UUID namespace of event ids derived from an Idempotency-Key. Never change it: repeats would count again. */
const DERIVED_IDS = 'b3a1f0c6-5a5e-4b52-9d0e-8f6f3f1c7a20';

/**
 * Validates an event and makes the command's item for it. Its id is the caller's, else derived from the Idempotency-Key
 * so that repeats have the same id, else new.
 * @param index index in the batch; 0 for a single event
 * @param use the endpoint, since an Idempotency-Key makes different ids on each
 * @param path JSON Pointer to the event in the body
 */
export function trackItem(
  event: TrackBody,
  index: number,
  use: 'single' | 'batch',
  context: RequestContext,
  path: string,
): ValidatedEvent | Failure | Promise<ValidatedEvent | Failure> {
  const properties = event.properties === undefined ? '{}' : documentText(event.properties);
  if (properties === undefined) return documentTooLarge(`${path}/properties`);
  const { idempotency, key, origin, services } = context;
  let eventId = event.event_id;
  if (eventId === undefined && idempotency !== undefined) {
    eventId = uuidv5(DERIVED_IDS, `${use}\n${key.id}\n${idempotency.key}\n${index}`);
  }
  const item: TrackItem = {
    index,
    playerId: event.player_id.toLowerCase(),
    eventId: eventId ?? services.ids.uuidv7(origin.receivedAt),
    remember: eventId !== undefined,
    eventName: event.event_name,
    properties,
    sessionId: event.session_id ?? null,
    timestamp: (event.timestamp === undefined ? undefined : parseTimestamp(event.timestamp)) ?? origin.receivedAt,
  };
  return validatedEvent(item, event.properties ?? NO_PROPERTIES, context);
}

const NO_PROPERTIES = {};

/** The acknowledgement of a tracked event as JSON text. */
export function trackedJson(result: TrackResult, warnings: readonly FieldFault[]): string {
  const status = result.status === 'quarantined' ? ',"status":"quarantined"' : '';
  const warned = warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings)}`;
  return `{${acknowledgedMembers(result)}${status}${warned}}`;
}
