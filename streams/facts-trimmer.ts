import type { Cancel, Clock } from '../src/kernel/clock.ts';
import { LIMITS, type Limits } from '../src/kernel/limits.ts';
import type { Logger } from '../src/kernel/logger.ts';
import { decodeJson } from './codec.ts';
import { factsSubject } from './subjects.ts';
import { contend } from './lease.ts';
import type { Bucket, Log } from './log/log.ts';
import { parseRebuildMark, rebuildKey } from './rebuild-mark.ts';
import { handledByAllSinks } from './sinks/positions.ts';

export interface FactsTrimmerOptions {
  log: Log;
  clock: Clock;
  partitions: number;
  /** Unique per process incarnation. */
  holder: string;
  /** Records younger than this are kept. */
  retentionMs: number;
  limits?: Pick<Limits, 'trimMs'>;
  logger: Logger;
}

/**
 * Trims FACTS in one process at a time, by lease.
 *
 * Invariants: no record is trimmed that
 * 1. is younger than the retention;
 * 2. a sink of FACTS has still to handle (`sinks/sink-registry.ts`);
 * 3. a partition's rebuild still needs (`rebuild-mark.ts`);
 * 4. is the last one of its partition: the fence compares with it.
 */
export function startFactsTrimmer(options: FactsTrimmerOptions): { stop(): Promise<void> } {
  const { log, clock, logger, holder, limits = LIMITS } = options;
  let cancel: Cancel = () => {};
  const lease = contend({
    bucket: log.bucket('OWNERS'),
    key: 'trimmer',
    holder,
    clock,
    onAcquired: schedule,
    onLost: () => cancel(),
  });

  function schedule(): void {
    cancel();
    cancel = clock.timer(limits.trimMs, () => void run());
  }

  async function run(): Promise<void> {
    try {
      const below = await trimmableBelow(options);
      const { firstSequence } = await log.info('FACTS');
      if (below > firstSequence && lease.held()) {
        await log.purgeBelow('FACTS', below);
        logger.info({ from: firstSequence, below }, 'FACTS trimmed');
      }
    } catch (error) {
      logger.warn({ err: error }, 'FACTS could not be trimmed; the next attempt follows');
    }
    schedule();
  }

  return {
    async stop() {
      cancel();
      await lease.release();
    },
  };
}

/** The sequence below which every record may be trimmed. Exported for its tests. */
export async function trimmableBelow(options: Omit<FactsTrimmerOptions, 'holder' | 'logger'>): Promise<number> {
  const { log, clock, partitions, retentionMs } = options;
  const { created, firstSequence, lastSequence } = await log.info('FACTS');
  if (lastSequence < firstSequence) return firstSequence;
  const positions = log.bucket('POSITIONS');
  const bounds: number[] = [1 + (await handledByAllSinks(log, 'FACTS', created))];
  for (let partition = 0; partition < partitions; partition++) {
    bounds.push(1 + (await rebuildableTo(positions, partition, created)));
    const last = await log.last('FACTS', factsSubject(partition));
    bounds.push(last?.sequence ?? firstSequence);
  }
  const lowest = Math.min(...bounds);
  if (lowest <= firstSequence) return firstSequence;
  const sinceMs = clock.wallMs() - retentionMs;
  for (let partition = 0; partition < partitions; partition++) {
    bounds.push(await firstYoungerThan(log, factsSubject(partition), sinceMs, firstSequence, lowest));
  }
  return Math.min(...bounds);
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
