import { type AbortSignalLike, type Platform, type QuickStorage, soleHolder } from '../platform.ts';
import { type KeyValueStorage, memoryStorage } from '../events/storage.ts';
import { indexedDbStorage } from './indexed-db-storage.ts';
import type { EventSource, WebGlobals, WebLocks } from './web-globals.ts';

/**
 * The platform of browsers, and of everything else with `fetch` and timers.
 * @param storage replaces IndexedDB; no lock is taken for it, so no other running client of the player may use it
 */
export function webPlatform(storage?: KeyValueStorage, globals: WebGlobals = Object(globalThis)): Platform {
  const { document, indexedDB, navigator, BroadcastChannel, AbortController } = globals;
  const isShared = storage === undefined && indexedDB !== undefined;
  const store = storage ?? (indexedDB === undefined ? memoryStorage() : indexedDbStorage(indexedDB));
  const locks = navigator?.locks;
  return {
    wallMs: () => Date.now(),
    steadyMs: () => globals.performance?.now() ?? Date.now(),
    random: () => Math.random(),
    setTimer(callback, delayMs) {
      const timer = globals.setTimeout(callback, delayMs);
      // Node keeps a process alive for its timers.
      Object(timer).unref?.();
      return () => globals.clearTimeout(timer);
    },
    storage: store,
    log: (level, line) => globals.console?.[level](line),
    quick: isShared ? quickStorage(globals) : undefined,
    aborter: () => new AbortController(),
    async fetch(url, request) {
      if (globals.fetch === undefined) throw new Error('No fetch.');
      return globals.fetch(url, request);
    },
    stream: globals.ReadableStream === undefined ? undefined : (...request) => readStream(globals, ...request),
    lock(name, changed) {
      // Without Web Locks each tab sends: event ids count once. `leaseLock` may take their place.
      return isShared && locks !== undefined ? webLock(locks, globals, name, changed) : soleHolder(name, changed);
    },
    channel:
      isShared && BroadcastChannel !== undefined
        ? (name, received) => {
            const channel = new BroadcastChannel(name);
            channel.addEventListener('message', ({ data }) => received(data));
            return { post: (message) => channel.postMessage(message), close: () => channel.close() };
          }
        : undefined,
    onHidden: document && ((changed) => onHidden(document, globals, changed)),
    onOnline: (online) => listen(globals, 'online', online),
  };
}

function quickStorage(globals: WebGlobals): QuickStorage | undefined {
  try {
    return globals.localStorage;
  } catch {
    return undefined;
  }
}

async function readStream(
  { fetch }: WebGlobals,
  url: string,
  headers: Record<string, string>,
  signal: AbortSignalLike,
  received: (text: string) => void,
): Promise<void> {
  const answer = await fetch?.(url, { headers, signal, redirect: 'error' });
  // An answer of another status ends the stream as the end of its body would.
  const reader = answer?.status === 200 ? answer.body?.getReader() : undefined;
  const next = async () => (await reader?.read())?.value;
  // The messages are ASCII.
  for (let bytes = await next(); bytes; bytes = await next()) received(String.fromCharCode(...bytes));
}

function webLock(
  locks: WebLocks,
  { AbortController }: WebGlobals,
  name: string,
  changed: (held: boolean) => void,
): () => void {
  const aborter = new AbortController();
  let release = () => {};
  let isReleased = false;
  const held = () => {
    if (isReleased) return Promise.resolve();
    changed(true);
    return new Promise<void>((resolve) => (release = resolve));
  };
  // Where locks are forbidden (a sandboxed frame), sending twice is better than never: event ids count once.
  locks.request(name, { signal: aborter.signal }, held).catch(() => isReleased || changed(true));
  return () => {
    isReleased = true;
    release();
    aborter.abort();
  };
}

/** Both events, because some browsers fire only one of them when a page is left. */
function onHidden(
  document: NonNullable<WebGlobals['document']>,
  globals: WebGlobals,
  changed: (hidden: boolean) => void,
): () => void {
  let isHidden = false;
  const set = (hidden: boolean) => {
    if (hidden !== isHidden) changed((isHidden = hidden));
  };
  const visibility = () => set(document.visibilityState === 'hidden');
  const stops = [
    listen(document, 'visibilitychange', visibility),
    listen(globals, 'pagehide', () => set(true)),
    listen(globals, 'pageshow', visibility),
  ];
  visibility();
  return () => {
    for (const stop of stops) stop();
  };
}

/** @returns removes the listener */
function listen(target: Partial<EventSource>, name: string, listener: () => void): () => void {
  target.addEventListener?.(name, listener);
  return () => target.removeEventListener?.(name, listener);
}
