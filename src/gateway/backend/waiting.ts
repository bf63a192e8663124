import type { Cancel, Clock } from '../../../core/kernel/clock.ts';
import { failure } from '../../../core/kernel/errors.ts';
import type { AddressedReply, Reply } from '../../../core/vocabulary/commands/replies.ts';

/**
 * Requests that wait for their reply.
 *
 * Invariants
 * 1. Every request completes exactly once: with its reply, or with SERVICE_UNAVAILABLE at its time-out.
 * 2. A reply of an owner with an older epoch than the newest one seen is ignored: a newer owner has the partition.
 */
export interface Waiting {
  /** Waits for the reply to `requestId` until `untilMs` of the clock's monotonic time. */
  add(requestId: string, untilMs: number, resolve: (reply: Reply) => void): void;
  /** Completes a request with its reply. */
  complete(addressed: AddressedReply): void;
  /** Whether a request still waits. */
  has(requestId: string): boolean;
  /** Completes a request early with a failure. */
  fail(requestId: string, reply: Reply): void;
  readonly size: number;
  /** Completes all requests with SERVICE_UNAVAILABLE. */
  close(): void;
}

/** The maximum delay of a time-out: one timer checks all requests. */
const SWEEP_MS = 100;

export function createWaiting(clock: Clock, onTimeout: (count: number) => void): Waiting {
  const requests = new Map<string, { untilMs: number; resolve: (reply: Reply) => void }>();
  const epochs = new Map<number, number>();
  let cancel: Cancel | undefined;

  function take(requestId: string, reply: Reply): void {
    const request = requests.get(requestId);
    if (request === undefined) return;
    requests.delete(requestId);
    request.resolve(reply);
  }

  function sweep(): void {
    cancel = undefined;
    const nowMs = clock.monotonicMs();
    const late: string[] = [];
    for (const [requestId, { untilMs }] of requests) if (untilMs <= nowMs) late.push(requestId);
    for (const requestId of late) take(requestId, unanswered());
    if (late.length > 0) onTimeout(late.length);
    if (requests.size > 0) cancel = clock.timer(SWEEP_MS, sweep);
  }

  return {
    add(requestId, untilMs, resolve) {
      requests.set(requestId, { untilMs, resolve });
      cancel ??= clock.timer(SWEEP_MS, sweep);
    },
    complete({ requestId, epoch, partition, reply }) {
      const newest = epochs.get(partition) ?? 0;
      if (epoch < newest) return;
      if (epoch > newest) epochs.set(partition, epoch);
      take(requestId, reply);
    },
    has: (requestId) => requests.has(requestId),
    fail: take,
    get size() {
      return requests.size;
    },
    close() {
      cancel?.();
      for (const requestId of requests.keys()) take(requestId, unanswered());
    },
  };
}

const unanswered = (): Reply =>
  failure('SERVICE_UNAVAILABLE', 'No reply arrived in time. The write may or may not have taken effect.');
