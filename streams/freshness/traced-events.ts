import type { Clock } from '../../core/kernel/clock.ts';
import type { Adjustable } from '../../core/kernel/adjustable.ts';
import { FRESHNESS_LIMITS } from './limits.ts';

/**
 * Follows real events through one output of a process: of each second the first one that the output reads. Nothing is
 * injected, so no figure of a game changes, and a silent game costs nothing.
 *
 * Times are those at which the broker stored an event, epoch milliseconds: it is accepted then.
 */
export interface TracedEvents {
  /** Whether an event of this time would be traced. Only then must the caller look whether a record has events. */
  wants(acceptedAtMs: number): boolean;
  /** The output read a record with accepted events. */
  read(sequence: number, acceptedAtMs: number): void;
  /** Everything up to this record has passed the output. */
  passed(sequence: number): void;
  /** An event has passed an output that handles events one by one. */
  arrived(acceptedAtMs: number): void;
}

export interface TracedEventsOptions {
  clock: Pick<Clock, 'wallMs' | 'monotonicMs'>;
  /** A traced event has passed. */
  onDelay: (delayMs: number) => void;
  /** The newest event that has passed; called when a newer one passes. */
  onNewest: (acceptedAtMs: number) => void;
  limits?: Adjustable<typeof FRESHNESS_LIMITS, 'freshnessEveryMs' | 'freshnessPending'>;
}

interface Passing {
  sequence: number;
  acceptedAtMs: number;
}

export function createTracedEvents(options: TracedEventsOptions): TracedEvents {
  const { clock, onDelay, onNewest, limits = FRESHNESS_LIMITS } = options;
  let pending: Passing[] = [];
  let lastRead: Passing | undefined;
  let newestMs = -Infinity;
  let tracedSecond = -Infinity;
  let tracedAtMs = -Infinity;

  const secondOf = (ms: number): number => Math.floor(ms / limits.freshnessEveryMs);

  /** An event of an earlier second (a retry, a clock that was set back) is traced at most once a second. */
  function wants(acceptedAtMs: number): boolean {
    const second = secondOf(acceptedAtMs);
    if (second === tracedSecond) return false;
    return second > tracedSecond || clock.monotonicMs() - tracedAtMs >= limits.freshnessEveryMs;
  }

  function trace(acceptedAtMs: number): void {
    tracedSecond = secondOf(acceptedAtMs);
    tracedAtMs = clock.monotonicMs();
  }

  function noteNewest(acceptedAtMs: number): void {
    if (acceptedAtMs <= newestMs) return;
    newestMs = acceptedAtMs;
    onNewest(acceptedAtMs);
  }

  /** Two machines' clocks may differ by more than an event takes. */
  const report = (acceptedAtMs: number): void => onDelay(Math.max(0, clock.wallMs() - acceptedAtMs));

  return {
    wants,
    read(sequence, acceptedAtMs) {
      lastRead = { sequence, acceptedAtMs };
      if (pending.length >= limits.freshnessPending || !wants(acceptedAtMs)) return;
      trace(acceptedAtMs);
      pending.push(lastRead);
    },
    passed(sequence) {
      if (lastRead !== undefined && lastRead.sequence <= sequence) noteNewest(lastRead.acceptedAtMs);
      if (pending.length === 0) return;
      for (const one of pending) if (one.sequence <= sequence) report(one.acceptedAtMs);
      pending = pending.filter((one) => one.sequence > sequence);
    },
    arrived(acceptedAtMs) {
      noteNewest(acceptedAtMs);
      if (!wants(acceptedAtMs)) return;
      trace(acceptedAtMs);
      report(acceptedAtMs);
    },
  };
}
