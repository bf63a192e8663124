import { nextTick, type Cancel, type Clock } from '../../../core/kernel/clock.ts';
import { SHARED_LIMITS } from '../../../core/kernel/limits.ts';
import { holderOf } from '../../../streams/leases/lease-key.ts';
import type { Bucket, BucketEntry } from '../../../streams/log/log.ts';
import { decodeBeat, encodeBeat, includes, type MemberBeat } from './member-beat.ts';
import { createOwnBeat, type OwnBeat } from './own-beat.ts';
import { ranked } from './rendezvous.ts';

/**
 * Which processes run actors now, and which of them should lead a partition. Every member writes a beat to OWNERS
 * `member.<node>`: the partitions that it could lead at once, and those that it refuses. Safety does not depend on
 * this: if two members disagree, the lease and the fence decide.
 *
 * Invariants
 * 1. A member whose beat has not changed for lease + margin, by the watcher's clock, is gone.
 * 2. Rendezvous hashing ranks the members that accept a partition: a joining or leaving member moves only its share.
 * 3. While every member refuses all partitions, which a wrong clock of the broker would cause, the refusals do not
 *    count.
 */
export interface Membership extends Pick<OwnBeat, 'setReady' | 'setRefused' | 'setClockWrong'> {
  /**
   * This node's place among the members that accept the partition, from 0. Its own refusal of the partition does not
   * count, as it may end. Infinity: this node must not lead it, or the members have not been read yet.
   */
  rank(partition: number): number;
  /** Whether another member ranks first for the partition and is ready to lead it: then this node yields. */
  hasReadySuccessor(partition: number): boolean;
  /** Whether another member accepts the partition. */
  hasOther(partition: number): boolean;
  /** For how long no other process has held the lease of the partition; 0 while one holds it. */
  unownedMs(partition: number): number;
  /** Removes this member, so that others need not wait for its beat to expire. */
  leave(): Promise<void>;
}

export interface MembershipOptions {
  bucket: Bucket;
  /** This node's name; lower-case letters, digits and dashes. */
  node: string;
  /** The holder that this process writes into leases. */
  holder: string;
  clock: Clock;
  /**
   * Called when a member or what it claims has changed, and about once a second; with `partition` when its lease got
   * another holder or lost it.
   */
  onChange: (partition?: number) => void;
}

const PREFIX = 'member.';
const LEASE_PREFIX = 'partition.';
const GONE_MS = SHARED_LIMITS.leaseMs + SHARED_LIMITS.leaseMarginMs;

export function joinMembers({ bucket, node, holder: self, clock, onChange }: MembershipOptions): Membership {
  /** By node: its last beat, and when that was seen, by our own monotonic clock. */
  const others = new Map<string, { beat: MemberBeat; claims: string; seenMs: number }>();
  /** By partition: the holder of its lease, and when the lease was last seen to change. */
  const leases = new Map<number, { holder: string | null; changedMs: number }>();
  const own = createOwnBeat(bucket, PREFIX + node, clock);
  let left = false;
  let currentSinceMs = Infinity;
  let cancel: Cancel = () => {};
  let cancelExpiry: Cancel = () => {};

  function onEntry({ key, value }: BucketEntry): void {
    if (key.startsWith(PREFIX)) onBeat(key.slice(PREFIX.length), value);
    else if (key.startsWith(LEASE_PREFIX)) onLease(Number(key.slice(LEASE_PREFIX.length)), holderOf(value));
  }

  function onBeat(name: string, value: Uint8Array | undefined): void {
    if (name === node) return;
    const before = others.get(name);
    if (value === undefined) others.delete(name);
    else {
      const beat = decodeBeat(value);
      others.set(name, { beat, claims: claimsOf(beat), seenMs: clock.monotonicMs() });
    }
    if (others.get(name)?.claims !== before?.claims) review();
  }

  function onLease(partition: number, holder: string | null): void {
    // Our own lease: to us the partition stays unowned until our term begins.
    if (holder === self) return;
    const before = leases.get(partition);
    leases.set(partition, { holder, changedMs: clock.monotonicMs() });
    if (before?.holder !== holder && !left) onChange(partition);
  }

  /** Removes the members that are gone, and looks again when the next one may be. */
  function review(): void {
    const nowMs = clock.monotonicMs();
    let nextMs = Infinity;
    for (const [name, { seenMs }] of others) {
      if (seenMs + GONE_MS < nowMs) others.delete(name);
      else nextMs = Math.min(nextMs, seenMs + GONE_MS - nowMs + 1);
    }
    cancelExpiry();
    if (left) return;
    if (nextMs < Infinity) cancelExpiry = clock.timer(nextMs, review);
    onChange();
  }

  function tick(): void {
    own.write();
    review();
    cancel = nextTick(clock, SHARED_LIMITS.leaseRenewMs, tick);
  }

  /** Members that accept the partition, this node included or left out. */
  function accepting(partition: number, includeSelf: boolean): string[] {
    const names = [...others].flatMap(([name, { beat }]) => (includes(beat.refuses, partition) ? [] : [name]));
    if (includeSelf) names.push(node);
    if (names.length > 0) return names;
    const clocksWrong = [...others].flatMap(([name, { beat }]) => (beat.refuses === 'all' ? [name] : []));
    return own.refusesAll ? [...clocksWrong, node] : clocksWrong;
  }

  const onCurrent = (): void => {
    currentSinceMs = clock.monotonicMs();
    review();
  };
  const stopWatching = bucket.watch({ onEntry, onCurrent });
  cancel = clock.timer(0, tick);
  return {
    rank(partition) {
      if (currentSinceMs === Infinity) return Infinity;
      const place = ranked(accepting(partition, !own.refusesAll), partition).indexOf(node);
      return place < 0 ? Infinity : place;
    },
    hasReadySuccessor(partition) {
      const first = ranked(accepting(partition, own.accepts(partition)), partition)[0];
      const beat = first === undefined ? undefined : others.get(first)?.beat;
      return beat !== undefined && includes(beat.ready, partition);
    },
    hasOther: (partition) => [...others.values()].some(({ beat }) => !includes(beat.refuses, partition)),
    unownedMs(partition) {
      const nowMs = clock.monotonicMs();
      const lease = leases.get(partition);
      if (lease === undefined) return Math.max(0, nowMs - currentSinceMs);
      const sinceMs = lease.holder === null ? lease.changedMs : lease.changedMs + GONE_MS;
      return Math.max(0, nowMs - sinceMs);
    },
    setReady: (partition, isReady) => own.setReady(partition, isReady),
    setRefused: (partition, reason) => own.setRefused(partition, reason),
    setClockWrong: (reason) => own.setClockWrong(reason),
    async leave() {
      left = true;
      cancel();
      cancelExpiry();
      stopWatching();
      await own.leave();
    },
  };
}

/** What a beat says beside that the member is alive. */
const claimsOf = (beat: MemberBeat): string => Buffer.from(encodeBeat({ ...beat, beat: 0 })).toString('utf8');
