import { SHARED_LIMITS } from '../../../core/kernel/limits.ts';
import type { OwnerMetrics } from '../metrics.ts';
import { type Follower, type FollowerEnd, type FollowerOptions, startFollower } from '../rebuild/follower.ts';
import { StoreWriteError } from '../store/checked-store.ts';
import { MEMBERSHIP_LIMITS } from './limits.ts';
import type { Membership } from './membership.ts';
import type { Refusal } from './refusal.ts';

/** A log message. The simulation reads it. */
export const STORE_DISCARDED = 'the content of a local store is faulty: it is thrown away and rebuilt';

/**
 * Prepares this process to lead one partition, whenever it should lead it. Invariant: the local store is discarded only
 * because its content is faulty, and at most once in `storeDiscardMs`.
 */
export interface Preparation {
  /** The follower, if it is ready. */
  readonly ready: Follower | undefined;
  /** Starts following if this node should lead the partition, and stops if it should not. */
  review(): void;
  /** Discards the faulty store, unless that was done recently and did not help: then another member should lead. */
  contentFailed(error: unknown): void;
  /** Resolves when the store is no longer used. */
  stop(): Promise<void>;
}

export interface PreparationOptions extends Omit<FollowerOptions, 'discard' | 'onReady'> {
  members: Membership;
  refusal: Refusal;
  metrics: FollowerOptions['metrics'] & Pick<OwnerMetrics, 'followedPartitions' | 'storesDiscarded'>;
  stopped: () => boolean;
  /** It got ready, is no longer ready, or may be tried again. */
  onChange: () => void;
}

export function createPreparation(options: PreparationOptions): Preparation {
  const { partition, members, refusal, clock, logger, metrics, onChange } = options;
  let follower: Follower | undefined;
  /** When the store was last discarded, monotonic milliseconds. */
  let discardedMs = -Infinity;
  let discardNext = false;

  function follow(): void {
    const started = startFollower({ ...options, discard: discardNext, onReady });
    follower = started;
    metrics.followedPartitions.inc();
    void started.ended.then((end) => followerEnded(end));
  }

  function onReady(ready: boolean): void {
    if (ready) {
      refusal.end();
      discardNext = false;
    }
    members.setReady(partition, ready);
    onChange();
  }

  function followerEnded(end: FollowerEnd): void {
    follower = undefined;
    metrics.followedPartitions.dec();
    if (options.stopped()) return;
    if (end.kind === 'failed') {
      if (end.error instanceof StoreWriteError) refusal.refuse('store', end.error);
      else if (end.content) contentFailed(end.error);
      else refusal.refuse('rebuild', end.error);
    }
    clock.timer(SHARED_LIMITS.leaseRenewMs / 4, onChange);
  }

  function contentFailed(error: unknown): void {
    const nowMs = clock.monotonicMs();
    if (nowMs - discardedMs < MEMBERSHIP_LIMITS.storeDiscardMs) {
      refusal.refuse('failed', error);
      return;
    }
    discardedMs = nowMs;
    discardNext = true;
    // Another member leads during the rebuild. A follower that is ready ends the refusal.
    members.setRefused(partition, 'failed');
    metrics.storesDiscarded.inc();
    logger.error({ err: error, partition }, STORE_DISCARDED);
  }

  return {
    get ready() {
      return follower?.ready === true ? follower : undefined;
    },
    review() {
      const rank = members.rank(partition);
      const isCalled = rank === 0 || members.unownedMs(partition) > rank * MEMBERSHIP_LIMITS.standInMs;
      if (!isCalled) void follower?.stop();
      else if (follower === undefined && refusal.mayTry()) follow();
    },
    contentFailed,
    async stop() {
      await follower?.stop();
    },
  };
}
