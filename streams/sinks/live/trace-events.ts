import { decodeEvents } from '../../../core/codec/codec.ts';
import type { TracedEvents } from '../../freshness/traced-events.ts';
import type { LogRecord } from '../../log/log.ts';

/**
 * Traces an event among records that were fanned out. Records are decoded to see whether they have events: of a batch
 * the first ones of a second that was not traced yet, and at most a few, because most records have some.
 */
export function traceEvents(records: readonly LogRecord[], traced: TracedEvents | undefined): void {
  if (traced === undefined) return;
  let looks = 0;
  for (const record of records) {
    if (!traced.wants(record.storedAtMs)) continue;
    if (hasEvents(record)) traced.arrived(record.storedAtMs);
    looks += 1;
    if (looks === MOST_LOOKS) return;
  }
}

const MOST_LOOKS = 8;

/** A record that this version cannot read has none that it could trace. */
function hasEvents(record: LogRecord): boolean {
  try {
    return decodeEvents(record.data).length > 0;
  } catch {
    return false;
  }
}
