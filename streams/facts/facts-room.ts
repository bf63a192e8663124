import { nextTick, type Cancel, type Clock } from '../../core/kernel/clock.ts';
import type { Adjustable } from '../../core/kernel/adjustable.ts';
import { FACTS_LIMITS } from './limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import { factsLevels, type FactsLevels, type LevelLimits } from './facts-levels.ts';
import type { Log, Stop, StreamBounds } from '../log/log.ts';

/**
 * How much room FACTS has, as this process sees it: the only place that polls its size.
 *
 * Invariants
 * 1. Between two polls `usedBytes` counts everything that this process appended, so one process alone never exceeds
 *    the commands' limit by more than the record in flight of each partition.
 * 2. Before the first poll there is room: a process that cannot read the size cannot append either.
 */
export interface FactsRoom {
  /** Bytes that FACTS holds. */
  readonly usedBytes: number;
  readonly levels: FactsLevels;
  /** The bounds at the last poll. */
  readonly bounds: StreamBounds | undefined;
  /** Whether commands may append. Barriers, marks, snapshots and timers always may. */
  commandsFit(): boolean;
  /**
   * Rebuild marks and sinks below this sequence will soon keep FACTS from being trimmed. 0: none will. It runs ahead
   * of the trimmer by one trim.
   */
  readonly wantedBelow: number;
  /** This process appended a record with this many bytes of data. */
  appended(dataBytes: number): void;
  /** Calls back after each poll. */
  onPolled(listener: (bounds: StreamBounds) => void): Stop;
  stop(): void;
}

/** The parts that an owner needs. */
export type OwnersRoom = Pick<FactsRoom, 'commandsFit' | 'wantedBelow' | 'appended'>;

export interface FactsRoomOptions {
  log: Pick<Log, 'info'>;
  clock: Clock;
  logger: Logger;
  limits?: LevelLimits & Adjustable<typeof FACTS_LIMITS, 'factsPollMs' | 'factsPollNearMs'>;
}

/** Subject, headers and checksum of a record, which the broker counts too. */
const RECORD_OVERHEAD_BYTES = 120;
const LINE_MS = 60_000;

/** Log messages. */
const REFUSING = 'FACTS is full up to its reserve: commands are answered 503 until it is trimmed';
const ACCEPTING = 'FACTS has room for commands again';

export function watchFactsRoom(options: FactsRoomOptions): FactsRoom {
  const { log, clock, logger, limits = FACTS_LIMITS } = options;
  const listeners = new Set<(bounds: StreamBounds) => void>();
  let bounds: StreamBounds | undefined;
  let levels = factsLevels(Infinity, limits);
  let usedBytes = 0;
  let wantedBelow = 0;
  let appendedBytes = 0;
  let polling = false;
  let isNear = false;
  let cancel: Cancel = () => {};
  let stopped = false;
  let refusing = false;
  let nextLineMs = -Infinity;

  async function poll(): Promise<void> {
    polling = true;
    try {
      const before = appendedBytes;
      const found = await log.info('FACTS');
      if (stopped) return;
      bounds = found;
      levels = factsLevels(found.maxBytes, limits);
      // What was appended while the broker answered may be counted twice, but never too little.
      usedBytes = found.sizeBytes + appendedBytes - before;
      wantedBelow = sequenceToPass(found, levels);
      report();
      for (const listener of listeners) listener(found);
    } catch (error) {
      if (!stopped) logger.warn({ err: error }, 'the size of FACTS cannot be read; the next attempt follows');
    }
    polling = false;
    isNear = usedBytes > levels.trimTo;
    if (!stopped) schedule(isNear ? limits.factsPollNearMs : limits.factsPollMs);
  }

  function schedule(delayMs: number): void {
    cancel();
    cancel = nextTick(clock, delayMs, () => void poll());
  }

  /** At most one line a minute for each change: at the limit the two alternate. */
  function report(): void {
    const refuses = usedBytes >= levels.commands;
    if (refuses === refusing) return;
    const nowMs = clock.monotonicMs();
    if (refuses && nowMs < nextLineMs) return;
    refusing = refuses;
    if (refuses) nextLineMs = nowMs + LINE_MS;
    const details = { usedBytes, limitBytes: levels.commands, maxBytes: bounds?.maxBytes };
    if (refuses) logger.warn(details, REFUSING);
    else logger.info(details, ACCEPTING);
  }

  void poll();
  return {
    get usedBytes() {
      return usedBytes;
    },
    get levels() {
      return levels;
    },
    get bounds() {
      return bounds;
    },
    commandsFit: () => usedBytes < levels.commands,
    get wantedBelow() {
      return wantedBelow;
    },
    appended(dataBytes) {
      appendedBytes += dataBytes + RECORD_OVERHEAD_BYTES;
      usedBytes += dataBytes + RECORD_OVERHEAD_BYTES;
      if (isNear || polling || usedBytes <= levels.trimTo) return;
      isNear = true;
      schedule(limits.factsPollNearMs);
    },
    onPolled(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}

/**
 * The sequence above which FACTS holds as much as remains after the next trim but one, as if all records had the same
 * size; 0 while no trim is near.
 */
function sequenceToPass({ firstSequence, lastSequence, sizeBytes }: StreamBounds, levels: FactsLevels): number {
  if (sizeBytes <= levels.trimTo) return 0;
  const keptBytes = 2 * levels.trimTo - levels.trimFrom;
  const records = lastSequence - firstSequence + 1;
  return firstSequence + Math.ceil(records * (1 - keptBytes / sizeBytes));
}
