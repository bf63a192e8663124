import type { Cancel, Clock } from '../../../../core/kernel/clock.ts';
import { API_LIMITS } from '../../../api/limits.ts';
import { BODY_LIMITS } from './limits.ts';
import { type BodySender, createFairMemory, type MemoryEntry } from '../fair-memory.ts';

/**
 * The result of receiving a body. `whole`: the bytes, valid until the callback returns. `too_large`, `busy`: the rest
 * was not read. `too_slow`: close the connection, because the rest may never arrive.
 */
export type BodyOutcome =
  | { kind: 'whole'; bytes: Buffer }
  | { kind: 'too_large' }
  | { kind: 'busy' }
  | { kind: 'too_slow' };

/** A request whose body arrives: an `HttpResponse` of uWebSockets.js. */
interface Arriving {
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): unknown;
}

/** Receives bodies within bounds of size, time and memory over all connections, in fair shares of senders. */
export interface BodyReader {
  /**
   * Calls back once, unless the returned function is called first (the caller disconnected), which may be called at any
   * time. Must be called synchronously.
   * @param sender without a game if the key is in the body: the sender is unknown until it is read
   */
  read(res: Arriving, sender: BodySender, onBody: (outcome: BodyOutcome) => void): () => void;
}

export function createBodyReader(
  clock: Clock,
  {
    bodyReceivingBytes: mostBytes = BODY_LIMITS.bodyReceivingBytes,
    keylessBodyReceivingBytes: mostKeylessBytes = BODY_LIMITS.keylessBodyReceivingBytes,
  } = {},
): BodyReader {
  const keyless = createFairMemory(mostKeylessBytes);
  const keyed = createFairMemory(mostBytes - mostKeylessBytes);

  return {
    read(res, sender, onBody) {
      let chunks: Buffer[] | undefined;
      let sizeBytes = 0;
      let done = false;
      let left = false;
      let cancelTimer: Cancel | undefined;
      const memory = sender.game === '' ? keyless : keyed;
      const entry: MemoryEntry = {
        sender,
        bytes: 0,
        onTaken() {
          finish();
          // Another connection's chunk is being handled.
          setImmediate(() => {
            if (!left) onBody({ kind: 'busy' });
          });
        },
      };

      function finish(): void {
        done = true;
        cancelTimer?.();
        memory.forget(entry);
        chunks = undefined;
      }

      function conclude(outcome: BodyOutcome): void {
        finish();
        onBody(outcome);
      }

      res.onData((data, isLast) => {
        if (done) return;
        const chunk = Buffer.from(data);
        if (sizeBytes + chunk.length > API_LIMITS.bodyBytes) {
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
        if (!memory.grow(entry, chunk.length)) {
          conclude({ kind: 'busy' });
          return;
        }
        // The library reuses the chunk's memory when this returns.
        chunks ??= [];
        chunks.push(Buffer.from(chunk));
        sizeBytes += chunk.length;
        cancelTimer ??= clock.timer(BODY_LIMITS.bodyReceiveMs, () => {
          if (!done) conclude({ kind: 'too_slow' });
        });
      });
      return () => {
        left = true;
        if (!done) finish();
      };
    },
  };
}
