import type { LogRecord, Reader } from './log.ts';
import { createRecordWindow } from './record-window.ts';

/** The caller's side of a reader: the records that wait for `take`, and how the reader started and ended. */
export interface ReaderInbox extends Pick<Reader, 'take' | 'ended' | 'started'> {
  readonly length: number;
  readonly bytes: number;
  /** Adds a record and calls `onWaiting` soon, once for all records until then. */
  add(record: LogRecord): void;
  /** The reader is established. */
  start(): void;
  /** Ends the reader. After `reset` the caller still takes what waits. */
  end(why: 'stopped' | 'reset'): void;
}

export interface ReaderInboxOptions {
  onWaiting: () => void;
  /** Called once, when the reader ends. */
  onEnd: () => void;
}

export function createReaderInbox({ onWaiting, onEnd }: ReaderInboxOptions): ReaderInbox {
  const waiting = createRecordWindow();
  let ended: Reader['ended'];
  let wakeQueued = false;
  const { promise: started, resolve: start } = Promise.withResolvers<void>();

  function wake(): void {
    if (wakeQueued) return;
    wakeQueued = true;
    queueMicrotask(() => {
      wakeQueued = false;
      if (ended !== 'stopped') onWaiting();
    });
  }

  return {
    get length() {
      return waiting.length;
    },
    get bytes() {
      return waiting.bytes;
    },
    add(record) {
      waiting.push([record]);
      wake();
    },
    take: (maxRecords, maxBytes) => waiting.take(maxRecords, maxBytes),
    started,
    start,
    get ended() {
      return ended;
    },
    end(why) {
      if (ended !== undefined) return;
      ended = why;
      onEnd();
      start();
      if (why === 'reset') wake();
      else waiting.forget();
    },
  };
}
