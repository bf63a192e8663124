import type { EventMaker, EventTracked } from '../../actors/vocabulary/facts.ts';

/** Events that the service makes itself, of what callers record. Callers may track events of the same names. */
const SERVICE_EVENTS: ReadonlySet<string> = new Set(['purchase', 'session_recorded']);

/** Who made an event: `service` or `caller`; '' for one of a name the service uses, from before makers were kept. */
export function eventSource({ by, eventName }: Pick<EventTracked, 'by' | 'eventName'>): string {
  if (by === 'service') return 'service';
  return by === undefined && SERVICE_EVENTS.has(eventName) ? '' : 'caller';
}

/** The kind of the key that an event came with; '' where the service made it, or the kind was not kept. */
export function keyKind(by: EventMaker | undefined): string {
  return by === undefined || by === 'service' ? '' : by;
}
