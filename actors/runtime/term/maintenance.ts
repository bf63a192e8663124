import type { Cancel, Clock } from '../../../core/kernel/clock.ts';
import { OWNER_LIMITS } from '../limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { OwnerMetrics } from '../metrics.ts';
import type { OwnersRoom } from '../../../streams/facts/facts-room.ts';
import type { BulkWork } from './bulk-work.ts';
import type { MaintenanceTasks, PendingCommit } from './build-commit.ts';
import type { Entities } from './entities.ts';
import type { SegmentSweep } from '../sweep/segment-sweep.ts';
import { StoreFaultError } from '../store/checked-store.ts';
import type { PartitionStore } from '../store/store.ts';

/**
 * An owner's work that no request causes: writing the local store, snapshots, timers of players, segment sweeps and the
 * hourly empty record. One timer per partition; due times come from the store's ordered index.
 *
 * When FACTS needs room, a partition whose mark is behind takes the snapshots that its mark needs before they are due.
 * Sweeps wait while FACTS has no room for commands.
 */
export interface Maintenance {
  start(): void;
  /** The tasks for the commit being built. Timers wait until the backlog at take-over is decided. */
  tasks(backlogTaken: boolean): MaintenanceTasks;
  committed(commit: PendingCommit): void;
  /** The commit ended without a record. */
  withoutRecord(commit: PendingCommit): void;
  /** FACTS is full: give no tasks for this long. */
  pause(delayMs: number): void;
  /** Writes the store now, or waits for the write in progress. */
  flush(): Promise<void>;
  /** Writes the store early if it lacks much, and resolves when it does not lack too much: that is in memory. */
  makeRoom(): Promise<void>;
  /** Why maintenance cannot go on, for example a faulty store. The term must end. */
  readonly error: unknown;
  /** Whether the last write of the store failed. */
  readonly storeFails: boolean;
  /** Writes the store a last time. */
  stop(): Promise<void>;
}

export interface MaintenanceOptions {
  clock: Clock;
  entities: Entities;
  store: PartitionStore;
  sweep: SegmentSweep;
  /** Rough bytes of entities to keep in memory. */
  hotBytes: number;
  room: Pick<OwnersRoom, 'commandsFit' | 'wantedBelow'>;
  logger: Logger;
  metrics: Pick<OwnerMetrics, 'hotPlayers' | 'snapshotsWaiting' | 'storeWriteFailures'>;
  partition: number;
  /** Work in bulk yields to players who play: `rests` says when, `stored` is called when the store has written. */
  bulk: Pick<BulkWork, 'rests' | 'stored'>;
  /** There may be tasks now. */
  onWork: () => void;
  /** Gets the error when writes to the store have failed for `storeFailureMs`; undefined when they succeed. */
  onStoreState: (error: unknown) => void;
}

/** A log message. The simulation reads it. */
export const STORE_UNWRITABLE = 'the local store cannot be written; the owner keeps its players in memory for a while';

const NO_TASKS: MaintenanceTasks = {
  snapshotIds: [],
  dueIds: [],
  sweepIds: [],
  sweepWants: () => true,
  mark: undefined,
  idle: false,
};
/** Due entities in one commit. */
const DUE_BATCH = 500;
/** The pause before the next tick if more entities are due than one commit takes. */
const MORE_DUE_MS = 10;
/**
 * Shares of `hotBytes`. What work in bulk has changed is stored from the first on, without a wait for the timer; beyond
 * the second one the owner waits for the store.
 */
const FLUSHED_BULK = 1 / 16;
const MOST_BULK = 1 / 4;
/** Bounds the share of time that writing takes: the next write waits this many times as long as the last one took. */
const FLUSH_REST = 4;

export function createMaintenance(options: MaintenanceOptions): Maintenance {
  const { clock, entities, store, sweep, hotBytes, room, logger, metrics, partition, bulk, onWork } = options;
  const onStored = (): void => bulk.stored();
  const { snapshots } = entities;
  const labels = { partition: String(partition) };
  let cancel: Cancel = () => {};
  let stopped = false;
  let writing: Promise<void> | undefined;
  /** Read only after a write, when the store holds the newest states. */
  let dueIds: string[] = [];
  let lastCommitMs = clock.monotonicMs();
  let pausedUntilMs = 0;
  let lastMark = 0;
  let markWanted = false;
  /** Halved when FACTS refuses a record, so that in the end one fits into whatever is left. */
  let snapshotsAtOnce: number = OWNER_LIMITS.snapshotsPerCommit;
  let sweepWaits = false;
  let failingSinceMs: number | undefined;
  let reported = false;
  let error: unknown;

  async function write(): Promise<void> {
    const stored = sweep.storing();
    try {
      if (entities.behind) await entities.flush(onStored);
      entities.trim();
      stored();
      succeeded();
    } catch (cause) {
      if (cause instanceof StoreFaultError) end(cause);
      else failed(cause);
    }
  }

  function failed(cause: unknown): void {
    metrics.storeWriteFailures.inc();
    if (failingSinceMs === undefined) logger.error({ err: cause, partition }, STORE_UNWRITABLE);
    failingSinceMs ??= clock.monotonicMs();
    if (reported || stopped || clock.monotonicMs() - failingSinceMs < OWNER_LIMITS.storeFailureMs) return;
    reported = true;
    options.onStoreState(cause);
  }

  function succeeded(): void {
    if (failingSinceMs === undefined) return;
    failingSinceMs = undefined;
    logger.info({ partition }, 'the local store can be written again');
    if (reported) options.onStoreState(undefined);
    reported = false;
  }

  function flush(): Promise<void> {
    writing ??= write().finally(() => {
      writing = undefined;
      if (failingSinceMs === undefined) onStored();
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
    if (hasTasks() || (sweepWaits && room.commandsFit())) onWork();
    const restMs = FLUSH_REST * (clock.monotonicMs() - began);
    const pauseMs = dueIds.length === DUE_BATCH ? MORE_DUE_MS : OWNER_LIMITS.storeFlushMs;
    cancel = clock.timer(Math.max(pauseMs, restMs), run);
  }

  function run(): void {
    tick().catch(end);
  }

  function end(cause: unknown): void {
    error ??= cause;
    onWork();
  }

  const idle = (): boolean => clock.monotonicMs() - lastCommitMs >= OWNER_LIMITS.idleRecordMs;
  /** Whether this partition's mark will soon keep FACTS from being trimmed. */
  const hinders = (): boolean => lastMark + 1 < room.wantedBelow;
  const hasSnapshots = (): boolean => snapshots.due(1, room.wantedBelow).length > 0;
  const hasTasks = (): boolean => dueIds.length > 0 || markWanted || idle() || hinders() || hasSnapshots();

  /** At least so many: entities that the store does not hold yet are subtracted without having been counted. */
  function playersInSnapshots(): number {
    return Math.max(0, store.count() - entities.ledgerCount - snapshots.firstTime);
  }

  function takeSweep(backlogTaken: boolean): readonly string[] {
    sweepWaits = !room.commandsFit() || bulk.rests();
    return sweepWaits ? [] : sweep.take(backlogTaken);
  }

  return {
    start() {
      entities.repeatLedgers();
      sweep.start();
      cancel = clock.timer(OWNER_LIMITS.storeFlushMs, run);
    },
    tasks(backlogTaken) {
      const sweepIds = takeSweep(backlogTaken);
      if (clock.monotonicMs() < pausedUntilMs || !(hasTasks() || sweepIds.length > 0)) return NO_TASKS;
      // Without a newer mark an idle partition would keep FACTS from being trimmed.
      const coveredTo = markWanted || idle() || hinders() ? snapshots.coveredTo(entities.appliedSeq) : lastMark;
      if (coveredTo <= lastMark) markWanted = false;
      const due = backlogTaken ? dueIds : [];
      if (backlogTaken) dueIds = [];
      return {
        snapshotIds: bulk.rests() && !hinders() ? [] : snapshots.due(snapshotsAtOnce, room.wantedBelow),
        dueIds: due,
        sweepIds,
        sweepWants: (tenant, entityId) => sweep.wants(tenant, entityId),
        schedules: sweep.schedules,
        mark: coveredTo > lastMark ? { coveredTo, players: playersInSnapshots() } : undefined,
        idle: idle(),
      };
    },
    committed(commit) {
      lastCommitMs = clock.monotonicMs();
      snapshotsAtOnce = OWNER_LIMITS.snapshotsPerCommit;
      if (commit.mark !== undefined) lastMark = commit.mark.coveredTo;
      markWanted = commit.snapshots.length > 0 || (markWanted && commit.mark === undefined);
      sweep.done(commit.swept);
    },
    withoutRecord(commit) {
      sweep.done(commit.swept);
    },
    pause(delayMs) {
      pausedUntilMs = clock.monotonicMs() + delayMs;
      snapshotsAtOnce = Math.max(1, Math.floor(snapshotsAtOnce / 2));
    },
    flush,
    async makeRoom() {
      const { pinnedBytes, bulkBytes } = entities;
      if (pinnedBytes > hotBytes || bulkBytes > hotBytes * MOST_BULK) await flush();
      else if (bulkBytes > hotBytes * FLUSHED_BULK) void flush();
    },
    get error() {
      return error;
    },
    get storeFails() {
      return failingSinceMs !== undefined;
    },
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
