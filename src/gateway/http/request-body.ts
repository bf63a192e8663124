import type { HttpResponse } from 'uWebSockets.js';
import type { Cancel, Clock } from '../../kernel/clock.ts';
import { LIMITS } from '../../kernel/limits.ts';

/**
 * The result of receiving a body. `whole`: the bytes, valid until the callback returns. `too_large`, `busy`: the rest
 * was not read. `too_slow`: close the connection, because the rest may never arrive.
 */
export type BodyOutcome =
  | { kind: 'whole'; bytes: Buffer }
  | { kind: 'too_large' }
  | { kind: 'busy' }
  | { kind: 'too_slow' };

/** Receives bodies within bounds of size, time and memory over all connections. */
export interface BodyReader {
  /**
   * Calls back once, unless the returned function is called first (the caller disconnected), which may be called at any
   * time. Must be called synchronously.
   */
  read(res: HttpResponse, onBody: (outcome: BodyOutcome) => void): () => void;
}

export function createBodyReader(clock: Clock): BodyReader {
  let receivingBytes = 0;
  return {
    read(res, onBody) {
      let chunks: Buffer[] | undefined;
      let sizeBytes = 0;
      let done = false;
      let cancelTimer: Cancel | undefined;

      function finish(): void {
        done = true;
        cancelTimer?.();
        receivingBytes -= chunks === undefined ? 0 : sizeBytes;
        chunks = undefined;
      }

      function conclude(outcome: BodyOutcome): void {
        finish();
        onBody(outcome);
      }

      res.onData((data, isLast) => {
        if (done) return;
        const chunk = Buffer.from(data);
        if (sizeBytes + chunk.length > LIMITS.bodyBytes) {
          conclude({ kind: 'too_large' });
          return;
        }
        // Most bodies arrive in one piece and are handled without a copy.
        if (isLast && chunks === undefined) {
          conclude({ kind: 'whole', bytes: chunk });
          return;
        }
        if (isLast) {
          const bytes = Buffer.concat([...(chunks ?? []), chunk]);
          conclude({ kind: 'whole', bytes });
          return;
        }
        if (receivingBytes + chunk.length > LIMITS.bodyReceivingBytes) {
          conclude({ kind: 'busy' });
          return;
        }
        // The library reuses the chunk's memory when this returns.
        chunks ??= [];
        chunks.push(Buffer.from(chunk));
        sizeBytes += chunk.length;
        receivingBytes += chunk.length;
        cancelTimer ??= clock.timer(LIMITS.bodyReceiveMs, () => {
          if (!done) conclude({ kind: 'too_slow' });
        });
      });
      return () => {
        if (!done) finish();
      };
    },
  };
}
