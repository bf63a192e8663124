import { untilTickMs, within } from '../../core/kernel/clock.ts';
import type { Cancel, Clock } from '../../core/kernel/clock.ts';
import { SHARED_LIMITS } from '../../core/kernel/limits.ts';
import type { Bucket } from '../log/log.ts';

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

interface LeaseValue {
  holder: string | null;
  /** Changes with every renewal, so that contenders see that the holder lives. */
  beat: number;
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

  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  let cancelStep: Cancel = () => {};
  let cancelExpiry: Cancel = () => {};
  /** A step is being taken; `wanted` may have changed since it began. */
  let stepping = false;
  let wakened = false;
  let trust: { untilMonotonicMs: number; fromWallMs: number; untilWallMs: number } | undefined;
  /** The key as last known: a revision with our own value, another's value, or an unanswered write of ours. */
  let own: { kind: 'written'; revision: number } | { kind: 'nothing' } | { kind: 'unsure' } = { kind: 'nothing' };
  /** The revision last read, and since when it has not changed. */
  let seen: { revision: number; sinceMonotonicMs: number } | undefined;
  let beat = 0;

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
    options.onLost();
  }

  function expire(): void {
    if (trust === undefined) return;
    if (held()) cancelExpiry = clock.timer(Math.max(1, trust.untilMonotonicMs - clock.monotonicMs()), expire);
    else lose();
  }

  /** A write that was sent at these times has been answered. */
  function gain(sentMonotonicMs: number, sentWallMs: number): void {
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
    if (!had) options.onAcquired();
  }

  /** Writes over `revision`. Resolves to whether the broker confirmed it. */
  async function write(value: LeaseValue, revision: number): Promise<boolean> {
    own = { kind: 'unsure' };
    const outcome = await answerOf(bucket.put(key, encode(value), revision));
    if (outcome?.kind !== 'written') return false;
    own = { kind: 'written', revision: outcome.revision };
    return true;
  }

  async function readKey(): Promise<{ revision: number; holder: string | null } | undefined> {
    const answer = await answerOf(bucket.get(key).then((entry) => ({ entry })));
    if (answer === undefined) return undefined;
    const revision = answer.entry?.revision ?? 0;
    const found = holderOf(answer.entry?.value);
    const ours = found === holder;
    own = ours ? { kind: 'written', revision } : { kind: 'nothing' };
    if (seen?.revision !== revision) seen = { revision, sinceMonotonicMs: clock.monotonicMs() };
    return { revision, holder: found };
  }

  /** The answer; `undefined` if none came in time or the log is closed. */
  async function answerOf<T>(request: Promise<T>): Promise<T | undefined> {
    try {
      return await within(clock, patienceMs, request);
    } catch {
      return undefined;
    }
  }

  /** The revision that may be overwritten now, or how long to wait before the next attempt. */
  async function opening(): Promise<{ revision: number } | { waitMs: number }> {
    if (own.kind === 'written') return { revision: own.revision };
    const found = await readKey();
    if (found === undefined) return { waitMs: retryMs };
    if (found.holder === holder || found.holder === null || isGone(found.holder)) return { revision: found.revision };
    lose();
    const watchedMs = clock.monotonicMs() - (seen?.sinceMonotonicMs ?? 0);
    const missingMs = leaseMs + marginMs - watchedMs;
    return missingMs <= 0 ? { revision: found.revision } : { waitMs: Math.min(missingMs, renewMs, leaseMs / 4) };
  }

  /** At most one read and one write. Resolves to the pause before the next step. */
  async function step(): Promise<number> {
    if (trust !== undefined && !held()) lose();
    if (!wanted()) {
      await giveUp();
      // Watch the key even so: a contender that wants it later has then waited already.
      await readKey();
      return unwantedMs;
    }
    const found = await opening();
    if ('waitMs' in found) return found.waitMs;
    if (stopped) return 0;
    const sentMonotonicMs = clock.monotonicMs();
    const sentWallMs = clock.wallMs();
    beat += 1;
    const written = await write({ holder, beat }, found.revision);
    if (!written) return retryMs;
    if (!stopped) gain(sentMonotonicMs, sentWallMs);
    return renewMs;
  }

  /** Releases the key if it holds our value or may hold it. */
  async function giveUp(): Promise<void> {
    lose();
    if (own.kind === 'unsure') await readKey();
    if (own.kind === 'written' && (await write({ holder: null, beat: 0 }, own.revision))) own = { kind: 'nothing' };
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
    held,
    wake() {
      wakened = true;
      if (stopped || stepping) return;
      cancelStep();
      cancelStep = clock.timer(0, run);
    },
    async release() {
      stopped = true;
      cancelStep();
      lose();
      // A write in flight may still be stored; the release must come after it.
      await running;
      await giveUp();
    },
  };
}

/**
 * The holder that a lease's key names; null: the key is absent or released. A value of an unknown form, which a newer
 * version may have written, names a holder that equals no process of this version.
 */
export function holderOf(value: Uint8Array | undefined): string | null {
  if (value === undefined) return null;
  try {
    const lease: unknown = JSON.parse(new TextDecoder().decode(value));
    if (typeof lease !== 'object' || lease === null || !('holder' in lease)) return UNKNOWN_HOLDER;
    const { holder } = lease;
    return holder === null || typeof holder === 'string' ? holder : UNKNOWN_HOLDER;
  } catch {
    return UNKNOWN_HOLDER;
  }
}

/** No process has this name. */
const UNKNOWN_HOLDER = '?';

function encode(value: LeaseValue): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
