import { setTimeout as sleep } from 'node:timers/promises';
import { openConnection, type LoadConnection } from './load-connection.ts';

/** What becomes of requests; times are of the monotonic clock, in milliseconds. */
export interface LaneEvents {
  /** @param dueMs what `send` was given with the request */
  onAnswer: (dueMs: number, status: number) => void;
  /** Its connection was lost, or `close` came first. */
  onFailed: (dueMs: number, reason: string) => void;
}

/** A fixed number of connections, each with at most one request under way; a lost one is opened again. */
export interface Lanes {
  /** Sends on the connection that has been idle longest; false when none is idle. */
  send(request: Buffer, dueMs: number): boolean;
  /** Closes all; what is under way has failed. */
  close(): void;
}

const RECONNECT_MS = 100;

interface Lane {
  connection: LoadConnection | undefined;
  /** When the request under way was due; undefined when none is. */
  dueMs: number | undefined;
}

/** Opens the connections; resolves when all are open, rejects when one can't be. */
export async function openLanes(url: URL, count: number, events: LaneEvents): Promise<Lanes> {
  const lanes: Lane[] = Array.from({ length: count }, () => ({ connection: undefined, dueMs: undefined }));
  const idle: Lane[] = [];
  let closed = false;

  async function open(lane: Lane): Promise<void> {
    lane.connection = await openConnection(url, {
      onAnswer(status) {
        const { dueMs } = lane;
        lane.dueMs = undefined;
        idle.push(lane);
        if (dueMs !== undefined) events.onAnswer(dueMs, status);
      },
      onClosed(reason) {
        lane.connection = undefined;
        if (closed) return;
        if (lane.dueMs === undefined) idle.splice(idle.indexOf(lane), 1);
        else fail(lane, reason);
        void reopen(lane);
      },
    });
    idle.push(lane);
  }

  async function reopen(lane: Lane): Promise<void> {
    for (;;) {
      await sleep(RECONNECT_MS);
      if (closed) return;
      try {
        await open(lane);
        return;
      } catch {
        // The server may be coming back: what is due meanwhile waits, and its waiting is measured.
      }
    }
  }

  function fail(lane: Lane, reason: string): void {
    const { dueMs } = lane;
    lane.dueMs = undefined;
    if (dueMs !== undefined) events.onFailed(dueMs, reason);
  }

  await Promise.all(lanes.map(open));
  return {
    send(request, dueMs) {
      const lane = idle.shift();
      if (lane === undefined) return false;
      lane.dueMs = dueMs;
      lane.connection?.send(request);
      return true;
    },
    close() {
      closed = true;
      for (const lane of lanes) {
        fail(lane, 'unanswered');
        lane.connection?.close();
      }
    },
  };
}
