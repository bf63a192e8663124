import { LIMITS } from '../src/kernel/limits.ts';

/** Streams as data. Both forms of the log are made from this. */
export interface StreamDefinition {
  name: string;
  subjects: readonly string[];
  storage: 'memory' | 'file';
  retention: 'limits' | 'workqueue';
  /**
   * What happens at `maxBytes`: refuse the new, wherever a record is worth anything. REQUESTS drops the old. DELIVERIES must,
   * as the broker allows schedules in no other stream (error 10052, nats-server 2.15); its writer bounds what is pending
   * far below that size.
   */
  discard: 'new' | 'old';
  maxBytes: number;
  /** 0: records are never dropped for their age. */
  maxAgeMs: number;
  duplicateWindowMs: number;
  /** Whether messages may be scheduled (`Nats-Schedule`, server 2.12 and later). */
  schedules: boolean;
}

const GIB = 1024 ** 3;
const TWO_MINUTES_MS = 120_000;

export const STREAMS = {
  REQUESTS: {
    name: 'REQUESTS',
    subjects: ['requests.*'],
    storage: 'memory',
    retention: 'limits',
    // Nobody deletes what is decided: the oldest make room. What is dropped undecided is long past its deadline.
    discard: 'old',
    maxBytes: LIMITS.requestsBytes,
    maxAgeMs: LIMITS.requestsMaxAgeMs,
    duplicateWindowMs: LIMITS.requestsDuplicateWindowMs,
    schedules: false,
  },
  FACTS: {
    name: 'FACTS',
    subjects: ['facts.*'],
    storage: 'file',
    retention: 'limits',
    discard: 'new',
    maxBytes: 64 * GIB,
    maxAgeMs: 0,
    duplicateWindowMs: TWO_MINUTES_MS,
    schedules: false,
  },
  RECORDS: {
    name: 'RECORDS',
    subjects: ['records.*.*'],
    storage: 'file',
    retention: 'limits',
    discard: 'new',
    maxBytes: 8 * GIB,
    maxAgeMs: 0,
    duplicateWindowMs: TWO_MINUTES_MS,
    schedules: false,
  },
  DELIVERIES: {
    name: 'DELIVERIES',
    subjects: ['deliveries.due.*', 'deliveries.at.*.*.*'],
    storage: 'file',
    retention: 'workqueue',
    discard: 'old',
    maxBytes: 8 * GIB,
    maxAgeMs: 0,
    duplicateWindowMs: TWO_MINUTES_MS,
    schedules: true,
  },
} as const satisfies Record<string, StreamDefinition>;

export type StreamName = keyof typeof STREAMS;

/** Key-value buckets: last value per key, file storage. */
export const BUCKETS = ['CONFIG', 'OWNERS', 'POSITIONS', 'ERASURES', 'WEBHOOKS', 'STREAM_TOKENS'] as const;
export type BucketName = (typeof BUCKETS)[number];

/** How long a bucket keeps a value; 0: for ever. */
export const BUCKET_MAX_AGE_MS: Readonly<Record<BucketName, number>> = {
  CONFIG: 0,
  OWNERS: 0,
  POSITIONS: 0,
  ERASURES: LIMITS.erasureMarkMs,
  WEBHOOKS: LIMITS.webhookNoteMs,
  STREAM_TOKENS: LIMITS.streamTokenKeptMs,
};
