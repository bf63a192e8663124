import { untilTickMs } from '../../core/kernel/clock.ts';
import type { Cancel, Clock } from '../../core/kernel/clock.ts';
import { SHARED_LIMITS } from '../../core/kernel/limits.ts';
import type { Bucket } from '../log/log.ts';
import { createLeaseKey } from './lease-key.ts';
import { createLeaseTrust } from './lease-trust.ts';

/**
 * A lease on one key of the OWNERS bucket: at most one holder trusts it at any moment.
 *
 * Invariants
 * 1. A contender writes (compare-and-set) only over a key that it has watched unchanged for lease + margin by its own
 *    monotonic clock, over a released key, or over one whose holder is gone (`isGone`). A value of an unknown form is
 *    neither: a newer version may have written it.
 * 2. A holder trusts its lease until it *sent* its last successful renewal + lease, by the monotonic and by the wall
 *    clock, whichever ends first.
 * 3. An unanswered write does not extend the holder's trust, but it restarts the wait of contenders. The holder then
 *    reads the key: if it holds its own value, it writes again at once, so one lost answer does not cost the lease.
 * 4. `onAcquired` and `onLost` alternate, beginning with `onAcquired`. `onLost` is called when trust ends, not at the
 *    next step.
 *
 * The bucket does not expire keys: a contender relies only on its own watching.
 */
export interface Lease {
  /** Whether the lease is valid in this tick. */
  held(): boolean;
  /** Takes the next step at once, because `wanted` or the key may have changed. */
  wake(): void;
  /** Releases it, so that the next contender need not wait. Resolves when the release was written or has failed. */
  release(): Promise<void>;
}

export interface LeaseOptions {
  bucket: Bucket;
  key: string;
  /** This process; unique per incarnation. */
  holder: string;
  clock: Clock;
  leaseMs?: number;
  marginMs?: number;
  renewMs?: number;
  /**
   * Whether this process wants the lease; called before every attempt. A holder that no longer wants it releases it.
   */
  wanted?: () => boolean;
  /**
   * How often to look at the key while the lease is not wanted; default: `renewMs`. With more, another holder that has
   * died may have to be watched for the whole lease and margin once it is wanted.
   */
  unwantedMs?: number;
  /** Whether a holder is certainly dead, such as an earlier incarnation on this node's locked data directory. */
  isGone?: (holder: string) => boolean;
  onAcquired: () => void;
  /** The lease is lost: trust ended, or another holder has it. Contending continues. */
  onLost: () => void;
}

/** Contends for the lease until stopped; renews it while held. */
export function contend(options: LeaseOptions): Lease {
  const { bucket, key, holder, clock } = options;
  const leaseMs = options.leaseMs ?? SHARED_LIMITS.leaseMs;
  const marginMs = options.marginMs ?? SHARED_LIMITS.leaseMarginMs;
  const renewMs = options.renewMs ?? SHARED_LIMITS.leaseRenewMs;
  const unwantedMs = options.unwantedMs ?? renewMs;
  const wanted = options.wanted ?? (() => true);
  const isGone = options.isGone ?? (() => false);
  /** Time-out of one request, short enough that one unanswered renewal can be repeated in time. */
  const patienceMs = leaseMs / 3;
  const retryMs = renewMs / 10;

  const trust = createLeaseTrust(clock, leaseMs, options);
  const leaseKey = createLeaseKey({ bucket, key, holder, clock, patienceMs });

  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  let cancelStep: Cancel = () => {};
  /** A step is being taken; `wanted` may have changed since it began. */
  let stepping = false;
  let wakened = false;

  /** The revision that may be overwritten now, or how long to wait before the next attempt. */
  async function opening(): Promise<{ revision: number } | { waitMs: number }> {
    if (leaseKey.state.kind === 'written') return { revision: leaseKey.state.revision };
    const found = await leaseKey.read();
    if (found === undefined) return { waitMs: retryMs };
    if (found.holder === holder || found.holder === null || isGone(found.holder)) return { revision: found.revision };
    trust.lose();
    const missingMs = leaseMs + marginMs - found.watchedMs;
    return missingMs <= 0 ? { revision: found.revision } : { waitMs: Math.min(missingMs, renewMs, leaseMs / 4) };
  }

  /** At most one read and one write. Resolves to the pause before the next step. */
  async function step(): Promise<number> {
    if (!trust.held()) trust.lose();
    if (!wanted()) {
      await giveUp();
      // Watch the key even so: a contender that wants it later has then waited already.
      await leaseKey.read();
      return unwantedMs;
    }
    const found = await opening();
    if ('waitMs' in found) return found.waitMs;
    if (stopped) return 0;
    const sentMonotonicMs = clock.monotonicMs();
    const sentWallMs = clock.wallMs();
    if (!(await leaseKey.renew(found.revision))) return retryMs;
    if (!stopped) trust.gain(sentMonotonicMs, sentWallMs);
    return renewMs;
  }

  function giveUp(): Promise<void> {
    trust.lose();
    return leaseKey.release();
  }

  function run(): void {
    stepping = true;
    wakened = false;
    running = step().then((waitMs) => {
      stepping = false;
      if (stopped) return;
      const untilNextMs = waitMs === renewMs ? untilTickMs(clock, renewMs) : waitMs;
      cancelStep = clock.timer(wakened ? 0 : untilNextMs, run);
    });
  }

  cancelStep = clock.timer(0, run);
  return {
    held: () => trust.held(),
    wake() {
      wakened = true;
      if (stopped || stepping) return;
      cancelStep();
      cancelStep = clock.timer(0, run);
    },
    async release() {
      stopped = true;
      cancelStep();
      trust.lose();
      // A write in flight may still be stored; the release must come after it.
      await running;
      await giveUp();
    },
  };
}
