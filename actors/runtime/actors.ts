import type { Clock } from '../../src/kernel/clock.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { Logger } from '../../src/kernel/logger.ts';
import type { Metrics } from '../../src/kernel/metrics.ts';
import type { ConfigStore } from '../../streams/config/config-store.ts';
import { contend, type Lease } from '../../streams/lease.ts';
import type { Log } from '../../streams/log/log.ts';
import type { LiveDefinitions } from './definitions.ts';
import { joinMembers } from './membership.ts';
import { startOwner, type OwnerOptions, type OwnerTerm } from './partition-owner.ts';
import type { LocalGateway } from './send-replies.ts';
import type { SnapshotSource } from './store/snapshot-source.ts';
import type { Stores } from './store/store.ts';

export interface ActorsOptions {
  partitions: number;
  /** This node's name: stable over restarts, and nobody else's while its data directory is locked. */
  node: string;
  /** This process's start, so that a node's earlier life can be told from this one. */
  incarnation: string;
  log: Log;
  clock: Clock;
  config: Pick<ConfigStore, 'revision' | 'seen'>;
  /** One for all owners of the process. */
  definitions: LiveDefinitions;
  stores: Stores;
  source: SnapshotSource;
  /** Rough bytes of players kept in memory by this process. */
  hotBytes: number;
  /** Entities written to a local store in one go; the default suits. */
  flushChunk?: number | undefined;
  /** The gateway of this process, if it has one: its replies need no message. */
  local?: LocalGateway | undefined;
  logger: Logger;
  metrics: OwnerOptions['metrics'] & Pick<Metrics, 'ownedPartitions' | 'stepDowns'>;
}

/** The partitions of one process: contends for its share of them, and runs an owner for each it holds. */
export interface Actors {
  /** Partitions this process leads now. */
  readonly led: number;
  /** Ends every term in good order and gives the leases up. */
  stop(): Promise<void>;
}

export function startActors(options: ActorsOptions): Actors {
  const { partitions, node, incarnation, log, clock, metrics } = options;
  const bucket = log.bucket('OWNERS');
  const holder = `${node}.${incarnation}`;
  const members = joinMembers({ bucket, node, clock, onChange: () => {} });
  const seats = Array.from({ length: partitions }, (_, partition) =>
    createSeat(options, partition, {
      holder,
      wanted: () => members.owns(partition),
      onLed: (change) => metrics.ownedPartitions.inc(change),
    }),
  );
  return {
    get led() {
      return seats.filter((seat) => seat.leads).length;
    },
    async stop() {
      await Promise.all(seats.map((seat) => seat.stop()));
      await members.leave();
    },
  };
}

interface SeatOptions {
  holder: string;
  wanted: () => boolean;
  onLed: (change: 1 | -1) => void;
}

interface Seat {
  readonly leads: boolean;
  stop(): Promise<void>;
}

/** One partition's place in this process: lease → term → lease, for ever. */
function createSeat(options: ActorsOptions, partition: number, { holder, wanted, onLed }: SeatOptions): Seat {
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
      // Whoever locked this node's data directory before us is dead, as we hold the lock now.
      isGone: (other) => other !== holder && other.startsWith(`${node}.`),
      onAcquired: () => begin(),
      onLost: () => void term?.stop(),
    });
  }

  function begin(): void {
    if (stopped) return;
    // A term that is still ending holds the partition's store: `follow` contends again when it is done.
    if (term !== undefined) return;
    terms += 1;
    onLed(1);
    term = startOwner({
      ...options,
      partition,
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
    logger.warn({ partition, end }, 'a term of a partition has ended');
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
