import type { Clock } from '../../src/kernel/clock.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { Logger } from '../../src/kernel/logger.ts';
import type { Metrics } from '../../src/kernel/metrics.ts';
import type { ConfigStore } from '../../streams/config/config-store.ts';
import { contend, type Lease } from '../../streams/lease.ts';
import type { OwnersRoom } from '../../streams/facts-room.ts';
import type { Log } from '../../streams/log/log.ts';
import type { LiveDefinitions } from './live-definitions.ts';
import { joinMembers } from './membership.ts';
import { createRebuildSlot, type RebuildSlot } from './rebuild-slot.ts';
import { startOwner, type OwnerLimits, type OwnerOptions, type OwnerTerm } from './partition-owner.ts';
import type { LocalGateway } from './send-replies.ts';
import type { SnapshotSource } from './store/snapshot-source.ts';
import type { Stores } from './store/store.ts';

export interface ActorsOptions {
  partitions: number;
  /** This node's name: stable over restarts, and unique while its data directory is locked. */
  node: string;
  /** Identifies this start of the process, as opposed to the node's earlier ones. */
  incarnation: string;
  log: Log;
  clock: Clock;
  config: Pick<ConfigStore, 'revision' | 'seen'>;
  /** One for all owners of the process. */
  definitions: LiveDefinitions;
  stores: Stores;
  source: SnapshotSource;
  /** How much room FACTS has. */
  room: OwnersRoom;
  /** Rough bytes of players kept in memory by this process. */
  hotBytes: number;
  /** Entities in one write to a local store; tests set it. */
  flushChunk?: number | undefined;
  /** The gateway of this process, if it has one. It gets replies without messages. */
  local?: LocalGateway | undefined;
  limits?: OwnerLimits | undefined;
  logger: Logger;
  metrics: OwnerOptions['metrics'] & Pick<Metrics, 'ownedPartitions' | 'stepDowns'>;
}

/** The partitions of one process: contends for its share of them and runs an owner for each lease it holds. */
export interface Actors {
  /** The number of partitions that this process owns now. */
  readonly led: number;
  /** Stops every owner, then releases the leases. */
  stop(): Promise<void>;
}

/** A log message. The simulation reads it. */
export const TERM_ENDED = 'a term of a partition has ended';

export function startActors(options: ActorsOptions): Actors {
  const { partitions, node, incarnation, log, clock, metrics } = options;
  const bucket = log.bucket('OWNERS');
  const holder = `${node}.${incarnation}`;
  const members = joinMembers({ bucket, node, clock, onChange: () => {} });
  const rebuilds = createRebuildSlot();
  const contenders = Array.from({ length: partitions }, (_, partition) =>
    createContender(options, partition, {
      holder,
      rebuilds,
      wanted: () => members.owns(partition),
      onLed: (change) => metrics.ownedPartitions.inc(change),
    }),
  );
  return {
    get led() {
      return contenders.filter((contender) => contender.leads).length;
    },
    async stop() {
      await Promise.all(contenders.map((contender) => contender.stop()));
      await members.leave();
    },
  };
}

interface ContenderOptions {
  holder: string;
  rebuilds: RebuildSlot;
  wanted: () => boolean;
  onLed: (change: 1 | -1) => void;
}

interface Contender {
  readonly leads: boolean;
  stop(): Promise<void>;
}

/** Contends for one partition: lease → term → lease, until stopped. */
function createContender(
  options: ActorsOptions,
  partition: number,
  { holder, rebuilds, wanted, onLed }: ContenderOptions,
): Contender {
  const { node, log, clock, stores, partitions, logger, metrics } = options;
  let terms = 0;
  let term: OwnerTerm | undefined;
  let stopped = false;
  let lease: Lease = contendNow();

  function contendNow(): Lease {
    return contend({
      bucket: log.bucket('OWNERS'),
      key: `partition.${partition}`,
      holder,
      clock,
      wanted,
      // An earlier process of this node is dead, because this one holds the lock of the data directory.
      isGone: (other) => other !== holder && other.startsWith(`${node}.`),
      onAcquired: () => begin(),
      onLost: () => void term?.stop(),
    });
  }

  function begin(): void {
    if (stopped) return;
    // A term that is still ending holds the partition's store. `follow` contends again when it has ended.
    if (term !== undefined) return;
    terms += 1;
    onLed(1);
    term = startOwner({
      ...options,
      partition,
      rebuilds,
      owner: `${holder}.${terms}`,
      store: stores.partition(partition),
      hotBytes: options.hotBytes / partitions,
      flushChunk: options.flushChunk,
      leaseHeld: () => lease.held(),
    });
    void follow(term);
  }

  async function follow(current: OwnerTerm): Promise<void> {
    const end = await current.ended;
    term = undefined;
    onLed(-1);
    metrics.stepDowns.inc({ reason: end });
    if (stopped) return;
    logger.warn({ partition, end }, TERM_ENDED);
    await lease.release();
    clock.timer(LIMITS.leaseRenewMs / 4, () => {
      if (!stopped) lease = contendNow();
    });
  }

  return {
    get leads() {
      return term !== undefined;
    },
    async stop() {
      stopped = true;
      await term?.stop();
      await lease.release();
    },
  };
}
