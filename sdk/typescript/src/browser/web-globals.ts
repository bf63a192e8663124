import type { AbortSignalLike, FetchAnswer, FetchRequest, QuickStorage } from '../platform.ts';

/** A body that is read as it comes. */
export interface ByteReader {
  /** Without a value at the end. */
  read(): Promise<{ value?: Uint8Array }>;
}

/*
 * The globals that browsers, React Native and Node share in part. Each may be missing. Declared here so that the
 * package needs neither the DOM's types nor Node's.
 */
export interface WebGlobals {
  setTimeout(callback: () => void, delayMs: number): unknown;
  clearTimeout(timer: unknown): void;
  performance?: { now(): number };
  fetch?: (
    url: string,
    request: Partial<FetchRequest>,
  ) => Promise<FetchAnswer & { readonly body?: { getReader(): ByteReader } | null }>;
  /** React Native has none: there `fetch` answers when the whole body is there. */
  ReadableStream?: unknown;
  /** As old as the syntax of this package. */
  AbortController: new () => { readonly signal: AbortSignalLike; abort(): void };
  console?: { debug(line: string): void; warn(line: string): void };
  /** Reading it throws where storage is forbidden. */
  localStorage?: QuickStorage;
  indexedDB?: IndexedDb;
  BroadcastChannel?: new (name: string) => WebChannel;
  navigator?: { locks?: WebLocks };
  document?: EventSource & { readonly visibilityState: string };
  addEventListener?: EventSource['addEventListener'];
  removeEventListener?: EventSource['removeEventListener'];
}

export interface EventSource {
  addEventListener(name: string, listener: () => void): void;
  removeEventListener(name: string, listener: () => void): void;
}

export interface WebChannel {
  addEventListener(name: 'message', listener: (event: { data: unknown }) => void): void;
  postMessage(message: unknown): void;
  close(): void;
}

export interface WebLocks {
  request(name: string, options: { signal: AbortSignalLike }, held: () => Promise<void>): Promise<unknown>;
}

export interface DbRequest extends EventSource {
  readonly result: unknown;
  readonly error: unknown;
}

export interface DbStore {
  get(key: string): DbRequest;
  put(value: string, key: string): DbRequest;
  delete(key: string): DbRequest;
  getAllKeys(): DbRequest;
}

export interface Database extends EventSource {
  createObjectStore(name: string): unknown;
  transaction(
    name: string,
    mode: string,
  ): EventSource & {
    objectStore(name: string): DbStore;
    readonly error: unknown;
    /** Missing in browsers before 2021. */
    commit?(): void;
  };
  close(): void;
}

export interface IndexedDb {
  open(name: string, version: number): DbRequest;
}
