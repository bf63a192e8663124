import type { StreamName } from '../../core/vocabulary/stream-name.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import type { Adjustable } from '../../core/kernel/adjustable.ts';
import { LOG_LIMITS } from './limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import type { HandOver } from './own-appends.ts';
import { isSameRecord, type Log, type LogRecord, type Reader } from './log.ts';

/** Opens a reader of all records of one stream. */
export type OpenReader = (options: { from: number; onWaiting: () => void }) => Reader;

export interface SharedReaderOptions {
  log: Pick<Log, 'info' | 'read'>;
  clock: Clock;
  logger: Logger;
  stream: StreamName;
  /** How the shared reader gathers records, as in `ReadOptions`. */
  gatherMs?: number;
  /** What this process appends to the stream. */
  handOver?: HandOver | undefined;
  limits?: Adjustable<
    typeof LOG_LIMITS,
    'sharedReaderRecords' | 'sharedReaderBytes' | 'sharedReaderNear' | 'sharedReaderReopenMs'
  >;
}

/**
 * Reads a stream once for all sinks of a thread. Each sink gets a `Reader` with its own position, as if it read alone.
 *
 * States of a sink: apart, with a consumer of its own; joined, with records of `recent`.
 * Sources of `recent`: the shared consumer, from the stream's end on; instead the hand-over, while there is one; none
 * while no sink is joined.
 *
 * Invariants
 * 1. A sink gets every record from its `from` on once and in order, as from `Log.read`.
 * 2. A sink joins only behind a record that its consumer and `recent` both have, byte for byte: so both read the same
 *    incarnation of the stream, and `recent` holds the sink's next record or will get it first. In the same way the
 *    hand-over replaces the shared consumer.
 * 3. A joined sink whose next record was dropped from `recent`, or whose source ended, reads apart from the record
 *    after its last one (`ReadOptions.after`). The log then decides whether its position is lost. In the same way the
 *    shared consumer replaces the hand-over after a gap.
 * 4. `recent` is bounded. It keeps only records that a joined sink has not taken, and some for sinks about to join.
 * 5. There is a source only while a sink is joined or near the end of the stream.
 */
export function shareReader(options: SharedReaderOptions): OpenReader {
  const { log, clock, logger, stream, gatherMs, limits = LOG_LIMITS } = options;
  const sinks = new Set<Sink>();
  let source: 'none' | 'log' | 'handed' = 'none';
  /** The shared consumer of the source `log`. */
  let shared: Reader | undefined;
  /** The last record of the source. */
  let tail: LogRecord | undefined;
  /** The last records handed over while they are not the source. */
  let handed: LogRecord[] = [];
  let handedBytes = 0;
  let opening = false;
  let reopenFromMs = -Infinity;
  /** The last records of the source, and how many were dropped before them. */
  const recent: LogRecord[] = [];
  let recentBytes = 0;
  let dropped = 0;

  interface Sink {
    /** The consumer of a sink that is apart. */
    own: Reader | undefined;
    /** Of a joined sink: its place, counted over all records that `recent` ever held. */
    place: number;
    /** The last record that it took. */
    last: LogRecord | undefined;
    onWaiting: () => void;
  }

  const isJoined = (sink: Sink): boolean => sink.own === undefined && sink.place >= dropped;
  const isNear = ({ own }: Sink): boolean => own !== undefined && own.pending < limits.sharedReaderNear;

  async function open(): Promise<void> {
    if (source !== 'none' || opening || clock.monotonicMs() < reopenFromMs) return;
    opening = true;
    try {
      const { lastSequence } = await log.info(stream);
      if (sinks.size > 0 && source === 'none') readLog(lastSequence + 1);
    } catch (error) {
      // The log is closed, or its stream is gone: the sinks that are apart find the same.
      logger.debug({ err: error, stream }, 'the shared reader cannot be opened');
      reopenFromMs = clock.monotonicMs() + limits.sharedReaderReopenMs;
    }
    opening = false;
  }

  function readLog(from: number): void {
    shared = log.read(stream, { from, after: tail, gatherMs, onWaiting: receive });
    source = 'log';
  }

  function close(): void {
    shared?.stop();
    shared = undefined;
    source = 'none';
    tail = undefined;
    drop(recent.length);
    // Also those that had taken everything are no longer joined.
    dropped += 1;
  }

  function receive(): void {
    const from = shared;
    if (from === undefined) return;
    for (let records = from.take(); records.length > 0; records = from.take()) push(records);
    if (from.ended === undefined) {
      followHandOver();
      distribute();
      return;
    }
    distribute();
    if (from !== shared) return;
    reopenFromMs = clock.monotonicMs() + limits.sharedReaderReopenMs;
    close();
    for (const sink of sinks) if (sink.own === undefined) sink.onWaiting();
  }

  function push(records: readonly LogRecord[]): void {
    for (const record of records) {
      recent.push(record);
      recentBytes += record.data.length;
    }
    tail = records.at(-1) ?? tail;
  }

  /** Gives the sinks what `recent` holds for them. */
  function distribute(): void {
    dropToBounds();
    for (const sink of sinks) if (sink.own !== undefined) join(sink);
    for (const sink of sinks) if (sink.own === undefined) sink.onWaiting();
    dropTaken();
    if (source !== 'none' && ![...sinks].some((sink) => isJoined(sink) || isNear(sink))) close();
  }

  /** Replaces the shared consumer by the hand-over once both gave the same record. */
  function followHandOver(): void {
    const index = indexOf(handed, tail);
    if (index === undefined) return;
    shared?.stop();
    shared = undefined;
    useHandOver(index + 1);
  }

  function useHandOver(fromIndex: number): void {
    source = 'handed';
    push(handed.slice(fromIndex));
    forgetHanded();
  }

  function forgetHanded(): void {
    handed = [];
    handedBytes = 0;
  }

  /** The index of a record in a list in order; `undefined`: the list does not hold it. */
  function indexOf(records: readonly LogRecord[], wanted: LogRecord | undefined): number | undefined {
    if (wanted === undefined) return undefined;
    const index = records.findLastIndex(({ sequence }) => sequence <= wanted.sequence);
    const found = records[index];
    return found !== undefined && isSameRecord(found, wanted) ? index : undefined;
  }

  options.handOver?.subscribe({
    onRecords(records) {
      if (source === 'handed') {
        push(records);
        distribute();
        return;
      }
      for (const record of records) {
        handed.push(record);
        handedBytes += record.data.length;
      }
      if (handed.length > 2 * limits.sharedReaderNear || handedBytes > limits.sharedReaderBytes) {
        handed = handed.slice(-limits.sharedReaderNear / 2);
        handedBytes = handed.reduce((sum, { data }) => sum + data.length, 0);
      }
      if (source === 'log') {
        followHandOver();
        distribute();
      }
    },
    onGap() {
      forgetHanded();
      if (source === 'handed' && tail !== undefined) readLog(tail.sequence + 1);
    },
  });

  /** Joins a sink if `recent` has its last record too. */
  function join(sink: Sink): void {
    const { own, last } = sink;
    if (own === undefined || last === undefined) return;
    if (own.ended !== undefined || !isNear(sink)) return;
    if (source === 'none') {
      if (indexOf(handed, last) === undefined) {
        void open();
        return;
      }
      useHandOver(0);
    }
    const index = indexOf(recent, last);
    if (index === undefined) return;
    sink.own = undefined;
    sink.place = dropped + index + 1;
    own.stop();
  }

  function readApart(sink: Sink, from: number): Reader {
    const own = log.read(stream, { from, after: sink.last, onWaiting: () => sink.onWaiting() });
    sink.own = own;
    return own;
  }

  function takeRecent(sink: Sink, maxRecords: number, maxBytes: number): LogRecord[] {
    const first = sink.place - dropped;
    let end = first;
    let bytes = 0;
    for (; end < recent.length && end - first < maxRecords; end++) {
      bytes += recent[end]?.data.length ?? 0;
      if (end > first && bytes > maxBytes) break;
    }
    const taken = recent.slice(first, end);
    sink.place += taken.length;
    sink.last = taken.at(-1) ?? sink.last;
    return taken;
  }

  function drop(count: number): void {
    for (const { data } of recent.splice(0, count)) recentBytes -= data.length;
    dropped += count;
  }

  /** Drops an eighth more than needed, so that the array is seldom moved. */
  function dropToBounds(): void {
    const mostRecords = limits.sharedReaderRecords;
    const mostBytes = limits.sharedReaderBytes;
    if (recent.length <= mostRecords && recentBytes <= mostBytes) return;
    let count = 0;
    let bytes = recentBytes;
    while (recent.length - count > (mostRecords * 7) / 8 || bytes > (mostBytes * 7) / 8) {
      bytes -= recent[count]?.data.length ?? 0;
      count += 1;
    }
    drop(count);
  }

  /** Drops what every joined sink has taken; while some are apart, not the last records. */
  function dropTaken(): void {
    let least = dropped + recent.length;
    let kept = 0;
    for (const sink of sinks) {
      if (isJoined(sink)) least = Math.min(least, sink.place);
      else if (sink.own !== undefined) kept = limits.sharedReaderNear;
    }
    const count = Math.min(least - dropped, recent.length - kept);
    if (count >= limits.sharedReaderNear || count === recent.length) drop(count);
  }

  return ({ from, onWaiting }) => {
    let ended: Reader['ended'];
    const sink: Sink = { own: undefined, place: -1, last: undefined, onWaiting };
    const { started } = readApart(sink, from);
    sinks.add(sink);
    return {
      started,
      take(maxRecords = Infinity, maxBytes = Infinity) {
        if (ended === 'stopped') return [];
        if (isJoined(sink)) return takeRecent(sink, maxRecords, maxBytes);
        const own = sink.own ?? readApart(sink, (sink.last?.sequence ?? 0) + 1);
        const taken = own.take(maxRecords, maxBytes);
        sink.last = taken.at(-1) ?? sink.last;
        join(sink);
        return taken.length === 0 && isJoined(sink) ? takeRecent(sink, maxRecords, maxBytes) : taken;
      },
      get ended() {
        return ended ?? sink.own?.ended;
      },
      get pending() {
        if (sink.own !== undefined) return sink.own.pending;
        return Math.max(0, dropped + recent.length - sink.place) + (shared?.pending ?? 0);
      },
      stop() {
        if (ended !== undefined) return;
        ended = 'stopped';
        sinks.delete(sink);
        sink.own?.stop();
        if (sinks.size === 0) close();
      },
    };
  };
}
