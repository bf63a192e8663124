import type { StreamName } from '../../core/vocabulary/stream-name.ts';
import { LOG_LIMITS } from './limits.ts';

/** A stream of the log. Both forms of the log make their streams from these definitions. */
export interface StreamDefinition {
  name: string;
  subjects: readonly string[];
  storage: 'memory' | 'file';
  retention: 'limits' | 'workqueue';
  /**
   * At `maxBytes`: refuse new records, or drop old ones. Only REQUESTS, DELIVERIES and RECEIPTS drop old ones: the
   * broker allows schedules in no other stream (error 10052, nats-server 2.15), and the writers of DELIVERIES and
   * RECEIPTS bound their pending bytes far below that size.
   */
  discard: 'new' | 'old';
  maxBytes: number;
  /** 0: records never expire. */
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
    // Decided commands are not deleted, so the oldest are dropped. An undecided one is long past its deadline then.
    discard: 'old',
    maxBytes: LOG_LIMITS.requestsBytes,
    maxAgeMs: LOG_LIMITS.requestsMaxAgeMs,
    duplicateWindowMs: LOG_LIMITS.requestsDuplicateWindowMs,
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
  AUDIT: {
    name: 'AUDIT',
    subjects: ['audit.*'],
    storage: 'file',
    retention: 'limits',
    // Apart from RECORDS, so that scores and attempts cannot fill it: a change that cannot be audited is refused.
    discard: 'new',
    maxBytes: LOG_LIMITS.auditBytes,
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
  RECEIPTS: {
    name: 'RECEIPTS',
    subjects: ['receipts.due.*.*', 'receipts.at.*.*.*'],
    storage: 'file',
    retention: 'workqueue',
    discard: 'old',
    maxBytes: LOG_LIMITS.receiptsBytes,
    maxAgeMs: 0,
    duplicateWindowMs: TWO_MINUTES_MS,
    schedules: true,
  },
} as const satisfies Record<StreamName, StreamDefinition>;

/** Key-value buckets: the last value of each key, stored in files. */
export const BUCKETS = [
  'CONFIG',
  'OWNERS',
  'POSITIONS',
  'ERASURES',
  'WEBHOOKS',
  'STREAM_TOKENS',
  'USE_TIMES',
  'MERGES',
  'CLAIMS',
] as const;
export type BucketName = (typeof BUCKETS)[number];

/** How long a bucket keeps a value; 0: without limit. */
export const BUCKET_MAX_AGE_MS: Readonly<Record<BucketName, number>> = {
  CONFIG: 0,
  OWNERS: 0,
  POSITIONS: 0,
  ERASURES: LOG_LIMITS.erasureMarkMs,
  WEBHOOKS: LOG_LIMITS.webhookNoteMs,
  STREAM_TOKENS: LOG_LIMITS.streamTokenKeptMs,
  USE_TIMES: 0,
  MERGES: LOG_LIMITS.mergeIntentKeptMs,
  CLAIMS: LOG_LIMITS.receiptClaimMs,
};
