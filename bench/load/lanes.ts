import { setTimeout as sleep } from 'node:timers/promises';
import { openConnection, type LoadConnection } from './load-connection.ts';

/** What becomes of requests; each is told apart by what `send` was given with it. */
export interface LaneEvents<Token> {
  /** @param body of an answer whose body was wanted; empty otherwise */
  onAnswer: (token: Token, status: number, body: string) => void;
  /** Its connection was lost, or `close` came first. */
  onFailed: (token: Token, reason: string) => void;
}

/** A fixed number of connections, each with at most one request under way; a lost one is opened again. */
export interface ConcurrencyLimiter<Token> {
  /** Whether `send` would find a connection. */
  readonly hasIdle: boolean;
  /** Sends on the connection that has been idle longest; false when none is idle. */
  send(request: Buffer, token: Token, wantsBody?: boolean): boolean;
  /** Closes all; what is under way has failed. */
  close(): void;
}

const RECONNECT_MS = 100;
/** Connections opened at a time: a server's queue of those it has not accepted yet holds a few hundred. */
const OPENED_AT_ONCE = 256;

interface Lane<Token> {
  connection: LoadConnection | undefined;
  /** The request under way. */
  current: { token: Token } | undefined;
}

/** Opens the connections; resolves when all are open, rejects when one can't be. */
export async function openLanes<Token>(
  url: URL,
  count: number,
  events: LaneEvents<Token>,
): Promise<ConcurrencyLimiter<Token>> {
  const lanes: Lane<Token>[] = Array.from({ length: count }, () => ({ connection: undefined, current: undefined }));
  const idle: Lane<Token>[] = [];
  let closed = false;

  async function open(lane: Lane<Token>): Promise<void> {
    lane.connection = await openConnection(url, {
      onAnswer(status, body) {
        const { current } = lane;
        lane.current = undefined;
        idle.push(lane);
        if (current !== undefined) events.onAnswer(current.token, status, body);
      },
      onClosed(reason) {
        lane.connection = undefined;
        if (closed) return;
        if (lane.current === undefined) idle.splice(idle.indexOf(lane), 1);
        else fail(lane, reason);
        void reopen(lane);
      },
    });
    idle.push(lane);
  }

  async function reopen(lane: Lane<Token>): Promise<void> {
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

  function fail(lane: Lane<Token>, reason: string): void {
    const { current } = lane;
    lane.current = undefined;
    if (current !== undefined) events.onFailed(current.token, reason);
  }

  for (let at = 0; at < count; at += OPENED_AT_ONCE) await Promise.all(lanes.slice(at, at + OPENED_AT_ONCE).map(open));
  return {
    get hasIdle() {
      return idle.length > 0;
    },
    send(request, token, wantsBody = false) {
      const lane = idle.shift();
      if (lane === undefined) return false;
      lane.current = { token };
      lane.connection?.send(request, wantsBody);
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
