import { HTTP_LIMITS } from './limits.ts';

/**
 * Spreads large bodies over turns of the event loop. Many answers that end in one turn would occupy the main thread
 * while the kernel copies them, because a turn handles every connection with a request.
 *
 * Invariants
 * 1. A turn writes at most `turnWriteBytes` of large bodies, and the one that exceeds it.
 * 2. Bodies that wait are written in the order in which they came.
 */
export interface WriteTurns {
  /** Whether a body may be written in this turn; it then counts. */
  takes(bytes: number): boolean;
  /** Calls `write` in a later turn. */
  later(bytes: number, write: () => void): void;
}

export function createWriteTurns(): WriteTurns {
  let written = 0;
  let scheduled = false;
  let waiting: { bytes: number; write: () => void }[] = [];

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      written = 0;
      let count = 0;
      for (; count < waiting.length && written < HTTP_LIMITS.turnWriteBytes; count++) {
        const next = waiting[count];
        written += next?.bytes ?? 0;
        next?.write();
      }
      waiting = waiting.slice(count);
      if (written > 0 || waiting.length > 0) schedule();
    });
  }

  return {
    takes(bytes) {
      if (bytes <= HTTP_LIMITS.corkBufferBytes) return true;
      if (waiting.length > 0 || written >= HTTP_LIMITS.turnWriteBytes) return false;
      written += bytes;
      schedule();
      return true;
    },
    later(bytes, write) {
      waiting.push({ bytes, write });
      schedule();
    },
  };
}
