import { statfs } from 'node:fs/promises';
import { nextTick, type Cancel, type Clock } from '../../core/kernel/clock.ts';
import { HEALTH_LIMITS } from './limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import type { HealthMetrics } from './metrics.ts';

/** The free space of the file system that holds a folder, read every second. */
export interface DiskSpace {
  /**
   * Less than the reserve is free. The reserve is `diskReserveBytes`, or on a small file system
   * `diskReserveShare` of it.
   */
  readonly low: boolean;
  /** Bytes, as last read. */
  readonly figures: { free_bytes: number; size_bytes: number; reserve_bytes: number };
  /** When it was last low, by the monotonic clock; undefined: never since the start. */
  readonly lastLowMs: number | undefined;
  stop(): void;
}

export interface DiskSpaceOptions {
  path: string;
  clock: Clock;
  logger: Logger;
  metrics: Pick<HealthMetrics, 'diskFreeBytes' | 'diskSizeBytes'>;
}

/** Rejects if the file system cannot be read. */
export async function watchDiskSpace({ path, clock, logger, metrics }: DiskSpaceOptions): Promise<DiskSpace> {
  let cancel: Cancel = () => {};
  let stopped = false;
  let low = false;
  let lastLowMs: number | undefined;
  let figures = { free_bytes: 0, size_bytes: 0, reserve_bytes: 0 };

  async function read(): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(path);
    const [free, size] = [bavail * bsize, blocks * bsize];
    metrics.diskFreeBytes.set(free);
    metrics.diskSizeBytes.set(size);
    const reserve = Math.floor(Math.min(HEALTH_LIMITS.diskReserveBytes, size * HEALTH_LIMITS.diskReserveShare));
    figures = { free_bytes: free, size_bytes: size, reserve_bytes: reserve };
    const isLow = free < (low ? reserve * HEALTH_LIMITS.diskResumeFactor : reserve);
    if (isLow && !low) logger.error({ path, ...figures }, DISK_LOW);
    else if (low && !isLow) logger.info({ path, ...figures }, 'the disk has space again');
    low = isLow;
    if (low) lastLowMs = clock.monotonicMs();
  }

  async function step(): Promise<void> {
    try {
      await read();
    } catch (error) {
      logger.warn({ err: error, path }, 'the free space of the disk cannot be read; the next second tries again');
    }
    if (!stopped) cancel = nextTick(clock, HEALTH_LIMITS.diskWatchMs, () => void step());
  }

  await read();
  cancel = clock.timer(HEALTH_LIMITS.diskWatchMs, () => void step());
  return {
    get low() {
      return low;
    },
    get figures() {
      return figures;
    },
    get lastLowMs() {
      return lastLowMs;
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}

const DISK_LOW = 'the disk is almost full: a local deployment answers writes with 503 until space is freed';
