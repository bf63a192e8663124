import type { Clock } from '../../../core/kernel/clock.ts';
import { LOG_LIMITS } from '../limits.ts';
import { isSameRecord } from '../log.ts';
import type { LogRecord, Reader, ReadOptions } from '../log.ts';
import { createReaderInbox } from '../reader-inbox.ts';
import { subjectMatches } from '../subject-match.ts';
import type { Connection, WhenLed } from './connection.ts';
import type { MemoryStream } from './stream.ts';

/**
 * An ordered reader over a memory stream. The broker's half (`startSender`) ends with the connection or the stream's
 * incarnation. The client's half survives both and sets up a new sender after the records that it holds.
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
  const inbox = createReaderInbox({
    onWaiting() {
      if (!connection.dead) options.onWaiting();
    },
    onEnd() {
      detach();
      stopListening();
    },
  });
  let sender: Sender | undefined;
  /** The next sequence wanted, once the first sender was set up. */
  let next: number | undefined = options.from === 'new' ? undefined : options.from;
  /** The incarnation at the first sender: any other one is a reset. */
  let incarnation: number | undefined;

  const wanted = (subject: string) =>
    options.subjects === undefined || options.subjects.some((pattern) => subjectMatches(pattern, subject));

  function detach(): void {
    sender?.stop();
    sender = undefined;
  }

  function lose(): void {
    detach();
    connection.toClient(() => inbox.end('reset'));
  }

  function establish(): void {
    detach();
    connection.toBroker(() => {
      if (inbox.ended !== undefined) return;
      detach();
      const from = next ?? stream.bounds().lastSequence + 1;
      if (isOutside(from)) {
        lose();
        return;
      }
      const seen = stream.incarnation;
      const begun = startSender({
        stream,
        clock,
        whenLed,
        gatherMs: options.gatherMs ?? 0,
        from,
        records: inbox.length,
        bytes: inbox.bytes,
        wanted,
        onRecord: (record) => connection.toClient(() => receive(record)),
        onPassed: (passed) =>
          connection.toClient(() => {
            next = Math.max(next ?? 0, passed);
          }),
        onLost: lose,
      });
      sender = begun;
      connection.toClient(() => {
        incarnation = seen;
        next ??= from;
        inbox.start();
      });
      whenLed(() => begun.pump());
    });
  }

  /** At the broker: whether the stream is another one, or does not hold the next record. */
  function isOutside(from: number): boolean {
    const { firstSequence, lastSequence } = stream.bounds();
    if (from < firstSequence || from > lastSequence + 1) return true;
    if (incarnation !== undefined) return incarnation !== stream.incarnation;
    const { after } = options;
    const before = after === undefined ? undefined : stream.get(after.sequence);
    return after !== undefined && before !== undefined && !isSameRecord(before, after);
  }

  function receive(record: LogRecord): void {
    if (inbox.ended !== undefined) return;
    next = record.sequence + 1;
    inbox.add(record);
  }

  function take(maxRecords?: number, maxBytes?: number): LogRecord[] {
    const heldBytes = inbox.bytes;
    const taken = inbox.take(maxRecords, maxBytes);
    const takenBytes = heldBytes - inbox.bytes;
    const mine = sender;
    if (taken.length > 0 && mine !== undefined) connection.toBroker(() => mine.taken(taken.length, takenBytes));
    return taken;
  }

  function countPending(): number {
    let count = inbox.length;
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
    started: inbox.started,
    get ended() {
      return inbox.ended;
    },
    get pending() {
      return countPending();
    },
    stop: () => inbox.end('stopped'),
  };
}

/** The broker's half of a reader. */
interface Sender {
  /** Sends matching records while the client's buffer has space; called again when this may have changed. */
  pump(): void;
  /** The client has taken so much from its buffer. */
  taken(records: number, bytes: number): void;
  stop(): void;
}

interface SenderOptions {
  stream: MemoryStream;
  clock: Clock;
  whenLed: WhenLed;
  /** How long records gather after one was sent. */
  gatherMs: number;
  from: number;
  /** What the client's buffer holds. */
  records: number;
  bytes: number;
  wanted: (subject: string) => boolean;
  onRecord: (record: LogRecord) => void;
  /** The client has every record below this sequence. */
  onPassed: (sequence: number) => void;
  /** The stream no longer holds the next record. */
  onLost: () => void;
}

/** Sends matching records while the client's buffer has space. */
function startSender(options: SenderOptions): Sender {
  const { stream, clock, whenLed, wanted, onRecord } = options;
  const { incarnation } = stream;
  /** The next sequence of the broker, and the one up to which the client has been sent everything. */
  let position = options.from;
  let reportedUpTo = options.from;
  let { records, bytes } = options;
  /** Until then records gather, because some were sent just before. */
  let gathersUntilMs = 0;
  let isTimed = false;
  let stopped = false;
  const unsubscribe = stream.onChange(() => whenLed(pump));

  function pump(): void {
    if (stopped) return;
    const { firstSequence, lastSequence } = stream.bounds();
    if (stream.incarnation !== incarnation || position < firstSequence) {
      options.onLost();
      return;
    }
    const nowMs = clock.monotonicMs();
    if (nowMs < gathersUntilMs) {
      if (!isTimed) clock.timer(gathersUntilMs - nowMs, () => whenLed(pumpGathered));
      isTimed = true;
      return;
    }
    while (position <= lastSequence && hasCapacity(records, bytes)) {
      const record = stream.get(position);
      position += 1;
      if (record === undefined || !wanted(record.subject)) continue;
      records += 1;
      bytes += record.data.length;
      reportedUpTo = position;
      gathersUntilMs = nowMs + options.gatherMs;
      onRecord(record);
    }
    // Moves past records of other subjects, so that trimming them does not reset an idle reader.
    if (position <= reportedUpTo) return;
    reportedUpTo = position;
    options.onPassed(position);
  }

  function pumpGathered(): void {
    isTimed = false;
    pump();
  }

  return {
    pump,
    taken(count, size) {
      records -= count;
      bytes -= size;
      whenLed(pump);
    },
    stop() {
      stopped = true;
      unsubscribe();
    },
  };
}

function hasCapacity(records: number, bytes: number): boolean {
  return records < LOG_LIMITS.readerBufferRecords && bytes < LOG_LIMITS.readerBufferBytes;
}
