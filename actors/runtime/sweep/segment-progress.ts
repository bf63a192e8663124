import { isPlainObject } from '../../../core/kernel/validation/plain-object.ts';
import { type Clock, sleep } from '../../../core/kernel/clock.ts';
import { OWNER_LIMITS } from '../limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import { decodeJson, encodeJson } from '../../../core/codec/codec.ts';
import type { Bucket, Log } from '../../../streams/log/log.ts';
import { tenantOf } from '../store/player-counts.ts';
import type { Environment } from '../../../core/vocabulary/documents/scope.ts';
import type { TenantProgress } from './tenant-progress.ts';

/** The progress of a partition's sweep. Stored in POSITIONS under `segments.<partition>`. */
export interface SegmentProgress {
  /** The CONFIG revision whose definitions the sweep uses. */
  revision: number;
  done: boolean;
  /** Whether every tenant had a turn: a tenant that is not in `tenants` has no players. */
  firstPassDone: boolean;
  /** By `<game>/<environment>`. */
  tenants: Readonly<Record<string, TenantProgress>>;
  /** Players by segment whose condition exceeded its budget. */
  overBudget: Readonly<Record<string, number>>;
  /** Ids of computed properties whose past is not counted yet, by `<game>/<environment>`. Absent: none. */
  unfilled?: Readonly<Record<string, readonly string[]>>;
  /** Every scheduled time of a campaign up to this one is done, epoch milliseconds. */
  schedulesUpTo?: number;
}

/** The segment and revision whose progress is wanted. */
export interface ProgressQuestion {
  game: string;
  environment: Environment;
  segmentId: string;
  /** The CONFIG revision of the segment's newest edit. */
  revision: number;
  /** Ids of the computed properties that its condition reads. Absent: none. */
  properties?: readonly string[];
}

/** Players of a tenant evaluated under a revision or a later one, over all partitions. `done`: all of them. */
export interface SweepProgress {
  evaluated: number;
  total: number;
  done: boolean;
  /** Players for whom the segment's condition exceeded its budget. */
  overBudget: number;
  /** Partitions, and those in which the past of the computed properties is counted. */
  partitions: number;
  filled: number;
}

const keyOf = (partition: number): string => `segments.${partition}`;

/** Adds up the progress of all partitions. Rejects when the broker cannot be read. */
export async function readSegmentProgress(
  log: Pick<Log, 'bucket'>,
  partitions: number,
  question: ProgressQuestion,
): Promise<SweepProgress> {
  const bucket = log.bucket('POSITIONS');
  const found = await Promise.all(Array.from({ length: partitions }, (_, partition) => load(bucket, partition)));
  const tenant = tenantOf(question);
  const sum: SweepProgress = { evaluated: 0, total: 0, done: true, overBudget: 0, partitions, filled: 0 };
  const { properties = [] } = question;
  for (const { progress } of found) {
    const isNew = progress !== undefined && progress.revision >= question.revision;
    const [evaluated, total, done] = progress?.tenants[tenant] ?? [0, 0, progress?.firstPassDone === true];
    sum.total += total;
    sum.evaluated += isNew ? evaluated : 0;
    const unfilled = progress?.unfilled?.[tenant] ?? [];
    const isFilled = isNew && !properties.some((id) => unfilled.includes(id));
    if (isFilled) sum.filled += 1;
    sum.done &&= isNew && isFilled && (progress.done || done);
    sum.overBudget += isNew ? (progress.overBudget[question.segmentId] ?? 0) : 0;
  }
  return sum;
}

/** Stores one partition's newest progress, at most once a second, and repeats failed writes. */
export interface ProgressWriter {
  report(progress: SegmentProgress): void;
  /** The past of computed properties was counted: stores the last progress again. */
  refresh(): void;
  /** The stored progress; `undefined`: there is none. Rejects when the broker cannot be read. */
  load(): Promise<SegmentProgress | undefined>;
  stop(): void;
}

export interface ProgressWriterOptions {
  log: Pick<Log, 'bucket'>;
  partition: number;
  clock: Clock;
  /** Without a valid lease nothing is written: the owner may be deposed. */
  leaseHeld: () => boolean;
  /** Ids of computed properties whose past is not counted yet, by tenant. */
  unfilled?: () => Record<string, readonly string[]>;
  logger: Logger;
}

export function createProgressWriter(options: ProgressWriterOptions): ProgressWriter {
  const { partition, clock, leaseHeld, logger, unfilled = () => ({}) } = options;
  const bucket = options.log.bucket('POSITIONS');
  let wanted: SegmentProgress | undefined;
  let last: SegmentProgress | undefined;
  let revision: number | undefined;
  let running = false;
  let stopped = false;

  async function run(): Promise<void> {
    running = true;
    for (let next = wanted; next !== undefined; next = stopped ? undefined : wanted) {
      if (leaseHeld()) await write(next);
      await sleep(clock, OWNER_LIMITS.sweepProgressMs);
    }
    running = false;
  }

  /** Compare-and-set, so that a late write of a deposed owner never replaces its successor's progress. */
  async function write(progress: SegmentProgress): Promise<void> {
    try {
      revision ??= (await load(bucket, partition)).revision;
      // The answer may be late, and of the successor's progress.
      if (stopped || !leaseHeld()) return;
      const outcome = await bucket.put(keyOf(partition), encodeJson({ ...progress, unfilled: unfilled() }), revision);
      revision = outcome.kind === 'written' ? outcome.revision : undefined;
      if (outcome.kind === 'written' && wanted === progress) wanted = undefined;
    } catch (error) {
      logger.warn({ err: error, partition }, 'the progress of segments cannot be written; the next attempt follows');
    }
  }

  function report(progress: SegmentProgress): void {
    wanted = progress;
    last = progress;
    if (!running && !stopped) void run();
  }

  return {
    report,
    refresh() {
      if (last !== undefined) report({ ...last });
    },
    load: async () => (await load(bucket, partition)).progress,
    stop() {
      stopped = true;
    },
  };
}

async function load(
  bucket: Bucket,
  partition: number,
): Promise<{ progress: SegmentProgress | undefined; revision: number }> {
  const entry = await bucket.get(keyOf(partition));
  const progress = entry?.value === undefined ? undefined : parseProgress(decodeJson(entry.value));
  return { progress, revision: entry?.revision ?? 0 };
}

function parseProgress(value: unknown): SegmentProgress | undefined {
  if (!isPlainObject(value) || typeof value['revision'] !== 'number') return undefined;
  const { revision, done, firstPassDone, tenants, overBudget, unfilled, schedulesUpTo } = value;
  const schedules = typeof schedulesUpTo === 'number' ? { schedulesUpTo } : {};
  return {
    revision,
    done: done === true,
    firstPassDone: firstPassDone === true,
    tenants: isPlainObject(tenants) ? parseTenants(tenants) : {},
    overBudget: isPlainObject(overBudget) ? parseCounts(overBudget) : {},
    ...(isPlainObject(unfilled) ? { unfilled: parseIds(unfilled) } : {}),
    ...schedules,
  };
}

function parseTenants(value: Record<string, unknown>): Record<string, TenantProgress> {
  const entries = Object.entries(value).flatMap(([tenant, found]): [string, TenantProgress][] => {
    if (!Array.isArray(found)) return [];
    const [evaluated, total, done]: unknown[] = found;
    if (typeof evaluated !== 'number' || typeof total !== 'number') return [];
    return [[tenant, [evaluated, total, done === true]]];
  });
  return Object.fromEntries(entries);
}

function parseCounts(value: Record<string, unknown>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}

function parseIds(value: Record<string, unknown>): Record<string, readonly string[]> {
  const entries = Object.entries(value).map(([tenant, found]): [string, string[]] => [
    tenant,
    Array.isArray(found) ? found.filter((id) => typeof id === 'string') : [],
  ]);
  return Object.fromEntries(entries);
}
