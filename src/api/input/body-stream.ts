import type { Cancel, Clock } from '../../../core/kernel/clock.ts';
import { INPUT_LIMITS } from './limits.ts';

/**
 * A body that is read while it arrives, for bodies that are too large to be held.
 *
 * Invariants
 * 1. About `listWaitingBytes` wait to be read; beyond it the connection is paused, and what uWebSockets.js has read
 *    already still arrives.
 * 2. The service closes no connection whose sender waits for it. `pause` stops the library's idle timer and `resume`
 *    starts it (10 s); a chunk starts it also while paused, and only the last one stops it. So the connection is paused
 *    anew after such a chunk, and one that is resumed after the last chunk is resumed again every `listKeepOpenMs`.
 * 3. The stream ends without `complete` if the caller disconnects, or sends more than `mostBytes`.
 */
export interface BodyStream {
  /** Read it once. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Whether the whole body was received. */
  readonly complete: boolean;
  /** Whether the body has more than `mostBytes`. */
  readonly tooLarge: boolean;
  /** Whether the connection is closed, or the response is written. */
  readonly released: boolean;
  /**
   * Lets the rest pass unread. Resolves at its end, which the sender must reach before the connection is closed: most
   * clients report a broken connection instead of an answer that came before. Resolves after `listDiscardMs` at last.
   */
  discard(): Promise<void>;
  /** The connection is closed, or the response is written: the connection is not used again. */
  release(): void;
}

/** The part of a response of uWebSockets.js that receives the body of its request. */
export interface BodySource {
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

export function openBodyStream(res: BodySource, clock: Clock, mostBytes: number): BodyStream {
  const waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let receivedBytes = 0;
  let complete = false;
  let tooLarge = false;
  let discarding = false;
  let released = false;
  let paused = false;
  let cancelTimer: Cancel | undefined;
  let wake = (): void => {};

  function pause(): void {
    paused = true;
    res.pause();
  }

  function resume(): void {
    if (!paused || released) return;
    paused = false;
    res.resume();
    if (complete) keepOpen();
  }

  function keepOpen(): void {
    cancelTimer = clock.timer(INPUT_LIMITS.listKeepOpenMs, () => {
      res.resume();
      keepOpen();
    });
  }

  function end(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    wake();
  }

  res.onData((data, isLast) => {
    if (released || complete || tooLarge) return;
    receivedBytes += data.byteLength;
    if (receivedBytes > mostBytes) {
      tooLarge = true;
      end();
      return;
    }
    if (discarding) {
      complete = isLast;
      if (isLast) end();
      return;
    }
    // The library reuses the chunk's memory when this returns.
    if (data.byteLength > 0) waiting.push(Buffer.from(Buffer.from(data)));
    waitingBytes += data.byteLength;
    complete = isLast;
    if (isLast) resume();
    else if (paused || waitingBytes > INPUT_LIMITS.listWaitingBytes) pause();
    wake();
  });

  async function* read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = waiting.shift();
      if (chunk !== undefined) {
        waitingBytes -= chunk.length;
        if (waitingBytes <= INPUT_LIMITS.listWaitingBytes / 2) resume();
        yield* pieces(chunk);
      } else if (complete || tooLarge || released) return;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  }

  return {
    chunks: read(),
    get complete() {
      return complete;
    },
    get tooLarge() {
      return tooLarge;
    },
    get released() {
      return released;
    },
    async discard() {
      discarding = true;
      waiting.length = 0;
      waitingBytes = 0;
      resume();
      if (complete || tooLarge || released) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
        cancelTimer = clock.timer(INPUT_LIMITS.listDiscardMs, resolve);
      });
      cancelTimer?.();
    },
    release() {
      released = true;
      end();
    },
  };
}

/** The library hands over up to 512 KiB; a reader pauses for other requests between pieces only. */
function* pieces(chunk: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < chunk.length; from += PIECE_BYTES) yield chunk.subarray(from, from + PIECE_BYTES);
}

const PIECE_BYTES = 64 * 1024;
