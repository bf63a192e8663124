import type { Entry, EventEntry } from '../events/entries.ts';
import type { UnsentEvent } from '../schema/game-types.ts';
import { isoTime } from './steps.ts';

/** What went wrong without stopping the game. `onProblem` gets it; for logs and tests of your integration. */
export interface Problem {
  readonly kind:
    | 'storage'
    | 'network'
    | 'service'
    | 'rate-limit'
    | 'unauthorized'
    | 'bad-answer'
    | 'refused'
    | 'quarantined'
    | 'listener'
    | 'definitions'
    | 'invalid'
    /** The game does something in vain; said once. */
    | 'usage';
  readonly message: string;
  /** The id of the failed request, for the service's operators. */
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
}

export type ReportProblem = (problem: Problem) => void;

/** An event that will not reach the service, and why. */
export interface DroppedEvent {
  readonly id: string;
  readonly name: string;
  readonly timestamp: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly reason: 'queue-full' | 'invalid' | 'too-large' | 'rejected';
  readonly message: string;
}

export type DropReason = DroppedEvent['reason'];

export function droppedEvent(event: EventEntry, reason: DropReason, message: string): DroppedEvent {
  const { id, name, atMs, properties } = event;
  const parsed = properties === '' ? {} : Object(JSON.parse(properties));
  return { id, name, timestamp: isoTime(atMs), properties: parsed, reason, message };
}

export function unsentEvents(entries: readonly Entry[]): UnsentEvent[] {
  const events = entries.filter((entry) => entry.kind === 'event');
  return events.map(({ id, name, atMs }) => ({ id, name, timestamp: isoTime(atMs) }));
}
