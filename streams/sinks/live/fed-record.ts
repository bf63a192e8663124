import { decodeEvents } from '../../../core/codec/codec.ts';
import type { LogRecord } from '../../log/log.ts';
import { eventMessage } from './messages.ts';
import { factPosition } from './position.ts';
import type { EventTracked } from '../../../core/vocabulary/facts/event-tracked.ts';

/**
 * A record of FACTS kept for readers that are behind. It is decoded when one of them first needs it. Readers that are
 * up to date got its events from `eventsOf`. Keeping every record decoded made each garbage collection take 20 to 45 ms
 * at one second of events.
 */
export interface FedRecord {
  readonly sequence: number;
  /** Size as stored, for bounding the kept records. */
  readonly sizeBytes: number;
  /** The events in the record, in order, with their index among all its facts. `unreadable`: it cannot be decoded. */
  events(): readonly FedEvent[] | 'unreadable';
}

export interface FedEvent {
  readonly index: number;
  readonly fact: EventTracked;
  /** The whole SSE message, serialised at first use. */
  message(): string;
  /** The same in UTF-8, shared by all readers that catch up. */
  bytes(): Uint8Array;
}

/** @param onUnreadable called when a record cannot be decoded */
export function fedRecord(record: LogRecord, tag: string, onUnreadable: (error: unknown) => void): FedRecord {
  let events: FedEvent[] | 'unreadable' | undefined;
  return {
    sequence: record.sequence,
    sizeBytes: record.data.byteLength,
    events: () => (events ??= eventsOf(record, tag, onUnreadable)),
  };
}

/**
 * Decodes the events of a record. Facts of kinds that this version does not know are no events for its readers.
 * @param onUnreadable as for `fedRecord`
 */
export function eventsOf(
  record: LogRecord,
  tag: string,
  onUnreadable: (error: unknown) => void,
): FedEvent[] | 'unreadable' {
  try {
    return decodeEvents(record.data).map(({ index, fact }) =>
      fedEvent(fact, index, factPosition(tag, record.sequence, index)),
    );
  } catch (error) {
    onUnreadable(error);
    return 'unreadable';
  }
}

function fedEvent(fact: EventTracked, index: number, id: string): FedEvent {
  let text: string | undefined;
  let bytes: Uint8Array | undefined;
  return {
    index,
    fact,
    message: () => (text ??= eventMessage(fact, id)),
    bytes: () => (bytes ??= Buffer.from(text ?? eventMessage(fact, id), 'utf8')),
  };
}
