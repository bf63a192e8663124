import { MEMBERSHIP_LIMITS } from './limits.ts';
import { SHARED_LIMITS } from '../../../core/kernel/limits.ts';
import type { OwnerMetrics } from '../metrics.ts';
import { contend, type Lease } from '../../../streams/leases/lease.ts';
import { nodeOfHolder } from '../../../streams/leases/lease-holder.ts';
import type { Membership } from './membership.ts';
import { startOwner, type OwnerTerm } from '../term/partition-owner.ts';
import type { OwnerOptions } from '../term/term-work.ts';
import type { TermEnd } from '../term/term-end.ts';
import { createPreparation } from './preparation.ts';
import { createRefusal } from './refusal.ts';
import type { RebuildSlot } from '../rebuild/rebuild-slot.ts';
import { checkedStore } from '../store/checked-store.ts';
import type { SnapshotSource } from '../../../core/vocabulary/snapshot-source.ts';
import type { Stores } from '../store/store.ts';

/**
 * One process's part in owning one partition: prepare → lease → term → lease, until stopped.
 *
 * Invariants
 * 1. At most one of a follower and a term uses the partition's local store.
 * 2. The lease is taken only with a ready follower. So a member that cannot lead never stands in the way of one that
 *    can, and a barrier is written only by a member that is prepared.
 * 3. The lease is given up only to a member that is ready, or when the term ends.
 * 4. After a failure the partition is refused until it was prepared successfully, which is tried after a pause.
 */
export interface Contender {
  readonly leads: boolean;
  /** Members or time may have changed what to do. */
  review(): void;
  /** The lease has another holder, or none. */
  leaseChanged(): void;
  stop(): Promise<void>;
}

export interface ContenderOptions extends Omit<
  OwnerOptions,
  'owner' | 'store' | 'follower' | 'leaseHeld' | 'onStoreState' | 'metrics'
> {
  /** One for all partitions of the process. */
  rebuilds: RebuildSlot;
  /** This node's name: stable over restarts, and unique while its data directory is locked. */
  node: string;
  /** What this process writes into a lease. */
  holder: string;
  members: Membership;
  stores: Stores;
  source: SnapshotSource;
  /** Rough bytes of players kept in memory by this process. */
  hotBytes: number;
  /** Entities in one write to a local store; tests set it. */
  flushChunk?: number | undefined;
  metrics: OwnerOptions['metrics'] &
    Pick<
      OwnerMetrics,
      | 'rebuildProgress'
      | 'ownedPartitions'
      | 'stepDowns'
      | 'followedPartitions'
      | 'refusedPartitions'
      | 'storesDiscarded'
    >;
}

/** A log message. The simulation reads it. */
export const TERM_ENDED = 'a term of a partition has ended';

export function createContender(options: ContenderOptions): Contender {
  const { partition, holder, members, node, log, clock, partitions, logger, metrics } = options;
  const store = checkedStore(options.stores.partition(partition));
  const hotBytes = options.hotBytes / partitions;
  const refusal = createRefusal(options);
  let terms = 0;
  let term: OwnerTerm | undefined;
  let termSinceMs = 0;
  let termEnding = false;
  let stopped = false;
  let wanted = false;
  const preparation = createPreparation({
    ...options,
    store,
    hotBytes,
    refusal,
    stopped: () => stopped,
    onChange: review,
  });
  let lease: Lease = contendNow();

  function contendNow(): Lease {
    return contend({
      bucket: log.bucket('OWNERS'),
      key: `partition.${partition}`,
      holder,
      clock,
      wanted: wantsLease,
      // An earlier process of this node is dead, because this one holds the lock of the data directory.
      isGone: (other) => other !== holder && nodeOfHolder(other) === node,
      onAcquired: begin,
      onLost() {
        termEnding = true;
        void term?.stop();
      },
    });
  }

  function wantsLease(): boolean {
    if (term !== undefined) return !termEnding && !members.hasReadySuccessor(partition);
    return preparation.ready !== undefined;
  }

  function review(): void {
    if (stopped) return;
    if (term === undefined) preparation.review();
    // The lease came while the follower was behind.
    if (term === undefined && lease.held()) begin();
    if (wantsLease() === wanted) return;
    wanted = !wanted;
    lease.wake();
  }

  function begin(): void {
    // A term that is still ending holds the partition's store. `termOver` contends again when it has ended.
    const follower = preparation.ready;
    if (stopped || term !== undefined || follower === undefined) return;
    terms += 1;
    termEnding = false;
    termSinceMs = clock.monotonicMs();
    metrics.ownedPartitions.inc();
    term = startOwner({
      ...options,
      owner: `${holder}.${terms}`,
      store,
      follower,
      hotBytes,
      leaseHeld: () => lease.held(),
      onStoreState,
    });
    void term.ended.then((end) => termOver(end));
  }

  async function termOver(end: TermEnd): Promise<void> {
    const ledMs = clock.monotonicMs() - termSinceMs;
    term = undefined;
    termEnding = false;
    metrics.ownedPartitions.dec();
    metrics.stepDowns.inc({ reason: end.kind });
    if (stopped) return;
    logger.warn({ partition, end: end.kind }, TERM_ENDED);
    if (ledMs >= MEMBERSHIP_LIMITS.steadyTermMs) refusal.forget();
    if (end.kind === 'unwritable') refusal.refuse('store', end.error);
    if (end.kind === 'unknown_version' || end.kind === 'failed') refusal.refuse('failed', end.error);
    if (end.kind === 'store_fault') preparation.contentFailed(end.error);
    await lease.release();
    clock.timer(SHARED_LIMITS.leaseRenewMs / 4, () => {
      if (stopped) return;
      lease = contendNow();
      wanted = false;
      review();
    });
  }

  /** The owner leads on until another member is ready, because its memory still holds everything. */
  function onStoreState(error: unknown): void {
    if (error === undefined) refusal.end();
    else refusal.refuse('store', error);
    review();
  }

  return {
    get leads() {
      return term !== undefined;
    },
    review,
    leaseChanged() {
      review();
      if (wanted && term === undefined) lease.wake();
    },
    async stop() {
      stopped = true;
      await term?.stop();
      await preparation.stop();
      await lease.release();
      refusal.stop();
    },
  };
}
