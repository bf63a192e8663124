import type { Clock } from '../../../core/kernel/clock.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { OwnerMetrics } from '../metrics.ts';
import { MEMBERSHIP_LIMITS } from './limits.ts';
import type { Membership } from './membership.ts';
import { spread } from './rendezvous.ts';

/** A log message. The simulation reads it. */
export const PARTITION_REFUSED = 'this node cannot lead a partition; another one should';

/**
 * Why and for how long a member stays away from a partition that it failed to prepare or to lead, so that another one
 * leads. The pause doubles with each failure in a row. Its jitter comes from the names, so that members that failed
 * together do not return together, and a simulated run repeats.
 */
export interface Refusal {
  refuse(reason: RefusalReason, error: unknown): void;
  /** Whether the partition may be prepared now: sooner while no other member accepts it. */
  mayTry(): boolean;
  /** Ends the refusal but not the row of failures: preparing has succeeded, leading has not yet. */
  end(): void;
  /** Ends the row of failures. */
  forget(): void;
  /** The process no longer counts it. */
  stop(): void;
}

export interface RefusalOptions {
  node: string;
  partition: number;
  members: Pick<Membership, 'setRefused' | 'hasOther'>;
  clock: Clock;
  logger: Logger;
  metrics: Pick<OwnerMetrics, 'refusedPartitions'>;
}

export type RefusalReason = 'rebuild' | 'store' | 'failed';

/** The first pause. A failed preparation disturbs no member; each return of an owner that fails takes two handovers. */
const FIRST_MS: Record<RefusalReason, number> = {
  rebuild: MEMBERSHIP_LIMITS.refusalMs,
  store: MEMBERSHIP_LIMITS.refusalMs,
  failed: MEMBERSHIP_LIMITS.refusalLedMs,
};
/** The pause is multiplied by 0.75 to 1.25. */
const JITTER = 0.5;
const SPREAD_MAX = 2 ** 32;

export function createRefusal({ node, partition, members, clock, logger, metrics }: RefusalOptions): Refusal {
  let reason: RefusalReason | undefined;
  let failures = 0;
  let sinceMs = 0;
  let pauseMs = 0;

  function count(change: 1 | -1): void {
    if (reason !== undefined) metrics.refusedPartitions.inc({ reason }, change);
  }

  return {
    refuse(why, error) {
      const isNew = reason !== why;
      count(-1);
      const share = spread(`${node}/${partition}/${failures}`) / SPREAD_MAX;
      const plainMs = Math.min(FIRST_MS[why] * 2 ** failures, MEMBERSHIP_LIMITS.refusalMaxMs);
      failures += 1;
      reason = why;
      sinceMs = clock.monotonicMs();
      pauseMs = plainMs * (1 + JITTER * (share - 0.5));
      count(1);
      members.setRefused(partition, why);
      // The first failure needs an operator; repeats only show that the cause remains.
      if (isNew) logger.error({ err: error, partition, reason }, PARTITION_REFUSED);
      else logger.warn({ err: error, partition, reason }, PARTITION_REFUSED);
    },
    mayTry() {
      if (reason === undefined) return true;
      const isAlone = !members.hasOther(partition);
      const waitMs = isAlone ? Math.min(pauseMs, MEMBERSHIP_LIMITS.refusalAloneMs) : pauseMs;
      return clock.monotonicMs() - sinceMs >= waitMs;
    },
    end() {
      count(-1);
      reason = undefined;
      members.setRefused(partition, undefined);
    },
    forget() {
      failures = 0;
    },
    stop: () => count(-1),
  };
}
