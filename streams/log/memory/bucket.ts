import type { Clock } from '../../../core/kernel/clock.ts';
import { LOG_LIMITS } from '../limits.ts';
import type { BucketName } from '../stream-definitions.ts';
import type { Bucket, BucketEntry, BucketOutcome, Stop } from '../log.ts';
import { createWholeStates } from '../whole-states.ts';
import type { Connection, WhenLed, WriteFault } from './connection.ts';

/** The broker's side of a bucket. Deleted keys stay as entries without a value, so that watches deliver deletions. */
export interface MemoryBucket {
  latest(): number;
  get(key: string): BucketEntry | undefined;
  write(key: string, value: Uint8Array | undefined, expected: number | undefined, left?: Uint8Array): BucketOutcome;
  /** Entries with a revision above `revision`, in order. */
  since(revision: number): BucketEntry[];
  onWrite(listener: (entry: BucketEntry) => void): Stop;
}

export function createMemoryBucket(clock: Pick<Clock, 'wallMs'>): MemoryBucket {
  // Iterates in order of revision: a written key moves to the end.
  const entries = new Map<string, BucketEntry>();
  const listeners = new Set<(entry: BucketEntry) => void>();
  let revision = 0;

  return {
    latest: () => revision,
    get: (key) => entries.get(key),
    write(key, value, expected, left) {
      const current = entries.get(key);
      const absent = current?.value === undefined;
      const fits = expected === undefined || expected === (current?.revision ?? 0) || (expected === 0 && absent);
      if (!fits) return { kind: 'conflict' };
      revision += 1;
      const kept = left === undefined ? {} : { left };
      const entry: BucketEntry = { key, value, ...kept, revision, storedAtMs: clock.wallMs() };
      entries.delete(key);
      entries.set(key, entry);
      for (const listener of listeners) listener(entry);
      return { kind: 'written', revision };
    },
    since: (revision) => [...entries.values()].filter((entry) => entry.revision > revision),
    onWrite(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** A client's side of a bucket. `faultOf` is called for every write; reads and watches wait for `whenLed`. */
export function openMemoryBucket(
  connection: Connection,
  name: BucketName,
  bucket: MemoryBucket,
  faultOf: (bucket: BucketName, key: string) => WriteFault,
  whenLed: Readonly<Record<'read' | 'consume', WhenLed>>,
): Bucket {
  const write = (key: string, value: Uint8Array | undefined, revision: number | undefined, left?: Uint8Array) =>
    connection.write<BucketOutcome>(
      () => bucket.write(key, value, revision, left),
      (message) => ({ kind: 'unknown', message }),
      LOG_LIMITS.logRequestMs,
      faultOf(name, key),
    );

  return {
    latest: () => connection.read(() => bucket.latest(), whenLed.read),
    async get(key) {
      const entry = await connection.read(() => bucket.get(key), whenLed.read);
      return entry?.value === undefined ? undefined : entry;
    },
    put: (key, value, revision) => write(key, value, revision),
    delete: (key, revision, left) => write(key, undefined, revision, left),
    watch: ({ onEntry, onCurrent }) => watch(connection, bucket, { onEntry, onCurrent }, whenLed.consume),
  };
}

function watch(
  connection: Connection,
  bucket: MemoryBucket,
  { onEntry, onCurrent }: Parameters<Bucket['watch']>[0],
  whenLed: WhenLed,
): Stop {
  let stopped = false;
  let current = false;
  const states = createWholeStates(onEntry);
  let unsubscribe: Stop = () => {};
  /** Counts connections: what an earlier one would have delivered late is dropped. */
  let connections = 0;

  function establish(): void {
    unsubscribe();
    connections += 1;
    const mine = connections;
    const toClient = (act: () => void): void =>
      whenLed(() => {
        if (mine !== connections) return;
        connection.toClient(() => {
          if (!stopped) act();
        });
      });
    const deliver = (entry: BucketEntry, pending = 0): void => toClient(() => states.add(entry, pending));
    connection.toBroker(() => {
      if (stopped || mine !== connections) return;
      const stored = bucket.since(states.seen);
      for (const [place, entry] of stored.entries()) deliver(entry, stored.length - place - 1);
      unsubscribe = bucket.onWrite((entry) => deliver(entry));
      toClient(() => {
        if (current) return;
        current = true;
        onCurrent();
      });
    });
  }

  const stopListening = connection.onChange((connected) => {
    if (connected) establish();
    else unsubscribe();
  });
  establish();
  return () => {
    stopped = true;
    stopListening();
    unsubscribe();
  };
}
