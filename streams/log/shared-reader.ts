import { LOG_LIMITS } from './limits.ts';
import type { LogRecord, Reader } from './log.ts';
import { createRecordWindow } from './record-window.ts';
import { createSharedSource, type SharedReaderOptions } from './shared-source.ts';

/** Opens a reader of all records of one stream. */
export type OpenReader = (options: { from: number; onWaiting: () => void }) => Reader;

/**
 * Reads a stream once for all sinks of a thread. Each sink gets a `Reader` with its own position, as if it read alone.
 *
 * States of a sink: apart, with a consumer of its own; joined, with records of `recent`, the last ones of the source.
 *
 * Invariants
 * 1. A sink gets every record from its `from` on once and in order, as from `Log.read`.
 * 2. A sink joins only behind a record that its consumer and `recent` both have, byte for byte: so both read the same
 *    incarnation of the stream, and `recent` holds the sink's next record or will get it first.
 * 3. A joined sink whose next record was dropped from `recent`, or whose source ended, reads apart from the record
 *    after its last one (`ReadOptions.after`). The log then decides whether its position is lost.
 * 4. `recent` is bounded. It keeps only records that a joined sink has not taken, and some for sinks about to join.
 * 5. There is a source only while a sink is joined or near the end of the stream.
 */
export function shareReader(options: SharedReaderOptions): OpenReader {
  const { log, stream, limits = LOG_LIMITS } = options;
  const sinks = new Set<Sink>();
  const recent = createRecordWindow();
  const source = createSharedSource({
    ...options,
    isWanted: () => sinks.size > 0,
    onRecords: (records) => recent.push(records),
    onWaiting: distribute,
    onEnded() {
      close();
      for (const sink of sinks) if (sink.own === undefined) sink.onWaiting();
    },
  });

  const isJoined = (sink: Sink): boolean => sink.own === undefined && sink.place >= recent.first;
  const isNear = ({ own }: Sink): boolean => own !== undefined && own.pending < limits.sharedReaderNear;

  function close(): void {
    source.close();
    recent.forget();
  }

  /** Gives the sinks what `recent` holds for them. */
  function distribute(): void {
    dropToBounds();
    for (const sink of sinks) if (sink.own !== undefined) join(sink);
    for (const sink of sinks) if (sink.own === undefined) sink.onWaiting();
    dropTaken();
    if (source.isOpen && ![...sinks].some((sink) => isJoined(sink) || isNear(sink))) close();
  }

  /** Drops an eighth more than needed, so that the array is seldom moved. */
  function dropToBounds(): void {
    const { sharedReaderRecords: mostRecords, sharedReaderBytes: mostBytes } = limits;
    if (recent.length <= mostRecords && recent.bytes <= mostBytes) return;
    recent.dropTo((mostRecords * 7) / 8, (mostBytes * 7) / 8);
  }

  /** Drops what every joined sink has taken; while some are apart, not the last records. */
  function dropTaken(): void {
    let least = recent.end;
    let kept = 0;
    for (const sink of sinks) {
      if (isJoined(sink)) least = Math.min(least, sink.place);
      else if (sink.own !== undefined) kept = limits.sharedReaderNear;
    }
    const count = Math.min(least - recent.first, recent.length - kept);
    if (count >= limits.sharedReaderNear || count === recent.length) recent.drop(count);
  }

  /** Joins a sink if `recent` has its last record too. */
  function join(sink: Sink): void {
    const { own, last } = sink;
    if (own === undefined || last === undefined) return;
    if (own.ended !== undefined || !isNear(sink)) return;
    if (!source.isOpen) source.open();
    const place = recent.placeOf(last);
    if (place === undefined) return;
    sink.own = undefined;
    sink.place = place + 1;
    own.stop();
  }

  function readApart(sink: Sink, from: number): Reader {
    const own = log.read(stream, { from, after: sink.last, onWaiting: () => sink.onWaiting() });
    sink.own = own;
    return own;
  }

  function takeRecent(sink: Sink, maxRecords: number, maxBytes: number): LogRecord[] {
    const taken = recent.from(sink.place, maxRecords, maxBytes);
    sink.place += taken.length;
    sink.last = taken.at(-1) ?? sink.last;
    return taken;
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
        return Math.max(0, recent.end - sink.place) + source.pending;
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

interface Sink {
  /** The consumer of a sink that is apart. */
  own: Reader | undefined;
  /** Of a joined sink: the place in `recent` of the record that it takes next. */
  place: number;
  /** The last record that it took. */
  last: LogRecord | undefined;
  onWaiting: () => void;
}
