import type { Cancel, Clock } from '../../src/kernel/clock.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { Logger } from '../../src/kernel/logger.ts';
import type { Metrics } from '../../src/kernel/metrics.ts';
import type { Maintenance, PendingCommit } from './build-commit.ts';
import type { Entities } from './entities.ts';
import type { SegmentSweep } from './sweep/segment-sweep.ts';
import type { PartitionStore } from './store/store.ts';

/**
 * The work of an owner that no request asks for: writing the local store a few times a second, snapshots, due times, the
 * hourly empty record. One timer per partition; due times come from the store's ordered index.
 */
export interface MaintenanceWork {
  start(): void;
  /** What should join the commit being built. Due times wait until the backlog at take-over is decided. */
  maintenance(backlogTaken: boolean): Maintenance;
  committed(commit: PendingCommit): void;
  /** Nothing of the commit needs a record. */
  passed(commit: PendingCommit): void;
  /** FACTS is full: leave chores alone for a while. */
  pause(delayMs: number): void;
  /** Writes the store now, or joins the write under way. */
  flush(): Promise<void>;
  /** Last write, then nothing more. */
  stop(): Promise<void>;
}

export interface MaintenanceOptions {
  clock: Clock;
  entities: Entities;
  store: PartitionStore;
  sweep: SegmentSweep;
  logger: Logger;
  metrics: Pick<Metrics, 'hotPlayers' | 'snapshotsWaiting'>;
  partition: number;
  /** There may be chores now. */
  onWork: () => void;
}

const NO_CHORES: Maintenance = {
  snapshotIds: [],
  dueIds: [],
  sweepIds: [],
  sweepWants: () => true,
  mark: undefined,
  idle: false,
};
/** Due entities handled in one commit. */
const DUE_BATCH = 500;
/** With more due than one commit takes, the next look comes this soon. */
const MORE_DUE_MS = 10;
/** The share of time that writing the store may take: the next write waits this many times as long as the last took. */
const FLUSH_REST = 4;

export function createMaintenance(options: MaintenanceOptions): MaintenanceWork {
  const { clock, entities, store, sweep, logger, metrics, partition, onWork } = options;
  const { snapshots } = entities;
  const labels = { partition: String(partition) };
  let cancel: Cancel = () => {};
  let stopped = false;
  let writing: Promise<void> | undefined;
  /** Due times are looked up only when the store holds the newest states, that is after a write. */
  let dueIds: string[] = [];
  let lastCommitMs = clock.monotonicMs();
  let pausedUntilMs = 0;
  let lastMark = 0;
  let markWanted = false;

  async function write(): Promise<void> {
    const stored = sweep.storing();
    try {
      if (entities.behind) await entities.flush();
      entities.trim();
      stored();
    } catch (error) {
      logger.error({ err: error, partition }, 'the local store cannot be written; it will be tried again');
    }
  }

  function flush(): Promise<void> {
    writing ??= write().finally(() => {
      writing = undefined;
    });
    return writing;
  }

  async function tick(): Promise<void> {
    const began = clock.monotonicMs();
    await flush();
    if (stopped) return;
    metrics.hotPlayers.set(labels, entities.hotCount);
    metrics.snapshotsWaiting.set(labels, snapshots.size);
    const nextDue = entities.behind ? undefined : store.nextDue();
    if (nextDue !== undefined && nextDue <= clock.wallMs()) dueIds = store.due(clock.wallMs(), DUE_BATCH);
    if (hasMaintenance()) onWork();
    const restMs = FLUSH_REST * (clock.monotonicMs() - began);
    const pauseMs = dueIds.length === DUE_BATCH ? MORE_DUE_MS : LIMITS.storeFlushMs;
    cancel = clock.timer(Math.max(pauseMs, restMs), () => void tick());
  }

  const idle = (): boolean => clock.monotonicMs() - lastCommitMs >= LIMITS.idleRecordMs;
  const hasMaintenance = (): boolean => dueIds.length > 0 || markWanted || idle() || snapshots.due(1).length > 0;

  return {
    start() {
      sweep.start();
      cancel = clock.timer(LIMITS.storeFlushMs, () => void tick());
    },
    maintenance(backlogTaken) {
      const sweepIds = sweep.take(backlogTaken);
      if (clock.monotonicMs() < pausedUntilMs || !(hasMaintenance() || sweepIds.length > 0)) return NO_CHORES;
      // An idle partition's mark would hold FACTS back for all others.
      const coveredTo = markWanted || idle() ? snapshots.coveredTo(entities.appliedSeq) : lastMark;
      if (coveredTo <= lastMark) markWanted = false;
      const due = backlogTaken ? dueIds : [];
      if (backlogTaken) dueIds = [];
      return {
        snapshotIds: snapshots.due(LIMITS.snapshotsPerCommit),
        dueIds: due,
        sweepIds,
        sweepWants: (tenant, entityId) => sweep.wants(tenant, entityId),
        schedules: sweep.schedules,
        mark: coveredTo > lastMark ? coveredTo : undefined,
        idle: idle(),
      };
    },
    committed(commit) {
      lastCommitMs = clock.monotonicMs();
      if (commit.mark !== undefined) lastMark = commit.mark.coveredTo;
      markWanted = commit.snapshots.length > 0 || (markWanted && commit.mark === undefined);
      sweep.done(commit.swept);
    },
    passed(commit) {
      sweep.done(commit.swept);
    },
    pause(delayMs) {
      pausedUntilMs = clock.monotonicMs() + delayMs;
    },
    flush,
    async stop() {
      stopped = true;
      cancel();
      sweep.stop();
      metrics.hotPlayers.remove(labels);
      metrics.snapshotsWaiting.remove(labels);
      await flush();
      if (entities.behind) await flush();
    },
  };
}
