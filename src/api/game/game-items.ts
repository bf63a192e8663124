import { Type, type Static } from 'typebox';
import type { TrackItem } from '../../../actors/vocabulary/commands.ts';
import { ERRORS, type Failure, type FieldFault } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { parseTimestamp } from '../../kernel/timestamp.ts';
import { documentText, documentTooLarge } from '../document-text.ts';
import { freeForm, timeIn } from '../fields.ts';
import { noteIgnored } from '../ignored-fields.ts';
import { validatedEvent, Warnings } from '../events/validated-event.ts';
import type { RequestContext } from '../request-context.ts';
import { ignorableFields, invalid } from '../route.ts';
import { createTurns } from '../turns.ts';
import { compile } from '../validation.ts';

/** One event as a game client sends it inside its session. */
const GameEvent = Type.Object(
  {
    event_name: Type.String({ minLength: 1, maxLength: LIMITS.nameLength, description: 'Event type identifier.' }),
    timestamp: Type.Optional(timeIn('When it happened, hours ago too; the time of receipt when left out.')),
    properties: Type.Optional(freeForm('Custom properties.')),
    event_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.callerIdLength,
        description: "The caller's id of the event: a repeat for the same player is not accepted again.",
      }),
    ),
  },
  { description: 'An event of the session.' },
);

/** A list of such events. Each is validated by itself, as a bad one must not spoil the others. */
export const GameEvents = Type.Array(Type.Unknown(), {
  maxItems: LIMITS.syncEvents,
  'x-items': GameEvent,
  description: `Events of the session, at most ${LIMITS.syncEvents}; they count in the order of their timestamps.`,
});

/** The events that were refused. */
export const Rejected = Type.Array(
  Type.Object(
    {
      index: Type.Integer({ description: "The event's place in the request, from 0." }),
      error: Type.Object(
        {
          code: Type.String({ description: 'Code of the error catalogue.' }),
          message: Type.String({ description: 'What is wrong.' }),
          details: Type.Optional(Type.Object({}, { description: '`fields` names each fault.' })),
        },
        { description: 'Why it was refused.' },
      ),
    },
    { description: 'One event that was refused.' },
  ),
  { description: 'Events refused for good; all others were taken in.' },
);

/** The events that broke the schemas of their names. */
export const EventWarnings = Type.Array(
  Type.Object(
    {
      index: Type.Integer({ description: "The event's place in the request, from 0." }),
      quarantined: Type.Boolean({
        description: 'Whether the schema is enforced: then the event was set aside, and does not count as accepted.',
      }),
      warnings: Warnings,
    },
    { description: 'One event that broke its schema.' },
  ),
  { description: 'Events that broke the schemas of their names. Left out where there are none.' },
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

/** The good ones, in the caller's order, the bad ones, and what schemas say. */
export interface GameItems {
  items: TrackItem[];
  rejected: Rejection[];
  /** For the answer: JSON text of the member `warnings` with a comma before it; empty without any. */
  warningsJson: string;
}

/**
 * Reads a body's list of events. Fails when something outside of them is faulty.
 * @param field the list's name in the body
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
  // The search for faults ended there: what comes after is not known to be sound.
  if (context.faults.length >= LIMITS.reportedFaults) return invalid([...context.faults]);
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

const check = compile(GameEvent);
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
    // With an Idempotency-Key the whole call is remembered by the player, so that its events need not be.
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

/** The event a fault lies in; undefined when it lies elsewhere in the body. */
function indexOf(field: string, { path }: FieldFault): number | undefined {
  const [, first, index] = path.split('/');
  return first === field && index !== undefined && /^\d+$/.test(index) ? Number(index) : undefined;
}
