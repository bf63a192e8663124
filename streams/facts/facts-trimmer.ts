import type { Cancel, Clock } from '../../core/kernel/clock.ts';
import type { Adjustable } from '../../core/kernel/adjustable.ts';
import { FACTS_LIMITS } from './limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import { decodeJson } from '../../core/codec/codec.ts';
import type { FactsRoom } from './facts-room.ts';
import { factsSubject } from '../subjects.ts';
import { contend } from '../leases/lease.ts';
import type { Bucket, Log } from '../log/log.ts';
import { parseRebuildMark, rebuildKey } from './rebuild-mark.ts';
import { handledByAllSinks } from '../positions/positions.ts';

export interface FactsTrimmerOptions {
  log: Log;
  clock: Clock;
  partitions: number;
  /** Unique per process incarnation. */
  holder: string;
  /** Records younger than this are kept while there is room. */
  retentionMs: number;
  room: Pick<FactsRoom, 'levels' | 'usedBytes' | 'onPolled'>;
  limits?: Adjustable<typeof FACTS_LIMITS, 'trimMs'>;
  logger: Logger;
}

const TRIMMER_KEY = 'trimmer';
/** How long the lease is kept after room was needed. */
const ROOM_PATIENCE_MS = 10_000;
/** Another process has trimmed if the key was written within this share of `trimMs`. */
const RECENT_SHARE = 0.5;

/**
 * Trims FACTS in one process at a time, by lease: records older than the retention once in `trimMs`, and the oldest
 * records as soon as a poll of the size shows that room is needed. The lease is wanted for this work only: each of its
 * renewals costs an fsync.
 *
 * Invariants: no record is trimmed that
 * 1. is younger than the retention, unless FACTS holds more than `FactsLevels.trimFrom`;
 * 2. a sink of FACTS has still to handle (`streams/positions/sink-registry.ts`);
 * 3. a partition's rebuild still needs (`rebuild-mark.ts`);
 * 4. is the last one of its partition: the fence compares with it.
 */
export function startFactsTrimmer(options: FactsTrimmerOptions): { stop(): Promise<void> } {
  const { log, clock, logger, holder, room, limits = FACTS_LIMITS } = options;
  const owners = log.bucket('OWNERS');
  let cancel: Cancel = () => {};
  let stopped = false;
  let atWork = false;
  let nextRoomMs = -Infinity;
  /** Old records are to be trimmed. */
  let due = false;
  let roomWantedUntilMs = -Infinity;
  const lease = contend({
    bucket: owners,
    key: TRIMMER_KEY,
    holder,
    clock,
    wanted: () => due || atWork || clock.monotonicMs() < roomWantedUntilMs,
    unwantedMs: limits.trimMs,
    onAcquired() {
      if (due) void run(trimOld);
    },
    onLost: () => {},
  });
  const stopPolled = room.onPolled(() => {
    const nowMs = clock.monotonicMs();
    if (room.usedBytes <= room.levels.trimFrom || nowMs < nextRoomMs) return;
    // Where nothing may be trimmed, each attempt costs some reads for each partition.
    nextRoomMs = nowMs + FACTS_LIMITS.factsPollMs;
    roomWantedUntilMs = nowMs + ROOM_PATIENCE_MS;
    if (lease.held()) void run(makeRoom);
    else lease.wake();
  });

  function schedule(): void {
    cancel = clock.timer(limits.trimMs, () => {
      schedule();
      void trimUnlessTrimmed();
    });
  }

  /** The holder writes the key before and after it trims. */
  async function trimUnlessTrimmed(): Promise<void> {
    // A run that is still waiting for the lease gives way to this one.
    due = false;
    // Rejected when the log is closed: the process stops.
    const written = await owners.get(TRIMMER_KEY).catch(() => undefined);
    if (stopped) return;
    if (written !== undefined && clock.wallMs() - written.storedAtMs < limits.trimMs * RECENT_SHARE) return;
    due = true;
    if (lease.held()) await run(trimOld);
    else lease.wake();
  }

  async function run(trim: () => Promise<void>): Promise<void> {
    if (atWork || !lease.held()) return;
    atWork = true;
    if (trim === trimOld) due = false;
    try {
      await trim();
    } catch (error) {
      logger.warn({ err: error }, 'FACTS could not be trimmed; the next attempt follows');
    } finally {
      atWork = false;
      if (!stopped) lease.wake();
    }
  }

  async function trimOld(): Promise<void> {
    const below = await trimmableBelow(options);
    const { firstSequence } = await log.info('FACTS');
    if (below > firstSequence && lease.held()) {
      await log.purgeBelow('FACTS', below);
      logger.info({ from: firstSequence, below }, 'FACTS trimmed');
    }
  }

  async function makeRoom(): Promise<void> {
    const mayTrim = () => lease.held();
    const trimmed = await trimToSize({ ...options, targetBytes: room.levels.trimTo, mayTrim });
    if (trimmed !== undefined) logger.info(trimmed, 'FACTS trimmed to make room');
  }

  schedule();
  return {
    async stop() {
      stopped = true;
      cancel();
      stopPolled();
      await lease.release();
    },
  };
}

type Bounds = Pick<FactsTrimmerOptions, 'log' | 'partitions'>;

/** The sequence below which every record may be trimmed for its age. Exported for its tests. */
export async function trimmableBelow(options: Bounds & { clock: Clock; retentionMs: number }): Promise<number> {
  const { log, clock, partitions, retentionMs } = options;
  const { firstSequence } = await log.info('FACTS');
  const passed = await passedBelow(options);
  if (passed <= firstSequence) return firstSequence;
  const bounds = [passed];
  const sinceMs = clock.wallMs() - retentionMs;
  for (let partition = 0; partition < partitions; partition++) {
    bounds.push(await firstYoungerThan(log, factsSubject(partition), sinceMs, firstSequence, passed));
  }
  return Math.min(...bounds);
}

/** The sequence below which every record has been passed by all sinks, rebuild marks and partitions. */
async function passedBelow({ log, partitions }: Bounds): Promise<number> {
  const { created, firstSequence, lastSequence } = await log.info('FACTS');
  if (lastSequence < firstSequence) return firstSequence;
  const positions = log.bucket('POSITIONS');
  const bounds: number[] = [1 + (await handledByAllSinks(log, 'FACTS', created))];
  for (let partition = 0; partition < partitions; partition++) {
    bounds.push(1 + (await rebuildableTo(positions, partition, created)));
    const last = await log.last('FACTS', factsSubject(partition));
    bounds.push(last?.sequence ?? firstSequence);
  }
  return Math.max(firstSequence, Math.min(...bounds));
}

/** The first step removes this share of what all records together suggest. */
const FIRST_SHARE = 1 / 16;
/** A step is at most this many times as long as the one before. */
const GROWTH = 4;
const MOST_STEPS = 32;
/** An excess below this share of the target is not worth another step. */
const ENOUGH_SHARE = 1 / 64;

/**
 * Removes the oldest records until FACTS holds about `targetBytes`, as far as everything has passed them. The log tells
 * bytes and sequences of the whole stream only, so each step measures what the records of the step before took, and
 * removes half of the excess.
 * @returns what it removed; `undefined`: nothing may be removed. Exported for its tests.
 */
export async function trimToSize(
  options: Bounds & { targetBytes: number; mayTrim: () => boolean },
): Promise<{ from: number; below: number; sizeBytes: number } | undefined> {
  const { log, targetBytes, mayTrim } = options;
  const passed = await passedBelow(options);
  const before = await log.info('FACTS');
  const from = before.firstSequence;
  let [below, sizeBytes] = [from, before.sizeBytes];
  let records = Math.ceil((before.lastSequence - from + 1) * (1 - targetBytes / sizeBytes) * FIRST_SHARE);
  for (let step = 0; step < MOST_STEPS && mayTrim(); step++) {
    if (sizeBytes - targetBytes <= targetBytes * ENOUGH_SHARE || passed <= below) break;
    await log.purgeBelow('FACTS', Math.min(passed, below + records));
    const after = await log.info('FACTS');
    const recordBytes = Math.max(1, sizeBytes - after.sizeBytes) / Math.max(1, after.firstSequence - below);
    ({ firstSequence: below, sizeBytes } = after);
    const half = Math.ceil((sizeBytes - targetBytes) / recordBytes / 2);
    records = Math.max(1, Math.min(half, records * GROWTH));
  }
  return below > from ? { from, below, sizeBytes } : undefined;
}

/** 0 while the partition has no rebuild mark, or one in another FACTS: then nothing may be trimmed. */
async function rebuildableTo(positions: Bucket, partition: number, created: string): Promise<number> {
  const entry = await positions.get(rebuildKey(partition));
  const mark = entry?.value === undefined ? undefined : parseRebuildMark(decodeJson(entry.value));
  return mark?.stream === created ? mark.coveredTo : 0;
}

/**
 * The subject's first record in [first, end) stored at or after `sinceMs` (broker's clock), by bisection; else `end`.
 */
async function firstYoungerThan(
  log: Log,
  subject: string,
  sinceMs: number,
  first: number,
  end: number,
): Promise<number> {
  let low = first;
  let high = end;
  let found = end;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const record = await log.next('FACTS', subject, middle);
    if (record !== undefined && record.storedAtMs < sinceMs) {
      low = record.sequence + 1;
      continue;
    }
    high = middle;
    found = Math.min(end, record?.sequence ?? end);
  }
  return found;
}
