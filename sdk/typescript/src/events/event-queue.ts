import type { DeviceClock } from '../flags/device-clock.ts';
import { type Entry, type EventEntry, mergedAttributes, parseEntries, sizeOf, type StateEntry } from './entries.ts';
import type { Platform } from '../platform.ts';
import type { StorageNames } from './storage-names.ts';

/*
 * The queue: what was tracked and not yet acknowledged by the service, in order, in memory and in storage.
 *
 * Owns the stored chunks below its prefix. A chunk is a JSON array of entries; its key begins with a time, so that keys
 * sort in the order of tracking. Tabs share the storage: each writes chunks of its own, and the one tab that may send
 * adopts all of them.
 *
 * Invariants
 * 1. Entries are handed out in order. Within a tab keys only grow, also after the device's clock went back.
 * 2. A tab for which another one sends keeps in memory only what storage did not take.
 * 3. Entries and bytes are bounded: the oldest one that is not in a request is dropped and reported.
 * 4. Storage operations run one after another, except when the page hides. A failed one leaves its chunk in memory, to
 *    be written with the next.
 */
export interface EventQueue {
  add(entry: Entry): void;
  /** Resolves when everything was written, or could not be. */
  saved(): Promise<void>;
  /** The page may end with this turn: begins every write now. Only for storage that may be touched. */
  saveNow(): void;
  /** Reads what storage holds, also of other tabs and earlier runs. From now on this tab sends. */
  adopt(onRead: () => unknown): Promise<void>;
  /** Another tab sends from now on. */
  yield(): void;
  /** Keeps entries that are in a request from being dropped. */
  pin(ids: ReadonlySet<string>): void;
  remove(ids: ReadonlySet<string>): void;
  /** Entries of one session belong to another. */
  rename(from: string, to: string): void;
  /** Forgets everything, also what is stored. */
  clear(): Promise<void>;
  entries(): Entry[];
  readonly size: number;
  readonly bytes: number;
}

export interface QueueOptions {
  platform: Pick<Platform, 'storage'>;
  names: Pick<StorageNames, 'queue'>;
  /** Ends every key: differs between tabs and runs. */
  tab: string;
  /** Storage is not touched before this resolves. */
  isAllowed: Promise<void>;
  clock: Pick<DeviceClock, 'rawMs'>;
  /** Entries at most. */
  maxQueued: number;
  maxQueuedBytes: number;
  onDropped: (event: EventEntry, reason: 'queue-full', message: string) => void;
  /** A stored chunk is not one; it is deleted. */
  onUnreadable?: (key: string) => void;
}

interface Chunk {
  /** Absent until the chunk is first written. */
  key?: string;
  entries: Entry[];
  /** Whether storage has to be written. */
  dirty: boolean;
  stored: boolean;
}

/** Entries of a chunk: a lost or faulty chunk costs no more than one request's events. */
const CHUNK_ENTRIES = 50;

export function createEventQueue(options: QueueOptions): EventQueue {
  const { clock, tab, maxQueued, maxQueuedBytes, onDropped } = options;
  const { storage } = options.platform;
  const prefix = options.names.queue;
  let chunks: Chunk[] = [];
  let obsolete: string[] = [];
  let pinned: ReadonlySet<string> = new Set();
  let size = 0;
  let bytes = 0;
  let sends = true;
  let failing = false;
  let lastStamp = 0;
  let pumping: Promise<void> | undefined;
  // Keys of this run must come after those of earlier runs.
  const listed = attempt(async () => {
    await options.isAllowed;
    for (const key of await ownKeys()) noteStamp(key);
  });

  async function ownKeys(): Promise<string[]> {
    return (await storage.getAllKeys()).filter((key) => key.startsWith(prefix));
  }

  function noteStamp(key: string): void {
    // The digits end at the tab's hyphen.
    const stamp = Number.parseInt(key.slice(prefix.length), 36);
    if (Number.isSafeInteger(stamp)) lastStamp = Math.max(lastStamp, stamp);
  }

  function nextKey(): string {
    lastStamp = Math.max(lastStamp + 1, Math.floor(clock.rawMs()));
    return `${prefix}${lastStamp.toString(36).padStart(10, '0')}-${tab}`;
  }

  /** Whether the operation succeeded. */
  async function attempt(operation: () => Promise<void>): Promise<boolean> {
    try {
      await operation();
      failing = false;
    } catch {
      failing = true;
    }
    return !failing;
  }

  function saved(): Promise<void> {
    return (pumping ??= pump());
  }

  async function pump(): Promise<void> {
    await listed;
    for (let operation = nextOperation(); operation !== undefined; operation = nextOperation()) {
      if (!(await operation())) break;
    }
    // In the same turn as the last look for work, so that nothing added since is missed.
    pumping = undefined;
  }

  function nextOperation(): (() => Promise<boolean>) | undefined {
    const key = obsolete[0];
    if (key !== undefined) {
      return async () => {
        const removed = await attempt(() => storage.removeItem(key));
        if (removed) obsolete = obsolete.filter((each) => each !== key);
        return removed;
      };
    }
    const chunk = chunks.find((each) => each.dirty);
    return chunk === undefined ? undefined : () => write(chunk);
  }

  async function write(chunk: Chunk): Promise<boolean> {
    const key = (chunk.key ??= nextKey());
    chunk.dirty = false;
    const isStored = await attempt(() => storage.setItem(key, JSON.stringify(chunk.entries)));
    if (isStored) chunk.stored = true;
    else chunk.dirty = true;
    // Emptied or cleared while it was being written.
    if (!chunks.includes(chunk)) obsolete.push(key);
    else if (!sends && !chunk.dirty) forget(chunk);
    return isStored;
  }

  function forget(chunk: Chunk): void {
    chunks = chunks.filter((each) => each !== chunk);
    for (const entry of chunk.entries) count(entry, -1);
  }

  function count(entry: Entry, sign: 1 | -1): void {
    size += sign;
    bytes += sign * sizeOf(entry);
  }

  function trim(): void {
    const isFull = () => size > maxQueued || bytes > maxQueuedBytes;
    while (isFull()) {
      const [oldest, newer] = oldestToGo();
      if (oldest === undefined) return;
      remove(new Set([oldest.id]));
      if (newer === undefined && oldest.kind === 'event') onDropped(oldest, 'queue-full', 'Full.');
    }
  }

  /**
   * The oldest entry that is not in a request. Changed attributes are not lost: they are merged into newer ones, and
   * the last of them stays.
   */
  function oldestToGo(): [oldest?: Entry, newer?: Entry] {
    for (const chunk of chunks) {
      for (const entry of chunk.entries) {
        if (pinned.has(entry.id)) continue;
        if (entry.kind !== 'state') return [entry];
        const newer = mergeIntoNewer(entry);
        if (newer !== undefined) return [entry, newer];
      }
    }
    return [];
  }

  function mergeIntoNewer(old: StateEntry): StateEntry | undefined {
    let isNewer = false;
    for (const chunk of chunks) {
      for (const [index, entry] of chunk.entries.entries()) {
        if (entry === old) isNewer = true;
        if (entry.kind !== 'state' || entry === old || !isNewer || pinned.has(entry.id)) continue;
        const attributes = mergedAttributes([old, entry]);
        const merged = { ...entry, attributes };
        count(entry, -1);
        count(merged, 1);
        chunk.entries[index] = merged;
        chunk.dirty = true;
        return merged;
      }
    }
    return undefined;
  }

  function remove(ids: ReadonlySet<string>): void {
    for (const chunk of chunks) {
      const kept = chunk.entries.filter(({ id }) => !ids.has(id));
      if (kept.length === chunk.entries.length) continue;
      for (const entry of chunk.entries) if (ids.has(entry.id)) count(entry, -1);
      chunk.entries = kept;
      chunk.dirty = kept.length > 0;
      if (kept.length === 0 && chunk.stored && chunk.key !== undefined) obsolete.push(chunk.key);
    }
    chunks = chunks.filter(({ entries }) => entries.length > 0);
    void saved();
  }

  async function adopt(onRead: () => unknown): Promise<void> {
    sends = true;
    await attempt(async () => {
      const before = new Set(chunks.filter((each) => each.stored));
      const keys = (await ownKeys()).sort();
      for (const key of keys) {
        noteStamp(key);
        if (isKnown(key)) continue;
        const text = await storage.getItem(key);
        onRead();
        // It was cleared, or written by this tab, in the meantime.
        if (text === null || isKnown(key) || !sends) continue;
        const entries = parseEntries(text);
        if (entries === undefined) {
          options.onUnreadable?.(key);
          obsolete.push(key);
          continue;
        }
        chunks.push({ key, entries, dirty: false, stored: true });
        for (const entry of entries) count(entry, 1);
      }
      // Another tab sent them, or consent was withdrawn there.
      for (const chunk of before) if (!keys.includes(chunk.key ?? '') && chunks.includes(chunk)) forget(chunk);
    });
    // Chunks without a key are the newest.
    chunks.sort(({ key: a = '~' }, { key: b = '~' }) => (a < b ? -1 : a > b ? 1 : 0));
    trim();
  }

  function isKnown(key: string): boolean {
    return obsolete.includes(key) || chunks.some((chunk) => chunk.key === key);
  }

  return {
    add(entry) {
      const last = chunks.at(-1);
      if (last !== undefined && last.key === undefined && last.entries.length < CHUNK_ENTRIES) last.entries.push(entry);
      else chunks.push({ entries: [entry], dirty: true, stored: false });
      count(entry, 1);
      trim();
      // Storage that fails is tried again before each request, not with each event.
      if (!failing) void saved();
    },
    saved,
    saveNow() {
      for (const chunk of chunks) if (chunk.dirty) void write(chunk);
    },
    adopt,
    yield() {
      sends = false;
      for (const chunk of chunks.filter((each) => each.stored && !each.dirty)) forget(chunk);
    },
    pin(ids) {
      pinned = ids;
    },
    remove,
    rename(from, to) {
      for (const chunk of chunks.filter(({ entries }) => entries.some(({ session }) => session === from))) {
        chunk.entries = chunk.entries.map((entry) => (entry.session === from ? { ...entry, session: to } : entry));
        chunk.dirty = true;
      }
    },
    async clear() {
      obsolete.push(...chunks.flatMap(({ key }) => key ?? []));
      for (const chunk of chunks) forget(chunk);
      await attempt(async () => {
        for (const key of await ownKeys()) await storage.removeItem(key);
      });
      await saved();
    },
    entries: () => chunks.flatMap(({ entries }) => entries),
    get size() {
      return size;
    },
    get bytes() {
      return bytes;
    },
  };
}
