import type { EventSender } from '../../core/vocabulary/facts/event-tracked.ts';
import { SERVICE_EVENTS } from '../../core/vocabulary/service-events.ts';

/** Who sent an event, of those that rows know. */
export type RowSender = EventSender | 'import';

/**
 * The maker of an event: `service`, `import` or `caller`; '' for an event with one of those names and no stored maker.
 */
export function eventSource({ by, eventName }: { by?: RowSender; eventName: string }): string {
  if (by === 'service' || by === 'import') return by;
  return by === undefined && SERVICE_EVENTS.has(eventName) ? '' : 'caller';
}

/** The kind of an event's API key; '' for events of the service and of imports, and where the kind was not stored. */
export function keyKind(by: RowSender | undefined): string {
  return by === undefined || by === 'service' || by === 'import' ? '' : by;
}
