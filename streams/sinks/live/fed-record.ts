import type { EventTracked } from '../../../actors/facts.ts';
import { decodeCommit } from '../../codec.ts';
import type { LogRecord } from '../../log.ts';
import { eventMessage } from './messages.ts';
import { factPosition } from './position.ts';

/**
 * A FACTS record on its way to readers. Decoded when first looked into, each event's message serialised when first
 * wanted; both are kept, so however many readers there are, the work is done once.
 */
export interface FedRecord {
  readonly sequence: number;
  /** As stored, for bounding how many are kept. */
  readonly sizeBytes: number;
  /** The events in the record, in order, with their index among all its facts. */
  events(): readonly FedEvent[];
}

export interface FedEvent {
  readonly index: number;
  readonly fact: EventTracked;
  /** The whole SSE message. */
  message(): Uint8Array;
}

/** @param onUnreadable called when the record can't be decoded (a newer program wrote it); it then holds no events. */
export function fedRecord(record: LogRecord, tag: string, onUnreadable: (error: unknown) => void): FedRecord {
  let events: FedEvent[] | undefined;

  function decode(): FedEvent[] {
    const found: FedEvent[] = [];
    try {
      for (const [index, fact] of decodeCommit(record.data).facts.entries()) {
        if (fact.kind === 'EventTracked') found.push(fedEvent(fact, index, factPosition(tag, record.sequence, index)));
      }
    } catch (error) {
      onUnreadable(error);
    }
    return found;
  }

  return {
    sequence: record.sequence,
    sizeBytes: record.data.byteLength,
    events: () => (events ??= decode()),
  };
}

function fedEvent(fact: EventTracked, index: number, id: string): FedEvent {
  let bytes: Uint8Array | undefined;
  return { index, fact, message: () => (bytes ??= eventMessage(fact, id)) };
}
