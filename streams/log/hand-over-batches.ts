import type { Cancel, Clock } from '../../core/kernel/clock.ts';
import { LOG_LIMITS } from './limits.ts';
import type { LogRecord } from './log.ts';
import type { HandOver, HandOverListener } from './own-appends.ts';

/** Records for another thread, with the data of all in one buffer; or `gap`: records are missing. */
export type HandOverMessage =
  | { kind: 'gap' }
  | {
      kind: 'records';
      subjects: string[];
      sequences: number[];
      storedAtMs: number[];
      sizes: number[];
      data: Uint8Array<ArrayBuffer>;
    };

/** The receiver counts the bytes of the messages that it has handled here, modulo 2^32. */
export type HandledBytes = Uint32Array<SharedArrayBuffer>;

export function createHandledBytes(): HandledBytes {
  return new Uint32Array(new SharedArrayBuffer(Uint32Array.BYTES_PER_ELEMENT));
}

export interface HandOverSenderOptions {
  clock: Clock;
  /** Sends a message to the other thread and gives its buffer away. */
  post: (message: HandOverMessage) => void;
  handled: HandledBytes;
  /** Records that follow each other more closely are sent together. */
  gatherMs: number;
}

/**
 * Sends handed-over records to another thread. A record that comes alone is sent at once. While the receiver has more
 * than `handOverBytes` to handle, records are left out and replaced by one gap.
 */
export function createHandOverSender({ clock, post, handled, gatherMs }: HandOverSenderOptions): HandOverListener {
  let waiting: LogRecord[] = [];
  let waitingBytes = 0;
  let sentBytes = 0;
  let sentMs = -Infinity;
  let isFull = false;
  let cancel: Cancel | undefined;

  const unhandledBytes = (): number => (sentBytes - Atomics.load(handled, 0)) >>> 0;

  function send(): void {
    cancel?.();
    cancel = undefined;
    if (waiting.length === 0) return;
    const data = new Uint8Array(waitingBytes);
    let end = 0;
    for (const record of waiting) {
      data.set(record.data, end);
      end += record.data.length;
    }
    sentMs = clock.monotonicMs();
    sentBytes = (sentBytes + waitingBytes) >>> 0;
    post({
      kind: 'records',
      subjects: waiting.map(({ subject }) => subject),
      sequences: waiting.map(({ sequence }) => sequence),
      storedAtMs: waiting.map(({ storedAtMs }) => storedAtMs),
      sizes: waiting.map(({ data: { length } }) => length),
      data,
    });
    waiting = [];
    waitingBytes = 0;
  }

  return {
    onRecords(records) {
      if (isFull && unhandledBytes() > 0) return;
      isFull = waitingBytes + unhandledBytes() > LOG_LIMITS.handOverBytes;
      if (isFull) {
        send();
        post({ kind: 'gap' });
        return;
      }
      for (const record of records) {
        waiting.push(record);
        waitingBytes += record.data.length;
      }
      const pauseMs = sentMs + gatherMs - clock.monotonicMs();
      if (pauseMs <= 0) send();
      else cancel ??= clock.timer(pauseMs, send);
    },
    onGap() {
      send();
      post({ kind: 'gap' });
    },
  };
}

/** The receiving end of `createHandOverSender`. */
export interface HandOverReceiver extends HandOver {
  receive(message: HandOverMessage): void;
}

export function createHandOverReceiver(handled: HandledBytes): HandOverReceiver {
  const listeners = new Set<HandOverListener>();
  return {
    receive(message) {
      if (message.kind === 'gap') {
        for (const { onGap } of listeners) onGap();
        return;
      }
      const records = recordsOf(message);
      for (const { onRecords } of listeners) onRecords(records);
      Atomics.add(handled, 0, message.data.length);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function recordsOf(message: Extract<HandOverMessage, { kind: 'records' }>): LogRecord[] {
  const { subjects, sequences, storedAtMs, sizes, data } = message;
  let end = 0;
  return subjects.map((subject, place) => {
    const from = end;
    end += sizes[place] ?? 0;
    return {
      subject,
      sequence: sequences[place] ?? 0,
      storedAtMs: storedAtMs[place] ?? 0,
      data: data.subarray(from, end),
    };
  });
}
