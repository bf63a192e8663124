import type { PartitionStore, Stores } from '../../../actors/runtime/store/store.ts';
import { decodeCommands, decodeCommit } from '../../../core/codec/codec.ts';
import type { Bucket, Log } from '../../../streams/log/log.ts';
import type { MemoryLog } from '../../../streams/log/memory/log-memory.ts';
import { overrideLog } from '../../../streams/log/override-log.ts';
import type { CommitRecord } from '../../../core/vocabulary/facts/commit-record.ts';

/** The places where a process uses the network or its disk. A crash there has the most effect. */
export const TOUCH_POINTS = [
  'append to FACTS sent',
  'append to FACTS answered',
  'append to REQUESTS sent',
  'append to REQUESTS answered',
  'append to DELIVERIES sent',
  'append to DELIVERIES answered',
  'bucket write sent',
  'bucket write answered',
  'store write begun',
  'store write done',
  'insert sent',
  'insert answered',
  'erasure sent',
  'erasure answered',
  'message published',
] as const;
export type TouchPoint = (typeof TOUCH_POINTS)[number];

/** A process as its clients for log, disk and ClickHouse use it. */
export interface Toucher {
  /** True when the process is dead or dies here: nothing that it does has an effect any more. */
  touch(point: TouchPoint): boolean;
  /** A random delay of some milliseconds. */
  pause(): Promise<void>;
  /** A write of a local store begins (1) or ends (-1). */
  storeWrites(change: 1 | -1): void;
  onRequests(commands: ReturnType<typeof decodeCommands>): void;
  onFacts(partition: number, data: Uint8Array): void;
  onRefused(record: CommitRecord): void;
  /** Counts a branch that was taken. */
  cover(what: string): void;
}

/** A promise that never resolves, which is what a dead process waits for. */
export const never = <T>(): Promise<T> => new Promise<T>(() => {});

/** The process's log. Every write visits a touch point before and after. */
export function touchyLog(log: MemoryLog, process: Toucher): Log {
  async function append(...[subject, data, options]: Parameters<Log['append']>): ReturnType<Log['append']> {
    const stream = streamOf(subject);
    if (stream === 'REQUESTS') process.onRequests(decodeCommands(data));
    if (stream === 'FACTS') process.onFacts(Number(subject.split('.')[1]), data);
    const outcome = log.append(subject, data, options);
    if (process.touch(`append to ${stream} sent`)) return never();
    const answer = await outcome;
    process.cover(`append to ${stream}: ${answer.kind}`);
    if (stream === 'FACTS' && answer.kind === 'refused') process.onRefused(decodeCommit(data));
    return process.touch(`append to ${stream} answered`) ? never() : answer;
  }

  function touchyBucket(bucket: Bucket): Bucket {
    const write = async <T>(send: () => Promise<T>): Promise<T> => {
      const outcome = send();
      if (process.touch('bucket write sent')) return never();
      const answer = await outcome;
      return process.touch('bucket write answered') ? never() : answer;
    };
    return {
      latest: () => bucket.latest(),
      get: (key) => bucket.get(key),
      watch: (terms) => bucket.watch(terms),
      put: (key, value, revision) => write(() => bucket.put(key, value, revision)),
      delete: (...deletion) => write(() => bucket.delete(...deletion)),
    };
  }

  return overrideLog(log, {
    append,
    bucket: (name) => touchyBucket(log.bucket(name)),
    publish(subject, data) {
      if (!process.touch('message published')) log.publish(subject, data);
    },
  });
}

function streamOf(subject: string): 'FACTS' | 'REQUESTS' | 'DELIVERIES' {
  if (subject.startsWith('facts.')) return 'FACTS';
  return subject.startsWith('requests.') ? 'REQUESTS' : 'DELIVERIES';
}

/** The process's disk. A write takes time, and a crash leaves all of it or nothing. */
export function touchyStores(stores: Stores, process: Toucher): Stores {
  const touchyStore = (store: PartitionStore): PartitionStore => ({
    ...store,
    async write(batch) {
      if (process.touch('store write begun')) return never();
      process.storeWrites(1);
      try {
        await process.pause();
        if (process.touch('store write begun')) return await never();
        await store.write(batch);
        await process.pause();
      } finally {
        process.storeWrites(-1);
      }
      return process.touch('store write done') ? never() : undefined;
    },
    async clear() {
      await process.pause();
      if (process.touch('store write begun')) return never();
      await store.clear();
    },
  });
  return { partition: (partition) => touchyStore(stores.partition(partition)), close: () => Promise.resolve() };
}
