import type { Aborter } from '../src/platform.ts';

/* What the client of a game server needs of Node; tests replace it. */

export interface ServerAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** The bytes as they arrive. */
  readonly body: AsyncIterable<Uint8Array> | null;
}

export interface ServerRequest {
  method: string;
  headers: Record<string, string>;
  body?: string | AsyncIterable<Uint8Array>;
  /** With a body that is sent while it is read. */
  duplex?: 'half';
  redirect: 'manual';
  signal: AbortSignal;
}

export interface ServerPlatform {
  /** Milliseconds since 1970. */
  wallMs: () => number;
  /** Milliseconds since any moment; never goes back. */
  steadyMs: () => number;
  /** Between 0 and 1. */
  random: () => number;
  /** A new id for an event or a request. */
  newId: () => string;
  /**
   * Calls back once; the returned function cancels.
   * @param keepsAlive whether the process waits for it, because a caller awaits its result
   */
  setTimer: (callback: () => void, delayMs: number, keepsAlive?: boolean) => () => void;
  fetch: (url: string, request: ServerRequest) => Promise<ServerAnswer>;
}

/** Node's own `fetch`, which keeps connections open between requests. */
export function nodeServerPlatform(): ServerPlatform {
  return {
    wallMs: () => Date.now(),
    steadyMs: () => performance.now(),
    random: () => Math.random(),
    newId: () => crypto.randomUUID(),
    setTimer(callback, delayMs, keepsAlive = false) {
      const timer = setTimeout(callback, delayMs);
      if (!keepsAlive) timer.unref();
      return () => clearTimeout(timer);
    },
    fetch: (url, request) => fetch(url, request),
  };
}

/** Waits; ends early, without an error, when the signal aborts. @param keepsAlive as of `setTimer` */
export function pause(
  delayMs: number,
  { setTimer }: Pick<ServerPlatform, 'setTimer'>,
  signal?: AbortSignal,
  keepsAlive = false,
) {
  return new Promise<void>((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const end = () => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = setTimer(end, delayMs, keepsAlive);
    signal?.addEventListener('abort', end);
  });
}

/** An aborter that also follows the caller's signal. `release` lets go of it. */
export function linkedAborter(signal: AbortSignal | undefined): Aborter & { signal: AbortSignal; release(): void } {
  const aborter = new AbortController();
  const follow = () => aborter.abort(signal?.reason);
  if (signal?.aborted === true) follow();
  signal?.addEventListener('abort', follow);
  return {
    signal: aborter.signal,
    abort: () => aborter.abort(),
    release: () => signal?.removeEventListener('abort', follow),
  };
}
