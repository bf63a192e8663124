import type { Cancel, Clock } from '../src/kernel/clock.ts';
import { LIMITS } from '../src/kernel/limits.ts';
import type { Bucket, BucketEntry } from './log.ts';

/**
 * A lease on one key of the OWNERS bucket: at most one holder trusts it at any moment.
 *
 * Invariants
 * 1. A contender writes (compare-and-set) only over a key it has watched unchanged for lease + margin on its own monotonic
 *    clock, or over a released one, or over one whose holder is known to be gone (`isGone`).
 * 2. A holder trusts its lease until the moment it *sent* its last successful renewal + lease, by the monotonic and by the
 *    wall clock, whichever ends first.
 * 3. An unanswered write counts as lost for the holder's trust, and as written for everybody else's patience.
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

  let stopped = false;
  let cancelTimer: Cancel = () => {};
  let seen: { revision: number; value: LeaseValue | undefined; sinceMonotonicMs: number } | undefined;
  let trust: { untilMonotonicMs: number; fromWallMs: number; untilWallMs: number; revision: number } | undefined;
  let beat = 0;

  function held(): boolean {
    if (trust === undefined) return false;
    const wallMs = clock.wallMs();
    // A wall clock set back proves nothing about how long ago the renewal was: then only a new renewal restores trust.
    return clock.monotonicMs() < trust.untilMonotonicMs && wallMs < trust.untilWallMs && wallMs >= trust.fromWallMs;
  }

  function lose(): void {
    if (trust === undefined) return;
    trust = undefined;
    options.onLost();
  }

  /** Writes our value over `revision`. Trust counts from before the write was sent. */
  async function write(revision: number): Promise<boolean> {
    const sentMonotonicMs = clock.monotonicMs();
    const sentWallMs = clock.wallMs();
    beat += 1;
    const outcome = await bucket.put(key, encode({ holder, beat }), revision);
    if (outcome.kind !== 'written' || stopped) return false;
    trust = {
      untilMonotonicMs: sentMonotonicMs + leaseMs,
      fromWallMs: sentWallMs,
      untilWallMs: sentWallMs + leaseMs,
      revision: outcome.revision,
    };
    return held();
  }

  async function renew(): Promise<void> {
    if (trust === undefined) return;
    if (!wanted()) {
      await giveUp();
      return;
    }
    const kept = await write(trust.revision);
    if (kept) return;
    const entry = await bucket.get(key);
    const value = decode(entry);
    // An unanswered write that did land is ours: go on from its revision. Anything else is somebody else's.
    if (trust !== undefined && entry !== undefined && value?.holder === holder) trust.revision = entry.revision;
    else lose();
  }

  async function attempt(): Promise<void> {
    if (!wanted()) {
      seen = undefined;
      return;
    }
    const entry = await bucket.get(key);
    const value = decode(entry);
    const revision = entry?.revision ?? 0;
    const nowMs = clock.monotonicMs();
    if (seen === undefined || seen.revision !== revision) seen = { revision, value, sinceMonotonicMs: nowMs };
    const free = value === undefined || value.holder === null || value.holder === holder || isGone(value.holder);
    const silent = nowMs - seen.sinceMonotonicMs >= leaseMs + marginMs;
    if (!free && !silent) return;
    if (await write(revision)) options.onAcquired();
  }

  async function giveUp(): Promise<void> {
    const revision = trust?.revision;
    lose();
    if (revision !== undefined) await bucket.put(key, encode({ holder: null, beat: 0 }), revision);
  }

  async function step(): Promise<void> {
    if (trust !== undefined && !held()) lose();
    try {
      await (trust === undefined ? attempt() : renew());
    } catch {
      // The broker cannot be reached: trust runs out by itself, and the next step tries again.
    }
    if (!stopped) cancelTimer = clock.timer(trust === undefined ? Math.min(renewMs, leaseMs / 4) : renewMs, run);
  }

  function run(): void {
    void step();
  }

  cancelTimer = clock.timer(0, run);
  return {
    held,
    async release() {
      stopped = true;
      cancelTimer();
      try {
        await giveUp();
      } catch {
        // Nobody heard: the next contender waits the lease out instead.
      }
    },
  };
}

function encode(value: LeaseValue): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

function decode(entry: BucketEntry | undefined): LeaseValue | undefined {
  if (entry?.value === undefined) return undefined;
  const value: unknown = JSON.parse(new TextDecoder().decode(entry.value));
  if (typeof value !== 'object' || value === null || !('holder' in value)) return undefined;
  const { holder } = value;
  return { holder: typeof holder === 'string' ? holder : null, beat: 0 };
}
