import { within } from '../src/kernel/clock.ts';
import type { Cancel, Clock } from '../src/kernel/clock.ts';
import { LIMITS } from '../src/kernel/limits.ts';
import type { Bucket, BucketEntry } from './log/log.ts';

/**
 * A lease on one key of the OWNERS bucket: at most one holder trusts it at any moment.
 *
 * Invariants
 * 1. A contender writes (compare-and-set) only over a key it has watched unchanged for lease + margin on its own monotonic
 *    clock, or over a released one, or over one whose holder is known to be gone (`isGone`).
 * 2. A holder trusts its lease until the moment it *sent* its last successful renewal + lease, by the monotonic and by the
 *    wall clock, whichever ends first.
 * 3. An unanswered write counts as lost for the holder's trust, and as written for everybody else's patience. Afterwards
 *    the key is looked at: if it is ours the next write goes over it at once, so one lost answer does not cost the lease.
 * 4. `onAcquired` and `onLost` alternate, beginning with `onAcquired`. `onLost` comes when trust ends, not at the next step.
 *
 * The bucket has no expiry of its own: only what was watched counts.
 */
export interface Lease {
  /** Whether the lease may be trusted in this very tick. */
  held(): boolean;
  /** Gives it up so that the next contender need not wait. Resolves when the release was written, or could not be. */
  release(): Promise<void>;
}

export interface LeaseOptions {
  bucket: Bucket;
  key: string;
  /** Who we are; unique per process incarnation. */
  holder: string;
  clock: Clock;
  leaseMs?: number;
  marginMs?: number;
  renewMs?: number;
  /** Whether this process wants the lease now. Asked before every attempt; a holder that no longer wants it releases. */
  wanted?: () => boolean;
  /** Whether a holder is certainly dead (an earlier incarnation on our own locked data directory). */
  isGone?: (holder: string) => boolean;
  onAcquired: () => void;
  /** The lease is lost: trust ended, or another holder was seen. Contending goes on. */
  onLost: () => void;
}

interface LeaseValue {
  holder: string | null;
  /** Changes with every renewal, so that a watcher sees life. */
  beat: number;
}

/** Contends for the lease until stopped; renews it while held. */
export function contend(options: LeaseOptions): Lease {
  const { bucket, key, holder, clock } = options;
  const leaseMs = options.leaseMs ?? LIMITS.leaseMs;
  const marginMs = options.marginMs ?? LIMITS.leaseMarginMs;
  const renewMs = options.renewMs ?? LIMITS.leaseRenewMs;
  const wanted = options.wanted ?? (() => true);
  const isGone = options.isGone ?? (() => false);
  /** How long one question to the broker may take: a renewal can go unanswered once and still be made in time. */
  const patienceMs = leaseMs / 3;
  const retryMs = renewMs / 10;

  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  let cancelStep: Cancel = () => {};
  let cancelExpiry: Cancel = () => {};
  let trust: { untilMonotonicMs: number; fromWallMs: number; untilWallMs: number } | undefined;
  /** What we know of the key: a revision that holds our own value, nothing of ours, or a write that was not answered. */
  let own: { kind: 'written'; revision: number } | { kind: 'nothing' } | { kind: 'unsure' } = { kind: 'nothing' };
  /** The revision last seen, and since when it has not changed. */
  let seen: { revision: number; sinceMonotonicMs: number } | undefined;
  let beat = 0;

  function held(): boolean {
    if (trust === undefined) return false;
    const wallMs = clock.wallMs();
    // A wall clock set back proves nothing about how long ago the renewal was: then only a new renewal restores trust.
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

  /** A write that was sent at these moments has been answered. */
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

  /** Writes over `revision`. Resolves to whether our value is there now; only then something is known of it. */
  async function write(value: LeaseValue, revision: number): Promise<boolean> {
    own = { kind: 'unsure' };
    const outcome = await ask(bucket.put(key, encode(value), revision));
    if (outcome?.kind !== 'written') return false;
    own = { kind: 'written', revision: outcome.revision };
    return true;
  }

  async function look(): Promise<{ revision: number; holder: string | null } | undefined> {
    const answer = await ask(bucket.get(key).then((entry) => ({ entry })));
    if (answer === undefined) return undefined;
    const revision = answer.entry?.revision ?? 0;
    const value = decode(answer.entry);
    const ours = value?.holder === holder;
    own = ours ? { kind: 'written', revision } : { kind: 'nothing' };
    if (seen?.revision !== revision) seen = { revision, sinceMonotonicMs: clock.monotonicMs() };
    return { revision, holder: value?.holder ?? null };
  }

  /** An answer, or `undefined` when none came in time or the log is closed. */
  async function ask<T>(question: Promise<T>): Promise<T | undefined> {
    try {
      return await within(clock, patienceMs, question);
    } catch {
      return undefined;
    }
  }

  /** The revision that may be written over now, or how long to wait before asking again. */
  async function opening(): Promise<{ revision: number } | { waitMs: number }> {
    if (own.kind === 'written') return { revision: own.revision };
    const found = await look();
    if (found === undefined) return { waitMs: retryMs };
    if (found.holder === holder || found.holder === null || isGone(found.holder)) return { revision: found.revision };
    lose();
    const watchedMs = clock.monotonicMs() - (seen?.sinceMonotonicMs ?? 0);
    const missingMs = leaseMs + marginMs - watchedMs;
    return missingMs <= 0 ? { revision: found.revision } : { waitMs: Math.min(missingMs, renewMs, leaseMs / 4) };
  }

  /** One look, one write at most. Resolves to how long to wait until the next. */
  async function step(): Promise<number> {
    if (trust !== undefined && !held()) lose();
    if (!wanted()) {
      await giveUp();
      // Watched all the same: whoever wants it once the holder is gone has then waited already.
      await look();
      return renewMs;
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

  /** Leaves the key free for others, if it is ours or may be. */
  async function giveUp(): Promise<void> {
    lose();
    if (own.kind === 'unsure') await look();
    if (own.kind === 'written' && (await write({ holder: null, beat: 0 }, own.revision))) own = { kind: 'nothing' };
  }

  function run(): void {
    running = step().then((waitMs) => {
      if (!stopped) cancelStep = clock.timer(waitMs, run);
    });
  }

  cancelStep = clock.timer(0, run);
  return {
    held,
    async release() {
      stopped = true;
      cancelStep();
      lose();
      // A write under way may still land; what is released must come after it.
      await running;
      await giveUp();
    },
  };
}

function encode(value: LeaseValue): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** A value that is none of ours says nothing about a holder. */
function decode(entry: BucketEntry | undefined): LeaseValue | undefined {
  if (entry?.value === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(entry.value));
    if (typeof value !== 'object' || value === null || !('holder' in value)) return undefined;
    const { holder } = value;
    return { holder: typeof holder === 'string' ? holder : null, beat: 0 };
  } catch {
    return undefined;
  }
}
