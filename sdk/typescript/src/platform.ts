import type { KeyValueStorage } from './events/storage.ts';

/*
 * What the client needs of the place it runs in. Nothing else in the package touches the clock, the network, storage
 * or the page, so tests replace all of it.
 */

export interface FetchAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

export interface FetchRequest {
  method: string;
  headers: Record<string, string>;
  body: string;
  keepalive: boolean;
  /** No redirection is followed: another host must get neither the key nor the events. */
  redirect: 'error';
  signal: AbortSignalLike;
}

/** The part of an AbortSignal that `fetch` is given; only the platform's own signals ever go there. */
export interface AbortSignalLike {
  readonly aborted: boolean;
}

export interface Aborter {
  readonly signal: AbortSignalLike;
  abort(): void;
}

/** Messages between the tabs of one player. */
export interface TabChannel {
  post(message: unknown): void;
  close(): void;
}

export interface QuickStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

export interface Platform {
  /** The device's clock, ms since 1970. It may be wrong, and may jump. */
  wallMs(): number;
  /** Milliseconds since any moment; never goes back. May stand still while the device sleeps. */
  steadyMs(): number;
  /** Between 0 and 1. */
  random(): number;
  /** Calls back once; the returned function cancels. Does not keep a process alive. */
  setTimer(callback: () => void, delayMs: number): () => void;
  aborter(): Aborter;
  fetch(url: string, request: FetchRequest): Promise<FetchAnswer>;
  /**
   * Sends a GET whose answer is read as it comes. Resolves or rejects at its end, at once for an answer that is
   * not 200. Absent where answers can only be read as a whole. Does not keep a process alive.
   */
  stream?:
    | ((
        url: string,
        headers: Record<string, string>,
        signal: AbortSignalLike,
        received: (text: string) => void,
      ) => Promise<void>)
    | undefined;
  storage: KeyValueStorage;
  /**
   * Asks for the exclusive right to send for `name`, among all tabs or processes that share the storage.
   * `changed` is called when the right is got or lost. The returned function gives it back or stops waiting.
   */
  lock(name: string, changed: (held: boolean) => void): () => void;
  /** Absent where nothing else shares the storage. */
  channel?: ((name: string, received: (message: unknown) => void) => TabChannel) | undefined;
  /** Reports when the page hides or shows. Absent without a page. */
  onHidden?: ((changed: (hidden: boolean) => void) => () => void) | undefined;
  /** Writes a line to the developer's console. */
  log?(level: 'debug' | 'warn', line: string): void;
  /** Storage that is written before the call returns, for a page that ends before `storage` is open. */
  quick?: QuickStorage | undefined;
  /** Reports that the network is back. */
  onOnline?(online: () => void): () => void;
}

/** The right to send where only one sender can exist: granted at once. */
export function soleHolder(_name: string, changed: (held: boolean) => void): () => void {
  changed(true);
  return () => {};
}
