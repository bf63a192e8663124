import type { Cancel } from '../../../core/kernel/clock.ts';
import { OWNER_LIMITS } from '../limits.ts';
import type { OwnerMetrics } from '../metrics.ts';
import type { OwnersRoom } from '../../../streams/facts/facts-room.ts';
import type { BulkWork } from './bulk-work.ts';
import type { MaintenanceTasks, PendingCommit } from './build-commit.ts';
import type { Entities } from './entities.ts';
import type { SegmentSweep } from '../sweep/segment-sweep.ts';
import { createStoreWriter, type StoreWriterOptions } from '../store/store-writer.ts';
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

export interface MaintenanceOptions extends Omit<StoreWriterOptions, 'onFault'> {
  entities: Entities;
  store: PartitionStore;
  sweep: SegmentSweep;
  /** Rough bytes of entities to keep in memory. */
  hotBytes: number;
  room: Pick<OwnersRoom, 'commandsFit' | 'wantedBelow'>;
  metrics: Pick<OwnerMetrics, 'hotPlayers' | 'snapshotsWaiting' | 'storeWriteFailures'>;
  /** Work in bulk yields to players who play: `rests` says when, `stored` is called when the store has written. */
  bulk: Pick<BulkWork, 'rests' | 'stored'>;
  /** There may be tasks now. */
  onWork: () => void;
}

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
  const { clock, entities, store, sweep, hotBytes, room, metrics, bulk, onWork } = options;
  const { snapshots } = entities;
  const labels = { partition: String(options.partition) };
  let cancel: Cancel = () => {};
  let stopped = false;
  /** Read only after a write, when the store holds the newest states. */
  let dueIds: string[] = [];
  let lastCommitMs = clock.monotonicMs();
  let pausedUntilMs = 0;
  let lastMark = 0;
  let markWanted = false;
  /** Halved when FACTS refuses a record, so that in the end one fits into whatever is left. */
  let snapshotsAtOnce: number = OWNER_LIMITS.snapshotsPerCommit;
  let sweepWaits = false;
  let error: unknown;

  const writer = createStoreWriter({ ...options, onFault: end });

  async function tick(): Promise<void> {
    const began = clock.monotonicMs();
    await writer.flush();
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
    flush: () => writer.flush(),
    async makeRoom() {
      const { pinnedBytes, bulkBytes } = entities;
      if (pinnedBytes > hotBytes || bulkBytes > hotBytes * MOST_BULK) await writer.flush();
      else if (bulkBytes > hotBytes * FLUSHED_BULK) void writer.flush();
    },
    get error() {
      return error;
    },
    get storeFails() {
      return writer.fails;
    },
    async stop() {
      stopped = true;
      cancel();
      writer.stop();
      sweep.stop();
      metrics.hotPlayers.remove(labels);
      metrics.snapshotsWaiting.remove(labels);
      await writer.flush();
      if (entities.behind) await writer.flush();
    },
  };
}
