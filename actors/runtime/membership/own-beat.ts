import type { Clock } from '../../../core/kernel/clock.ts';
import type { Bucket } from '../../../streams/log/log.ts';
import { encodeBeat } from './member-beat.ts';

/** What this member claims in its beat. A change is written soon, with others of the same turn of the event loop. */
export interface OwnBeat {
  /** Reports whether this node could lead the partition at once. */
  setReady(partition: number, ready: boolean): void;
  /** Refuses a partition, for a reason that operators read; `undefined` ends the refusal. */
  setRefused(partition: number, reason: string | undefined): void;
  /** Refuses all partitions, because this node's clock is wrong. */
  setClockWrong(reason: string | undefined): void;
  accepts(partition: number): boolean;
  /** Whether this node's clock is wrong. */
  readonly refusesAll: boolean;
  write(): void;
  /** Removes the beat. */
  leave(): Promise<void>;
}

export function createOwnBeat(bucket: Bucket, key: string, clock: Clock): OwnBeat {
  const ready = new Set<number>();
  const refused = new Map<number, string>();
  let clockWrong: string | undefined;
  let beats = 0;
  let left = false;
  let beatScheduled = false;

  function write(): void {
    beats += 1;
    const reason = clockWrong ?? [...refused.values()][0];
    const beat = encodeBeat({
      beat: beats,
      ready,
      refuses: clockWrong === undefined ? new Set(refused.keys()) : 'all',
      ...(reason === undefined ? {} : { reason }),
    });
    // If the broker cannot be reached and that lasts, other members regard this one as gone.
    bucket.put(key, beat).catch(() => {});
  }

  function writeSoon(): void {
    if (beatScheduled || left) return;
    beatScheduled = true;
    clock.timer(0, () => {
      beatScheduled = false;
      if (!left) write();
    });
  }

  return {
    setReady(partition, isReady) {
      if (ready.has(partition) === isReady) return;
      if (isReady) ready.add(partition);
      else ready.delete(partition);
      writeSoon();
    },
    setRefused(partition, reason) {
      if (refused.get(partition) === reason) return;
      if (reason === undefined) refused.delete(partition);
      else refused.set(partition, reason);
      writeSoon();
    },
    setClockWrong(reason) {
      if ((clockWrong === undefined) === (reason === undefined)) return;
      clockWrong = reason;
      writeSoon();
    },
    accepts: (partition) => clockWrong === undefined && !refused.has(partition),
    get refusesAll() {
      return clockWrong !== undefined;
    },
    write,
    async leave() {
      left = true;
      try {
        await bucket.delete(key);
      } catch {
        // The beat expires instead.
      }
    },
  };
}
