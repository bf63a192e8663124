import type { EventSender, EventTracked } from '../../actors/vocabulary/event-tracked.ts';

/** Events that the service creates for recorded purchases and sessions. Callers may track events with these names. */
const SERVICE_EVENTS: ReadonlySet<string> = new Set(['purchase', 'session_recorded']);

/** The maker of an event: `service` or `caller`; '' for an old event with one of those names and no stored maker. */
export function eventSource({ by, eventName }: Pick<EventTracked, 'by' | 'eventName'>): string {
  if (by === 'service') return 'service';
  return by === undefined && SERVICE_EVENTS.has(eventName) ? '' : 'caller';
}

/** The kind of an event's API key; '' for events of the service, and where the kind was not stored. */
export function keyKind(by: EventSender | undefined): string {
  return by === undefined || by === 'service' ? '' : by;
}
