import type { ClickhouseAddress } from '../../../clickhouse-schema/clickhouse-address.ts';
import type { PendingErasure } from '../../../clickhouse-schema/rows/erased-rows.ts';
import { createClickhouseTarget } from './block-target.ts';
import { createEraser } from './erasure/eraser.ts';
import { createErasureTarget, type ErasureTarget } from './erasure/erasure-target.ts';
import { createFactsWriter, type FactsWriterOptions } from './facts-writer.ts';
import { createMergeTarget, type MergeTarget } from './merges/merge-target.ts';
import { createMover, type Mover } from './merges/mover.ts';
import { createPlayerDaysBuilder, type PlayerDaysBuilder } from './player-days/builder.ts';
import { createPlayerDaysTarget, type Players } from './player-days/target.ts';
import { DEFAULT_ZONE } from '../../../core/kernel/zoned-days.ts';
import { readSinkPlace } from '../sink-as-of.ts';
import { AUDIT_SOURCE, RECORDS_SOURCE } from './records-source.ts';
import { createStreamWriter } from './stream-writer.ts';
import { createRecordsTrimmer } from './trim-records.ts';

export interface ClickhouseSinkOptions extends Omit<FactsWriterOptions, 'target' | 'onErasures' | 'onMerges'> {
  clickhouse: ClickhouseAddress;
  /** The time zone in which a game counts days. Default: UTC. */
  zoneOf?: (game: string) => string;
}

export interface ClickhouseSink {
  /** Contends for the lease of each stream, and writes the stream while it holds the lease. */
  start(): void;
  /** Follows a change of a game's time zone at once. */
  zoneChanged(): void;
  /** Writes gathered records within a bound, releases the leases and closes the connections. */
  stop(): Promise<void>;
}

/**
 * The ClickHouse sink: independent writers for FACTS, RECORDS and AUDIT, the eraser, the mover of merged
 * players' rows, and the builder of `player_days`.
 * The simulation uses the facts writer with its own target.
 */
export function createClickhouseSink(options: ClickhouseSinkOptions): ClickhouseSink {
  const target = createClickhouseTarget(options.clickhouse);
  const logger = options.logger.child({ sink: 'clickhouse' });
  const leads = (): boolean => writer.leads();
  const days = createPlayerDaysBuilder({
    ...options,
    logger,
    position: async () => {
      const place = await readSinkPlace(options.log, options.clock, 'clickhouse');
      return place && { to: { createdMs: Date.parse(place.stream), sequence: place.sequence }, asOfMs: place.asOfMs };
    },
    target: createPlayerDaysTarget(options.clickhouse),
    leads,
    zoneOf: options.zoneOf ?? (() => DEFAULT_ZONE),
    onBehind: (seconds) => options.metrics.playerDaysBehind.set(seconds),
  });
  const merges = createMergeTarget(options.clickhouse);
  const mover = createMover({
    ...options,
    logger,
    target: merges,
    rebuild: (players) => days.rebuild(players),
    leads,
    onMoved: () => eraser.wake(),
    onWaiting(count, seconds) {
      options.metrics.mergesPending.set(count);
      options.metrics.mergesOldest.set(seconds);
    },
  });
  const erasures = afterMerges(withDays(createErasureTarget(options.clickhouse), days), merges, mover);
  const eraser = createEraser({ ...options, logger, target: erasures, leads });
  const writer = createFactsWriter({
    ...options,
    target,
    onErasures: () => eraser.wake(),
    onMerges: () => mover.wake(),
  });
  const records = createStreamWriter({
    ...options,
    target,
    source: RECORDS_SOURCE,
    onWritten: createRecordsTrimmer(options),
  });
  const audit = createStreamWriter({
    ...options,
    read: undefined,
    target,
    source: AUDIT_SOURCE,
    onWritten: createRecordsTrimmer({ ...options, stream: 'AUDIT' }),
  });
  return {
    start() {
      writer.start();
      records.start();
      audit.start();
      eraser.start();
      mover.start();
      days.start();
    },
    zoneChanged: () => days.wake(),
    async stop() {
      await Promise.all([writer.stop(), records.stop(), audit.stop(), eraser.stop(), mover.stop(), days.stop()]);
      await target.close();
    },
  };
}

/** Deletes rows of erased players, and after them the days that were made of these rows. */
function withDays(target: ErasureTarget, days: Pick<PlayerDaysBuilder, 'rebuild'>): ErasureTarget {
  return {
    ...target,
    async remove(erasures, records) {
      const outcome = await target.remove(erasures, records);
      if (outcome === 'later') return outcome;
      return (await days.rebuild(byEnvironment(erasures))) === 'later' ? 'later' : 'removed';
    },
  };
}

/** Erasures wait for earlier merges of their player: rows that a merge moves later would stay. */
function afterMerges(
  target: ErasureTarget,
  merges: Pick<MergeTarget, 'free'>,
  mover: Pick<Mover, 'hurry'>,
): ErasureTarget {
  return {
    ...target,
    async pending(position, most) {
      const found = await target.pending(position, most);
      const free = await merges.free(found, 'moved');
      if (free.length < found.length) mover.hurry();
      return free;
    },
    unfinished: async (position, most) => merges.free(await target.unfinished(position, most), 'settled'),
  };
}

function byEnvironment(erasures: readonly PendingErasure[]): Players[] {
  const groups = Map.groupBy(erasures, ({ game, environment }) => `${environment}/${game}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first
      ? [{ game: first.game, environment: first.environment, ids: group.map(({ playerId }) => playerId) }]
      : [];
  });
}
