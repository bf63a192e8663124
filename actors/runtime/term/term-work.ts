import type { Adjustable } from '../../../core/kernel/adjustable.ts';
import type { Clock } from '../../../core/kernel/clock.ts';
import type { Gathering } from '../../../core/kernel/flow/gathering.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import { type LocalGateway, NO_HANDED_COMMANDS } from '../../../core/vocabulary/commands/local-gateway.ts';
import type { EventHistory } from '../../../core/vocabulary/event-history.ts';
import type { ConfigStore } from '../../../streams/config/config-store.ts';
import type { OwnersRoom } from '../../../streams/facts/facts-room.ts';
import type { Log } from '../../../streams/log/log.ts';
import type { PlayerLimits } from '../../decision/decision.ts';
import { createComputing } from '../definitions/computing.ts';
import type { LiveDefinitions } from '../definitions/live-definitions.ts';
import { unfilledProperties } from '../definitions/property-sync.ts';
import type { OWNER_LIMITS } from '../limits.ts';
import type { OwnerMetrics } from '../metrics.ts';
import type { Follower } from '../rebuild/follower.ts';
import type { RebuildLimits } from '../rebuild/rebuild.ts';
import type { StoreFaultError } from '../store/checked-store.ts';
import type { SnapshotLimits } from '../store/snapshot-queue.ts';
import type { PartitionStore } from '../store/store.ts';
import { createProgressWriter } from '../sweep/segment-progress.ts';
import { createSegmentSweep } from '../sweep/segment-sweep.ts';
import { createBulkWork } from './bulk-work.ts';
import { createExposures } from './exposures.ts';
import { createMaintenance } from './maintenance.ts';
import { createQueryHandler } from './query-handler.ts';
import { createRequestFeed } from './request-feed.ts';
import { createReplySender } from './send-replies.ts';
import type { TakenOver } from './take-over.ts';

export interface OwnerOptions {
  partition: number;
  /** Our incarnation: unique per process start and term. */
  owner: string;
  log: Log;
  clock: Clock;
  config: Pick<ConfigStore, 'revision' | 'seen'>;
  definitions: LiveDefinitions;
  store: PartitionStore;
  /** Has prepared the partition. */
  follower: Follower;
  /** How much room FACTS has; one for all owners of the process. */
  room: OwnersRoom;
  hotBytes: number;
  /** When commands are decided and appended; one for all owners of the process. */
  commits: Gathering;
  /** Gets the error when writes to the local store have failed for a while; undefined when they succeed again. */
  onStoreState: (error: unknown) => void;
  /** The past of computed properties; absent: it is not counted. */
  history?: EventHistory | undefined;
  /** Partitions of the deployment. */
  partitions: number;
  /** The gateway of this process, if it has one. */
  local?: LocalGateway | undefined;
  /** Whether the lease is valid in this tick. */
  leaseHeld: () => boolean;
  limits?: OwnerLimits | undefined;
  logger: Logger;
  metrics: Pick<
    OwnerMetrics,
    | 'commitFacts'
    | 'commitDuration'
    | 'commandsWithoutRoom'
    | 'hotPlayers'
    | 'snapshotsWaiting'
    | 'storeWriteFailures'
    | 'flagExposures'
  >;
}

/** The bounds that tests and the simulation replace; `LIMITS` when absent. */
export type OwnerLimits = PlayerLimits &
  SnapshotLimits &
  Adjustable<typeof OWNER_LIMITS, 'commitFacts' | 'fillPlayers'> &
  RebuildLimits;

/** Where the work of a term comes from, and who does it. */
export type TermWork = ReturnType<typeof createTermWork>;

/** @param notify called when there may be work for a turn */
export function createTermWork(options: OwnerOptions, taken: TakenOver, notify: () => void) {
  const { partition, log, clock, definitions, store, commits, logger } = options;
  const { entities, epoch, factsCreated } = taken;
  /** The fault that a query met; a commit throws its own. */
  let storeFault: StoreFaultError | undefined;
  const onWaiting = (): void => {
    commits.added();
    notify();
  };
  const feed = createRequestFeed({ log, clock, partition, position: taken.position, logger, onWaiting });
  const local = options.local?.commands(partition, onWaiting) ?? NO_HANDED_COMMANDS;
  /**
   * Handed-over commands follow the backlog of REQUESTS. The previous owner answered some commands of the backlog
   * without a record; decided after newer commands they could take effect.
   */
  const handed = { ...local, peek: () => (feed.backlogTaken ? local.peek() : undefined) };
  const progress = createProgressWriter({ ...options, unfilled: () => unfilledProperties(entities, definitions) });
  const sweep = createSegmentSweep({ clock, store, definitions, progress, onWork: notify });
  const sendReplies = createReplySender(log, options.local);
  const flush = (): void => void maintenance.flush();
  const bulk = createBulkWork({ ...options, entities, sendReplies, flush, onWork: notify });
  const maintenance = createMaintenance({ ...options, entities, sweep, bulk, onWork: notify });
  const fill = { onWork: notify, onFilled: () => progress.refresh(), rests: () => bulk.rests() };
  const computing = createComputing({ ...options, ...fill, factsCreated, entities });
  const exposures = createExposures({ nowMs: () => clock.wallMs(), onWork: notify, limits: options.limits });
  const queryHandler = createQueryHandler({
    ...options,
    epoch,
    entities,
    exposures,
    sendReplies,
    onProofWanted: notify,
    onStoreFault(error) {
      storeFault ??= error;
      notify();
    },
  });
  return {
    feed,
    handed,
    exposures,
    maintenance,
    computing,
    bulk,
    queryHandler,
    sendReplies,
    /** Why the term must end. */
    get error(): unknown {
      return storeFault ?? maintenance.error;
    },
    start() {
      queryHandler.open();
      maintenance.start();
      computing.start();
    },
    async stop() {
      for (const source of [feed, handed]) source.stop();
      queryHandler.close();
      computing.stop();
      await maintenance.stop();
    },
  };
}
