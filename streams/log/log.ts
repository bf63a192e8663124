import type { StreamName, BucketName } from '../stream-definitions.ts';

/**
 * The log as the service needs it: durable streams with fenced appends, key-value buckets with compare-and-set, and
 * plain messages. Two forms pass one contract suite: JetStream (`log-jetstream.ts`) and memory (`log-memory.ts`).
 * Expected outcomes are values; a rejected promise means the caller broke a rule, or the log was closed.
 *
 * Writes (`append`, a bucket's `put` and `delete`, `ack`) end within their time-out, whatever happens. Reads (`last`,
 * `next`, `info`, `get`) and `purgeBelow` are asked again until the broker answers: who cannot wait uses `within`.
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
  /** How many records each subject that matches holds. For a pattern that few subjects match: at most 100,000 are listed. */
  countBySubject(stream: StreamName, subject: string): Promise<ReadonlyMap<string, number>>;
  /** Deletes every record of the stream below `sequence`. */
  purgeBelow(stream: StreamName, sequence: number): Promise<void>;
  /** Takes records off a work queue: each is handed out again until it is acknowledged. */
  work(stream: StreamName, options: WorkOptions): Stop;
  /** A key-value bucket. */
  bucket(name: BucketName): Bucket;
  /** Sends a plain message: at most once, to whoever listens now. */
  publish(subject: string, data: Uint8Array): void;
  /** Listens to plain messages. With `group`, each message reaches one listener of the group. */
  subscribe(subject: string, onMessage: (data: Uint8Array, subject: string) => void, group?: string): Stop;
  /** Whether the broker can be reached now. */
  readonly connected: boolean;
  /** Sends what is buffered and lets go. Idempotent. */
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
  /** Only these subjects (wildcards allowed); all when left out. */
  subjects?: readonly string[];
  /** First sequence wanted, or `new` for what is stored after this reader has started. */
  from: number | 'new';
  /** Called (never synchronously inside `read`) when `take` has something, or the reader has ended. May be early. */
  onWaiting: () => void;
}

/**
 * An ordered, gapless reader with a bounded buffer: when nobody takes, it stops pulling. It survives reconnects by
 * itself. When the stream was lost or started over it ends: what to do then is the caller's to decide.
 */
export interface Reader {
  /** Removes and returns what waits, at most `maxRecords` and, but for the first, `maxBytes`. Never blocks. */
  take(maxRecords?: number, maxBytes?: number): LogRecord[];
  /** `undefined` while it runs. `reset`: the stream is another one now, or no longer holds where this reader stands. */
  readonly ended: undefined | 'stopped' | 'reset';
  /** Settles once the reader is established: what is stored from now on will reach it. */
  readonly started: Promise<void>;
  /** Records of its subjects stored but not yet taken, as last known. */
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
  /** Done: removed from the queue. Resolves to whether the broker confirmed it; if not, it may come again. */
  ack(): Promise<boolean>;
  /** Still at it: start `ackWaitMs` anew. */
  working(): void;
  /** Hand it out again after `delayMs`. */
  retryIn(delayMs: number): void;
}

export interface StreamBounds {
  /** When the stream was created, as the broker spells it: the identity of this incarnation. */
  created: string;
  /** Sequence of the first record held; `lastSequence + 1` when empty. */
  firstSequence: number;
  /** Sequence of the last record ever stored; 0 when none was. */
  lastSequence: number;
  /** Records held. */
  records: number;
  /** Bytes held. */
  sizeBytes: number;
}

export interface BucketEntry {
  key: string;
  /** `undefined`: the key was deleted at this revision. */
  value: Uint8Array | undefined;
  revision: number;
}

/** `conflict`: the key holds another revision. `unknown`: it may have been written. */
export type BucketOutcome =
  | { kind: 'written'; revision: number }
  | { kind: 'conflict' }
  | { kind: 'unknown'; message: string };

/** A bucket of last values. Keys: `[A-Za-z0-9_=-]+` parts joined by dots. */
export interface Bucket {
  /** Read from the leader. `undefined`: never written, or deleted. */
  get(key: string): Promise<BucketEntry | undefined>;
  /** Writes if the key's revision is still `revision` (0: the key must not exist, or be deleted). Left out: always. */
  put(key: string, value: Uint8Array, revision?: number): Promise<BucketOutcome>;
  /** Deletes; with `revision` only while the key still holds it. */
  delete(key: string, revision?: number): Promise<BucketOutcome>;
  /**
   * Delivers every current entry (deleted keys too, without a value), then changes, in order of revision. The last change
   * of each key always arrives. One that is replaced before it is delivered may be skipped: a bucket holds last values
   * only. After a reconnect the watch continues; changes may be repeated. `onCurrent` is called once, when all entries
   * that existed at the start were delivered.
   */
  watch(options: { onEntry: (entry: BucketEntry) => void; onCurrent: () => void }): Stop;
}
