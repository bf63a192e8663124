import { type Platform, soleHolder } from '../platform.ts';
import { type KeyValueStorage, memoryStorage } from '../storage.ts';
import { indexedDbStorage } from './indexed-db-storage.ts';
import { storageLease } from './storage-lease.ts';
import type { WebGlobals, WebLocks } from './web-globals.ts';

/**
 * The platform of browsers, and of everything else with `fetch` and timers.
 * @param storage replaces IndexedDB; it is taken to be this client's alone
 */
export function webPlatform(storage?: KeyValueStorage, globals: WebGlobals = Object(globalThis)): Platform {
  const { document, indexedDB, navigator, BroadcastChannel, AbortController } = globals;
  const isShared = storage === undefined && indexedDB !== undefined;
  const store = storage ?? (indexedDB === undefined ? memoryStorage() : indexedDbStorage(indexedDB));
  const common = {
    wallMs: () => Date.now(),
    steadyMs: () => globals.performance?.now() ?? Date.now(),
    random: () => Math.random(),
    setTimer(callback: () => void, delayMs: number) {
      const timer = globals.setTimeout(callback, delayMs);
      // Node keeps a process alive for its timers.
      Object(timer).unref?.();
      return () => globals.clearTimeout(timer);
    },
    storage: store,
  };
  const locks = navigator?.locks;
  return {
    ...common,
    aborter: () => (AbortController === undefined ? noAborter() : new AbortController()),
    fetch(url, request) {
      if (globals.fetch === undefined) return Promise.reject(new Error('There is no `fetch` here.'));
      return globals.fetch(url, request);
    },
    lock(name, changed) {
      if (!isShared) return soleHolder(name, changed);
      return locks === undefined ? storageLease(common, name, changed) : webLock(locks, globals, name, changed);
    },
    ...(isShared && BroadcastChannel !== undefined
      ? {
          channel(name: string, received: (message: unknown) => void) {
            const channel = new BroadcastChannel(name);
            channel.addEventListener('message', ({ data }) => received(data));
            return { post: (message: unknown) => channel.postMessage(message), close: () => channel.close() };
          },
        }
      : {}),
    ...(document === undefined ? {} : { onHidden: (changed) => onHidden(document, globals, changed) }),
    onOnline(online) {
      globals.addEventListener?.('online', online);
      return () => globals.removeEventListener?.('online', online);
    },
  };
}

function webLock(
  locks: WebLocks,
  { AbortController }: WebGlobals,
  name: string,
  changed: (held: boolean) => void,
): () => void {
  const aborter = AbortController === undefined ? noAborter() : new AbortController();
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
  const pageHide = () => set(true);
  const pageShow = () => visibility();
  document.addEventListener('visibilitychange', visibility);
  globals.addEventListener?.('pagehide', pageHide);
  globals.addEventListener?.('pageshow', pageShow);
  visibility();
  return () => {
    document.removeEventListener('visibilitychange', visibility);
    globals.removeEventListener?.('pagehide', pageHide);
    globals.removeEventListener?.('pageshow', pageShow);
  };
}

/** For platforms without AbortController: the client stops waiting, the request goes on. */
function noAborter() {
  return { signal: { aborted: false }, abort() {} };
}
