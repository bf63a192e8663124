import type { Cancel, Clock } from '../../src/kernel/clock.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { Logger } from '../../src/kernel/logger.ts';
import { decodeJson } from '../../streams/codec.ts';
import { factsSubject } from '../../streams/definitions.ts';
import { contend } from '../../streams/lease.ts';
import type { Log } from '../../streams/log/log.ts';

/** The sinks whose positions hold FACTS back: what they have not handled is never trimmed. */
const SINKS = ['clickhouse', 'webhooks'] as const;

export interface TrimmerOptions {
  log: Log;
  clock: Clock;
  partitions: number;
  /** Unique per process incarnation. */
  holder: string;
  /** How long FACTS is kept at least, milliseconds. */
  retentionMs: number;
  logger: Logger;
}

/**
 * Trims FACTS, one process at a time by lease. Below the lowest of: the retention age, every sink's position, every
 * partition's rebuild mark, every partition's last record (the fence compares with the last record held).
 */
export function startTrimmer(options: TrimmerOptions): { stop(): Promise<void> } {
  const { log, clock, logger, holder } = options;
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
    cancel = clock.timer(LIMITS.trimMs, () => void run());
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
      logger.warn({ err: error }, 'FACTS could not be trimmed; it will be tried again');
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

/** Everything below this sequence is needed by nobody. Exported for its tests. */
export async function trimmableBelow(options: Omit<TrimmerOptions, 'holder' | 'logger'>): Promise<number> {
  const { log, clock, partitions, retentionMs } = options;
  const { created, firstSequence, lastSequence } = await log.info('FACTS');
  if (lastSequence < firstSequence) return firstSequence;
  const bounds: number[] = [];
  const positions = log.bucket('POSITIONS');
  for (const sink of SINKS) bounds.push(1 + numberOf(await positions.get(sink), created, 'sequence'));
  for (let partition = 0; partition < partitions; partition++) {
    bounds.push(1 + numberOf(await positions.get(`rebuild.${partition}`), created, 'coveredTo'));
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

/** A position that is missing, or belongs to another FACTS, holds everything back. */
function numberOf(entry: { value: Uint8Array | undefined } | undefined, created: string, field: string): number {
  if (entry?.value === undefined) return 0;
  const value = decodeJson(entry.value);
  if (typeof value !== 'object' || value === null) return 0;
  const fields = new Map<string, unknown>(Object.entries(value));
  const number = fields.get(field);
  return fields.get('stream') === created && typeof number === 'number' ? number : 0;
}

/** The subject's first record in [first, end) stored at or after `sinceMs` (broker's clock), by bisection; else `end`. */
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
