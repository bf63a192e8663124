import type { Clock } from '../../../core/kernel/clock.ts';

/**
 * Streams whose appends get no answer although the connection is up. nats-server stays in this state after it could not
 * write a stream's file, e.g. on a full disk, also when the disk has space again: it must be started again (tried on
 * 2.15.1).
 */
export interface Unanswered {
  /** An append got an answer of any kind, or none because the connection ended. */
  answered(subject: string): void;
  /** An append sent at `sentMs` (monotonic) got no answer in time. One that waited less than a second is no sign. */
  timedOut(subject: string, sentMs: number): void;
  /** The connection ended: a broker that comes back may store again. */
  forget(): void;
  /** Streams with at least two appends in a row without an answer, and for how long, in milliseconds. */
  streams(): ReadonlyMap<string, number>;
}

interface Silence {
  sinceMs: number;
  lastMs: number;
  count: number;
}

/** A batch near its deadline waits only milliseconds for its append. */
const LEAST_WAIT_MS = 1_000;
/** After this time without another append a silence no longer counts: it may have ended. */
const STALE_MS = 10_000;

export function createUnanswered(clock: Pick<Clock, 'monotonicMs'>): Unanswered {
  const silences = new Map<string, Silence>();
  return {
    answered(subject) {
      if (silences.size > 0) silences.delete(streamOf(subject));
    },
    timedOut(subject, sentMs) {
      const stream = streamOf(subject);
      const known = silences.get(stream);
      const lastMs = clock.monotonicMs();
      if (lastMs - sentMs < LEAST_WAIT_MS) return;
      const continues = known !== undefined && lastMs - known.lastMs < STALE_MS;
      silences.set(
        stream,
        continues ? { sinceMs: known.sinceMs, lastMs, count: known.count + 1 } : { sinceMs: sentMs, lastMs, count: 1 },
      );
    },
    forget: () => silences.clear(),
    streams() {
      const nowMs = clock.monotonicMs();
      const found = new Map<string, number>();
      for (const [stream, { sinceMs, lastMs, count }] of silences) {
        if (count > 1 && nowMs - lastMs < STALE_MS) found.set(stream, nowMs - sinceMs);
      }
      return found;
    },
  };
}

/** Named by the first token of its subjects, a bucket by its name. */
function streamOf(subject: string): string {
  const [first = '', second = ''] = subject.split('.', 2);
  return first === '$KV' ? second : first.toUpperCase();
}
