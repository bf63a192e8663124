import type { Database, DbRequest, DbStore, WebGlobals } from '../../src/browser/web-globals.ts';

/* The globals of a browser, as far as the client uses them. */

/** Calls listeners by name. */
function events() {
  const listeners = new Map<string, Set<() => void>>();
  return {
    addEventListener: (name: string, listener: () => void) => {
      listeners.set(name, (listeners.get(name) ?? new Set()).add(listener));
    },
    removeEventListener: (name: string, listener: () => void) => void listeners.get(name)?.delete(listener),
    fire: (name: string) => {
      for (const listener of listeners.get(name) ?? []) listener();
    },
  };
}

export interface FakeBrowser extends WebGlobals {
  database: { isFull: boolean; isClosed: boolean };
  document: ReturnType<typeof events> & { visibilityState: string };
  fire(name: string): void;
}

export function fakeBrowser(): FakeBrowser {
  const items = new Map<string, string>();
  const state = { isFull: false, isClosed: false };
  const waiting = new Map<string, (() => void)[]>();

  function transaction(_store: string, mode: string): ReturnType<Database['transaction']> {
    if (state.isClosed) throw new Error('InvalidStateError');
    const own = events();
    const isRefused = mode === 'readwrite' && state.isFull;
    const done = (result: unknown): DbRequest => ({ ...events(), result, error: null });
    queueMicrotask(() => own.fire(isRefused ? 'abort' : 'complete'));
    const store: DbStore = {
      get: (key) => done(items.get(key)),
      put: (value, key) => done(isRefused || items.set(key, value)),
      delete: (key) => done(items.delete(key)),
      getAllKeys: () => done([...items.keys()]),
    };
    return { ...own, objectStore: () => store, error: isRefused ? new Error('QuotaExceededError') : null };
  }

  const page = events();
  return {
    ...page,
    database: state,
    setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
    clearTimeout: (timer) => clearTimeout(Number(timer)),
    document: { ...events(), visibilityState: 'visible' },
    AbortController,
    indexedDB: {
      open() {
        const opening = events();
        const database = { ...events(), createObjectStore: () => ({}), transaction, close: () => {} };
        queueMicrotask(() => {
          opening.fire('upgradeneeded');
          opening.fire('success');
        });
        return { ...opening, result: database, error: null };
      },
    },
    navigator: {
      locks: {
        async request(name, _options, held) {
          const before = waiting.get(name);
          if (before === undefined) waiting.set(name, []);
          else await new Promise<void>((resolve) => before.push(resolve));
          await held();
          const [next, ...rest] = waiting.get(name) ?? [];
          if (next === undefined) waiting.delete(name);
          else waiting.set(name, rest);
          next?.();
        },
      },
    },
  };
}
