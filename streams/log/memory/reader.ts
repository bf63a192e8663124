import type { Clock } from '../../../core/kernel/clock.ts';
import { LOG_LIMITS } from '../limits.ts';
import { isSameRecord } from '../log.ts';
import type { LogRecord, Reader, ReadOptions } from '../log.ts';
import { subjectMatches } from '../subject-match.ts';
import type { Connection, WhenLed } from './connection.ts';
import type { MemoryStream } from './stream.ts';

/**
 * An ordered reader over a memory stream. The broker's half (`cursor`) ends with the connection or the stream's
 * incarnation. The client's half survives both and sets up a new cursor after the records that it holds.
 *
 * States: establishing → running → (break) → establishing …; ended, by `stop` or by `reset`.
 */
export function openMemoryReader(
  connection: Connection,
  stream: MemoryStream,
  options: ReadOptions,
  clock: Clock,
  whenLed: WhenLed,
): Reader {
  let buffer: LogRecord[] = [];
  let bufferBytes = 0;
  let ended: Reader['ended'];
  let cursor: Cursor | undefined;
  /** The next sequence wanted, once the first cursor was set up. */
  let next: number | undefined = options.from === 'new' ? undefined : options.from;
  /** The incarnation at the first cursor: any other one is a reset. */
  let incarnation: number | undefined;
  let wakeQueued = false;
  let resolveStarted: () => void = () => {};
  const started = new Promise<void>((resolve) => {
    resolveStarted = resolve;
  });

  interface Cursor {
    /** The next sequence of the broker, and the one up to which the client has been sent everything. */
    position: number;
    reportedUpTo: number;
    records: number;
    bytes: number;
    /** Until then records gather, because some were sent just before. */
    gathersUntilMs: number;
    isTimed: boolean;
    unsubscribe: () => void;
  }

  const wanted = (subject: string) =>
    options.subjects === undefined || options.subjects.some((pattern) => subjectMatches(pattern, subject));

  function wake(): void {
    if (wakeQueued) return;
    wakeQueued = true;
    queueMicrotask(() => {
      wakeQueued = false;
      if (ended !== 'stopped' && !connection.dead) options.onWaiting();
    });
  }

  function end(why: 'stopped' | 'reset'): void {
    if (ended !== undefined) return;
    ended = why;
    detach();
    stopListening();
    resolveStarted();
    if (why === 'reset') wake();
    else buffer = [];
  }

  function detach(): void {
    cursor?.unsubscribe();
    cursor = undefined;
  }

  function establish(): void {
    detach();
    connection.toBroker(() => {
      if (ended !== undefined) return;
      const bounds = stream.bounds();
      const from = next ?? bounds.lastSequence + 1;
      const another = incarnation !== undefined && incarnation !== stream.incarnation;
      const { after } = options;
      const before = after === undefined || incarnation !== undefined ? undefined : stream.get(after.sequence);
      const isReplaced = after !== undefined && before !== undefined && !isSameRecord(before, after);
      if (another || isReplaced || from < bounds.firstSequence || from > bounds.lastSequence + 1) {
        connection.toClient(() => end('reset'));
        return;
      }
      const seen = stream.incarnation;
      const mine: Cursor = {
        position: from,
        reportedUpTo: from,
        records: buffer.length,
        bytes: bufferBytes,
        gathersUntilMs: 0,
        isTimed: false,
        unsubscribe: stream.onChange(() => whenLed(() => pump(mine, seen))),
      };
      cursor = mine;
      connection.toClient(() => {
        incarnation = seen;
        next ??= from;
        resolveStarted();
      });
      whenLed(() => pump(mine, seen));
    });
  }

  /** At the broker: sends matching records while the client's buffer has space. */
  function pump(mine: Cursor, seen: number): void {
    if (cursor !== mine) return;
    const { firstSequence, lastSequence } = stream.bounds();
    if (stream.incarnation !== seen || mine.position < firstSequence) {
      detach();
      connection.toClient(() => end('reset'));
      return;
    }
    const nowMs = clock.monotonicMs();
    if (nowMs < mine.gathersUntilMs) {
      if (!mine.isTimed) clock.timer(mine.gathersUntilMs - nowMs, () => whenLed(() => pumpGathered(mine, seen)));
      mine.isTimed = true;
      return;
    }
    while (mine.position <= lastSequence && hasCapacity(mine.records, mine.bytes)) {
      const record = stream.get(mine.position);
      mine.position += 1;
      if (record === undefined || !wanted(record.subject)) continue;
      mine.records += 1;
      mine.bytes += record.data.length;
      mine.reportedUpTo = mine.position;
      mine.gathersUntilMs = nowMs + (options.gatherMs ?? 0);
      connection.toClient(() => receive(record));
    }
    // Moves past records of other subjects, so that trimming them does not reset an idle reader.
    if (mine.position <= mine.reportedUpTo) return;
    const passed = mine.position;
    mine.reportedUpTo = passed;
    connection.toClient(() => {
      next = Math.max(next ?? 0, passed);
    });
  }

  function pumpGathered(mine: Cursor, seen: number): void {
    mine.isTimed = false;
    pump(mine, seen);
  }

  function receive(record: LogRecord): void {
    if (ended !== undefined) return;
    buffer.push(record);
    bufferBytes += record.data.length;
    next = record.sequence + 1;
    wake();
  }

  function take(maxRecords = Infinity, maxBytes = Infinity): LogRecord[] {
    const taken: LogRecord[] = [];
    let takenBytes = 0;
    for (const record of buffer) {
      if (taken.length >= maxRecords) break;
      if (taken.length > 0 && takenBytes + record.data.length > maxBytes) break;
      taken.push(record);
      takenBytes += record.data.length;
    }
    if (taken.length === 0) return taken;
    buffer = buffer.slice(taken.length);
    bufferBytes -= takenBytes;
    const mine = cursor;
    if (mine !== undefined) {
      const seen = stream.incarnation;
      connection.toBroker(() => {
        mine.records -= taken.length;
        mine.bytes -= takenBytes;
        whenLed(() => pump(mine, seen));
      });
    }
    return taken;
  }

  function countPending(): number {
    let count = buffer.length;
    const { firstSequence, lastSequence } = stream.bounds();
    for (let sequence = Math.max(next ?? lastSequence + 1, firstSequence); sequence <= lastSequence; sequence++) {
      const record = stream.get(sequence);
      if (record !== undefined && wanted(record.subject)) count += 1;
    }
    return count;
  }

  const stopListening = connection.onChange((connected) => {
    if (connected) establish();
    else detach();
  });
  establish();
  return {
    take,
    started,
    get ended() {
      return ended;
    },
    get pending() {
      return countPending();
    },
    stop: () => end('stopped'),
  };
}

function hasCapacity(records: number, bytes: number): boolean {
  return records < LOG_LIMITS.readerBufferRecords && bytes < LOG_LIMITS.readerBufferBytes;
}
