import { Type, type Static } from 'typebox';
import type { TrackItem } from '../../../core/vocabulary/commands/commands.ts';
import { ERRORS, type Failure, type FieldFault } from '../../../core/kernel/errors.ts';
import { GAME_API_LIMITS } from './limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { VALIDATION_LIMITS } from '../../../core/kernel/validation/limits.ts';
import { parseTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { documentText, documentTooLarge } from '../input/document-text.ts';
import { freeForm, timeIn } from '../input/fields.ts';
import { noteIgnored } from '../input/ignored-fields.ts';
import { validatedEvent, Warnings } from '../events/validated-event.ts';
import type { RequestContext } from '../route/request-context.ts';
import { ignorableFields, invalid } from '../route/route.ts';
import { createTurns } from '../route/turns.ts';
import { compile } from '../../../core/kernel/validation/validation.ts';

/*
 * Validates the events of a session, sent by sync and end-session. Invariant: an invalid event is listed in `rejected`
 * and does not affect the other events of the request.
 */

/** An event of a session, as game clients send it. */
const GameEvent = Type.Object(
  {
    event_name: Type.String({ minLength: 1, maxLength: TEXT_LIMITS.nameLength, description: 'Name of the event.' }),
    timestamp: Type.Optional(timeIn('When the event happened, possibly hours ago. Default: the time of receipt.')),
    properties: Type.Optional(freeForm('Custom properties.')),
    event_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: TEXT_LIMITS.callerIdLength,
        format: 'caller-id',
        description: 'Your id of the event. Repeats for the same player are not counted again.',
      }),
    ),
  },
  { description: 'An event of the session.' },
);

/** A list of events. Each is validated on its own. */
export const GameEvents = Type.Array(Type.Unknown(), {
  maxItems: GAME_API_LIMITS.syncEvents,
  'x-items': GameEvent,
  description: `Events of the session, at most ${GAME_API_LIMITS.syncEvents}. Applied in the order of their timestamps.`,
});

/** The rejected events. */
export const Rejected = Type.Array(
  Type.Object(
    {
      index: Type.Integer({ description: 'Index of the event in the request, from 0.' }),
      error: Type.Object(
        {
          code: Type.String({ description: 'Error code.' }),
          message: Type.String({ description: 'Explanation for people.' }),
          details: Type.Optional(Type.Object({}, { description: 'Details of the error; `fields` lists the faults.' })),
        },
        { description: 'Why the event was rejected.' },
      ),
    },
    { description: 'A rejected event.' },
  ),
  { description: 'Events that were rejected permanently. All other events were accepted.' },
);

/** The events that violate their schemas. */
export const EventWarnings = Type.Array(
  Type.Object(
    {
      index: Type.Integer({ description: 'Index of the event in the request, from 0.' }),
      quarantined: Type.Boolean({
        description: 'Whether the event was quarantined because its schema is enforced. It does not count as accepted.',
      }),
      warnings: Warnings,
    },
    { description: 'An event that violates its schema.' },
  ),
  { description: 'Events that violate their schemas. Left out if there are none.' },
);

interface EventWarning {
  index: number;
  quarantined: boolean;
  warnings: readonly FieldFault[];
}

interface Rejection {
  index: number;
  error: { code: Failure['code']; message: string; details?: Record<string, unknown> };
}

/** Valid events in the caller's order, rejected events, and schema warnings. */
export interface GameItems {
  items: TrackItem[];
  rejected: Rejection[];
  /** The response's member `warnings` as JSON text with a leading comma; empty without warnings. */
  warningsJson: string;
}

/**
 * Validates a body's list of events. Fails if the body has a fault outside of the list.
 * @param field name of the list in the body
 */
export async function gameItems(
  field: 'events' | 'final_events',
  events: readonly unknown[],
  session: { playerId: string; sessionId: string },
  context: RequestContext,
): Promise<GameItems | Failure> {
  const faults = Map.groupBy(context.faults, (fault) => indexOf(field, fault));
  const elsewhere = faults.get(undefined);
  if (elsewhere !== undefined) return invalid(elsewhere);
  // The scan for faults stops at this bound, so later events may have faults too.
  if (context.faults.length >= VALIDATION_LIMITS.reportedFaults) return invalid([...context.faults]);
  const items: TrackItem[] = [];
  const rejected: Rejection[] = [];
  const warned: EventWarning[] = [];
  const turns = createTurns(context.services.clock);
  for (const [index, event] of events.entries()) {
    const pause = turns.pause();
    if (pause !== undefined) await pause;
    const valueFaults = faults.get(index);
    const found = valueFaults === undefined ? read(event, index, field, session, context) : invalid(valueFaults);
    const validated = found instanceof Promise ? await found : found;
    if ('kind' in validated) {
      rejected.push({ index, error: errorOf(validated) });
      continue;
    }
    const { item, warnings } = validated;
    items.push(item);
    if (warnings.length > 0) warned.push({ index, quarantined: item.quarantine !== undefined, warnings });
  }
  return { items, rejected, warningsJson: warned.length === 0 ? '' : `,"warnings":${JSON.stringify(warned)}` };
}

const check = compile(GameEvent, { dropsAbsentIn: 'value' });
const itemFields = ignorableFields(GameEvent) ?? new Set<string>();

function read(
  event: unknown,
  index: number,
  field: string,
  session: { playerId: string; sessionId: string },
  context: RequestContext,
): ReturnType<typeof validatedEvent> {
  const path = `/${field}/${index}`;
  if (!check.accepts(event)) {
    return invalid(check.faultsOf(event).map((fault) => ({ path: path + fault.path, message: fault.message })));
  }
  noteIgnored(event, itemFields, `${field}[].`, context.ignored);
  return itemOf(event, index, path, session, context);
}

function itemOf(
  { event_id: ownId, event_name: eventName, properties, timestamp }: Static<typeof GameEvent>,
  index: number,
  path: string,
  session: { playerId: string; sessionId: string },
  context: RequestContext,
): ReturnType<typeof validatedEvent> {
  const text = properties === undefined ? '{}' : documentText(properties);
  if (text === undefined) return documentTooLarge(`${path}/properties`);
  const { origin, services } = context;
  const item: TrackItem = {
    index,
    ...session,
    // Events without an id of their own need no deduplication: an Idempotency-Key covers the whole call.
    eventId: ownId ?? services.ids.uuidv7(origin.receivedAt),
    remember: ownId !== undefined,
    eventName,
    properties: text,
    timestamp: (timestamp === undefined ? undefined : parseTimestamp(timestamp)) ?? origin.receivedAt,
  };
  return validatedEvent(item, properties ?? NO_PROPERTIES, context);
}

const NO_PROPERTIES = {};

function errorOf({ code, message, details }: Failure): Rejection['error'] {
  return { code, message: message ?? ERRORS[code].message, ...(details === undefined ? {} : { details }) };
}

/** Index of the event with the fault; undefined if the fault is elsewhere in the body. */
function indexOf(field: string, { path }: FieldFault): number | undefined {
  const [, first, index] = path.split('/');
  return first === field && index !== undefined && /^\d+$/.test(index) ? Number(index) : undefined;
}
