import type { Cancel, Clock } from '../../src/kernel/clock.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { Bucket, BucketEntry } from '../../streams/log/log.ts';
import { decodeBeat, encodeBeat, FORMAT, type MemberBeat } from './member-beat.ts';

/**
 * Which processes run actors now, and which of them should own a partition. Every member writes a beat to OWNERS
 * `member.<node>`. A member whose beat has not changed for lease + margin, by the watcher's clock, is gone. Rendezvous
 * hashing assigns partitions: a joining or leaving member moves only its own share. Safety does not depend on this: if
 * two members disagree, the lease and the fence decide.
 */
export interface Membership {
  /** Whether this node should own the partition, according to the members it has seen. */
  owns(partition: number): boolean;
  /**
   * The lowest `format` in the beats of all members that are alive, this one included: what every owner can read. 0
   * until the current members have been read.
   */
  lowestFormat(): number;
  /** Removes this member, so that others need not wait for its beat to expire. */
  leave(): Promise<void>;
}

export interface MembershipOptions {
  bucket: Bucket;
  /** This node's name; lower-case letters, digits and dashes. */
  node: string;
  clock: Clock;
  /** Called when the members have changed. */
  onChange: () => void;
}

const PREFIX = 'member.';

export function joinMembers({ bucket, node, clock, onChange }: MembershipOptions): Membership {
  /** By node: its last beat, and when that was seen, by our own monotonic clock. */
  const others = new Map<string, { beat: MemberBeat; seenMs: number }>();
  let alive: readonly string[] = [node];
  let beat = 0;
  let left = false;
  let current = false;
  let cancel: Cancel = () => {};

  function onEntry(entry: BucketEntry): void {
    if (!entry.key.startsWith(PREFIX)) return;
    const name = entry.key.slice(PREFIX.length);
    if (name === node) return;
    if (entry.value === undefined) others.delete(name);
    else others.set(name, { beat: decodeBeat(entry.value), seenMs: clock.monotonicMs() });
    review();
  }

  function review(): void {
    const oldestMs = clock.monotonicMs() - LIMITS.leaseMs - LIMITS.leaseMarginMs;
    for (const [name, { seenMs }] of others) if (seenMs < oldestMs) others.delete(name);
    const now = [node, ...others.keys()].sort();
    if (now.join() === alive.join()) return;
    alive = now;
    onChange();
  }

  async function step(): Promise<void> {
    beat += 1;
    try {
      await bucket.put(PREFIX + node, encodeBeat({ beat, format: FORMAT, ready: 'all', refuses: new Set() }));
    } catch {
      // The broker cannot be reached. If that lasts, other members regard this one as gone.
    }
    if (left) return;
    review();
    cancel = clock.timer(LIMITS.leaseRenewMs, () => void step());
  }

  const stopWatching = bucket.watch({ onEntry, onCurrent: () => (current = true) });
  cancel = clock.timer(0, () => void step());
  return {
    owns: (partition) => winner(alive, partition) === node,
    lowestFormat() {
      if (!current) return 0;
      return [...others.values()].reduce((lowest, { beat: { format } }) => Math.min(lowest, format), FORMAT);
    },
    async leave() {
      left = true;
      cancel();
      stopWatching();
      try {
        await bucket.delete(PREFIX + node);
      } catch {
        // The beat expires instead.
      }
    },
  };
}

/** Rendezvous hashing: the member with the highest hash of (member, partition). */
function winner(members: readonly string[], partition: number): string | undefined {
  let best: { member: string; score: number } | undefined;
  for (const member of members) {
    const score = hash(`${member}/${partition}`);
    if (best === undefined || score > best.score) best = { member, score };
  }
  return best?.member;
}

/** FNV-1a with the final avalanche of MurmurHash3, so that similar names get unrelated scores. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
