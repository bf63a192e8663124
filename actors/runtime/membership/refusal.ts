import { MEMBERSHIP_LIMITS } from './limits.ts';
import { spread } from './rendezvous.ts';

/**
 * Why and for how long a member stays away from a partition that it failed to prepare or to lead. The pause doubles
 * with each failure in a row. Its jitter comes from the names, so that members that failed together do not return
 * together, and a simulated run repeats.
 */
export interface Refusal {
  readonly reason: RefusalReason | undefined;
  failed(reason: RefusalReason, nowMs: number): void;
  /** Whether the partition may be prepared now. @param alone whether no other member accepts it */
  mayTry(nowMs: number, alone: boolean): boolean;
  /** Ends the refusal but not the row of failures: preparing has succeeded, leading has not yet. */
  end(): void;
  /** Ends the row of failures. */
  forget(): void;
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

export function createRefusal(node: string, partition: number): Refusal {
  let reason: RefusalReason | undefined;
  let failures = 0;
  let sinceMs = 0;
  let pauseMs = 0;

  return {
    get reason() {
      return reason;
    },
    failed(why, nowMs) {
      const share = spread(`${node}/${partition}/${failures}`) / SPREAD_MAX;
      const plainMs = Math.min(FIRST_MS[why] * 2 ** failures, MEMBERSHIP_LIMITS.refusalMaxMs);
      failures += 1;
      reason = why;
      sinceMs = nowMs;
      pauseMs = plainMs * (1 + JITTER * (share - 0.5));
    },
    mayTry(nowMs, alone) {
      if (reason === undefined) return true;
      return nowMs - sinceMs >= (alone ? Math.min(pauseMs, MEMBERSHIP_LIMITS.refusalAloneMs) : pauseMs);
    },
    end() {
      reason = undefined;
    },
    forget() {
      failures = 0;
    },
  };
}
