import type { Cancel, Clock } from '../../core/kernel/clock.ts';

/**
 * A holder's trust in its lease. Invariant: `onAcquired` and `onLost` alternate, beginning with `onAcquired`. `onLost`
 * is called when trust ends, by a timer or by `lose`.
 */
export interface LeaseTrust {
  /** Whether the lease is valid in this tick. */
  held(): boolean;
  /** A write that was sent at these times has been answered. */
  gain(sentMonotonicMs: number, sentWallMs: number): void;
  lose(): void;
}

export function createLeaseTrust(
  clock: Clock,
  leaseMs: number,
  { onAcquired, onLost }: { onAcquired: () => void; onLost: () => void },
): LeaseTrust {
  let trust: { untilMonotonicMs: number; fromWallMs: number; untilWallMs: number } | undefined;
  let cancelExpiry: Cancel = () => {};

  function held(): boolean {
    if (trust === undefined) return false;
    const wallMs = clock.wallMs();
    // If the wall clock was set back the age of the renewal is unknown: only a new renewal restores trust.
    return clock.monotonicMs() < trust.untilMonotonicMs && wallMs < trust.untilWallMs && wallMs >= trust.fromWallMs;
  }

  function lose(): void {
    cancelExpiry();
    if (trust === undefined) return;
    trust = undefined;
    onLost();
  }

  function expire(): void {
    if (trust === undefined) return;
    if (held()) cancelExpiry = clock.timer(Math.max(1, trust.untilMonotonicMs - clock.monotonicMs()), expire);
    else lose();
  }

  return {
    held,
    gain(sentMonotonicMs, sentWallMs) {
      const had = trust !== undefined;
      const untilMonotonicMs = sentMonotonicMs + leaseMs;
      trust = { untilMonotonicMs, fromWallMs: sentWallMs, untilWallMs: sentWallMs + leaseMs };
      cancelExpiry();
      if (!held()) {
        if (had) lose();
        trust = undefined;
        return;
      }
      cancelExpiry = clock.timer(untilMonotonicMs - clock.monotonicMs(), expire);
      if (!had) onAcquired();
    },
    lose,
  };
}
