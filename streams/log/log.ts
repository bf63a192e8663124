import type { StreamName } from '../../core/vocabulary/stream-name.ts';
import type { BucketName } from './stream-definitions.ts';

/**
 * The log: durable streams with fenced appends, key-value buckets with compare-and-set, and plain messages. Both forms,
 * JetStream (`log-jetstream.ts`) and memory (`log-memory.ts`), pass one contract suite. Expected outcomes are values; a
 * rejected promise means a programming error or a closed log.
 *
 * Writes (`append`, a bucket's `put` and `delete`, `ack`) always end within their time-out. Reads (`last`, `next`,
 * `info`, `get`, `latest`) and `purgeBelow` are repeated until the broker answers; use `within` to bound them.
 */
export interface Log {
  /**
   * Appends one record. With `expectedLastSequence` it is stored only if the subject's last record has exactly that
   * sequence (0: the subject is empty). With `messageId` a repeat inside the stream's duplicate window is answered
   * `acked` with `duplicate: true` and the first one's sequence.
   */
  append(subject: string, data: Uint8Array, options?: AppendOptions): Promise<AppendOutcome>;
  /** Reads a stream in order from `from`, without acknowledgements. Follows new records until stopped. */
  read(stream: StreamName, options: ReadOptions): Reader;
  /** The last record of a subject, read from the stream's leader. `undefined`: the subject is empty. */
  last(stream: StreamName, subject: string): Promise<LogRecord | undefined>;
  /** The first record of a subject (wildcards allowed) at or after `sequence`, read from the stream's leader. */
  next(stream: StreamName, subject: string, sequence: number): Promise<LogRecord | undefined>;
  /** The stream's bounds. */
  info(stream: StreamName): Promise<StreamBounds>;
  /** How many subjects that match (wildcards allowed) hold records. */
  countSubjects(stream: StreamName, subject: string): Promise<number>;
  /** How many records each matching subject holds. Use it only for patterns that few subjects match. */
  countBySubject(stream: StreamName, subject: string): Promise<ReadonlyMap<string, number>>;
  /** Deletes every record of the stream below `sequence`. */
  purgeBelow(stream: StreamName, sequence: number): Promise<void>;
  /** Takes records from a work queue. Each is handed out again until it is acknowledged. */
  work(stream: StreamName, options: WorkOptions): Stop;
  /** A key-value bucket. */
  bucket(name: BucketName): Bucket;
  /** Sends a plain message, at most once, to current subscribers. */
  publish(subject: string, data: Uint8Array): void;
  /** Subscribes to plain messages. With `group`, one subscriber of the group gets each message. */
  subscribe(subject: string, onMessage: (data: Uint8Array, subject: string) => void, group?: string): Stop;
  /** Whether the broker can be reached now. */
  readonly connected: boolean;
  /** Sends buffered messages and closes the connection. Idempotent. */
  close(): Promise<void>;
}

export type Stop = () => void;

export interface AppendOptions {
  expectedLastSequence?: number;
  messageId?: string;
  headers?: Readonly<Record<string, string>>;
  /** Store now, deliver to `target` (a subject of the same stream) at `atMs` (epoch milliseconds). */
  schedule?: { atMs: number; target: string };
  /** How long to wait for the acknowledgement; after it the outcome is `unknown`. */
  timeoutMs?: number;
}

/**
 * `acked`: stored and durable. `fenced`: not stored, the subject's last sequence is another. `refused`: certainly not
 * stored (stream full, message too large). `unknown`: it may be stored, or be stored later.
 */
export type AppendOutcome =
  | { kind: 'acked'; sequence: number; duplicate: boolean }
  | { kind: 'fenced' }
  | { kind: 'refused'; reason: 'full' | 'too_large' | 'other'; message: string }
  | { kind: 'unknown'; message: string };

export interface LogRecord {
  subject: string;
  /** Sequence in the stream, from 1. */
  sequence: number;
  /** When the broker stored it, epoch milliseconds. */
  storedAtMs: number;
  data: Uint8Array;
}

export interface ReadOptions {
  /** Only these subjects (wildcards allowed); by default all. */
  subjects?: readonly string[];
  /** The first sequence, or `new` for records stored after this reader has started. */
  from: number | 'new';
  /**
   * The record read before `from`. If the stream was created anew since, so that it holds another record there, the
   * reader ends with `reset`.
   */
  after?: LogRecord | undefined;
  /**
   * Lets the broker deliver records together that are stored within this time, once they follow each other closely.
   * A record that comes alone is delivered at once.
   */
  gatherMs?: number | undefined;
  /** Called when `take` may have records or the reader has ended; never synchronously inside `read`. */
  onWaiting: () => void;
}

/** Whether two readings gave the same record. When it was stored is left out: only the broker's clock is exact. */
export function isSameRecord(one: LogRecord, other: LogRecord): boolean {
  if (one.sequence !== other.sequence || one.subject !== other.subject) return false;
  return one.data === other.data || Buffer.compare(one.data, other.data) === 0;
}

/**
 * An ordered, gapless reader with a bounded buffer: it requests more only when the caller takes records. It survives
 * reconnects. It ends when the stream was created anew or no longer holds the next record; the caller decides what
 * follows.
 */
export interface Reader {
  /** Removes and returns buffered records: at most `maxRecords`, and `maxBytes` except for the first. Never blocks. */
  take(maxRecords?: number, maxBytes?: number): LogRecord[];
  /** `undefined` while it runs. `reset`: the stream was created anew, or no longer holds this reader's next record. */
  readonly ended: undefined | 'stopped' | 'reset';
  /** Resolves once the reader is established: it gets every record stored from then on. */
  readonly started: Promise<void>;
  /** Records of its subjects that are stored and not yet taken, as last reported. */
  readonly pending: number;
  stop(): void;
}

export interface WorkOptions {
  /** Name of the durable consumer; several processes share one. */
  durable: string;
  subjects: readonly string[];
  /** A record not acknowledged for this long is handed out again. */
  ackWaitMs: number;
  /** Records handed out and not yet acknowledged, over all processes. */
  maxInFlight: number;
  onItem: (item: WorkItem) => void;
}

export interface WorkItem {
  record: LogRecord;
  /** How often this record was handed out, from 1. */
  handedOut: number;
  /** Removes the record from the queue. Resolves to whether the broker confirmed it; if not, it may come again. */
  ack(): Promise<boolean>;
  /** Restarts `ackWaitMs`. */
  working(): void;
  /** Asks for the record again after `delayMs`. */
  retryIn(delayMs: number): void;
}

export interface StreamBounds {
  /** When the stream was created, as the broker writes it: the identity of this incarnation. */
  created: string;
  /** Sequence of the first record held; `lastSequence + 1` when empty. */
  firstSequence: number;
  /** Sequence of the last record ever stored; 0 when none was. */
  lastSequence: number;
  /** Records held. */
  records: number;
  /** Bytes held. */
  sizeBytes: number;
  /** Bytes that it may hold; `Infinity` without a bound. */
  maxBytes: number;
}

export interface BucketEntry {
  key: string;
  /** `undefined`: the key was deleted at this revision. */
  value: Uint8Array | undefined;
  /** What its deletion left for later readers; empty: nothing. */
  left?: Uint8Array;
  revision: number;
  /** When the broker stored it, epoch milliseconds. */
  storedAtMs: number;
}

/** `conflict`: the key holds another revision. `unknown`: it may have been written. */
export type BucketOutcome =
  | { kind: 'written'; revision: number }
  | { kind: 'conflict' }
  | { kind: 'unknown'; message: string };

/** A bucket of last values. Keys are parts of `[A-Za-z0-9_=-]+` joined by dots. */
export interface Bucket {
  /** The revision of the newest entry, deletions included, read from the leader; 0: it holds none. */
  latest(): Promise<number>;
  /** Read from the leader. `undefined`: never written, or deleted. */
  get(key: string): Promise<BucketEntry | undefined>;
  /** Writes if the key still has `revision` (0: it must not exist, or be deleted). Without `revision`: always. */
  put(key: string, value: Uint8Array, revision?: number): Promise<BucketOutcome>;
  /** Deletes; with `revision` only while the key still holds it. Watches deliver what is left with the deletion. */
  delete(key: string, revision?: number, left?: Uint8Array): Promise<BucketOutcome>;
  /**
   * Delivers every current entry (deleted keys too, without a value), then changes, in order of revision. The last
   * change of each key always arrives. One that is replaced before it is delivered may be skipped: a bucket holds last
   * values only. The entries after a skipped one are delivered in one turn of the event loop, up to the change that
   * replaced it (whole-states.ts). After a reconnect the watch continues; changes may be repeated. `onCurrent` is
   * called once, when all entries that existed at the start were delivered.
   */
  watch(options: { onEntry: (entry: BucketEntry) => void; onCurrent: () => void }): Stop;
}
