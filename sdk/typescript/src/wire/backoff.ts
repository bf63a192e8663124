/** When to try again. A rate limit is no failed try; every other failure doubles the wait. */
export interface Backoff {
  /** Whether a request may be sent at this time. @param isUrgent the caller asked for it: only a rate limit holds */
  allows(nowMs: number, isUrgent: boolean): boolean;
  /** When the next request may be sent. */
  readonly untilMs: number;
  succeeded(): void;
  failed(nowMs: number, atLeastMs?: number): void;
  /** Waits long although only one try failed: nothing will change soon. */
  refused(nowMs: number): void;
  limited(nowMs: number, retryAfterMs: number | undefined): void;
}

const FIRST_MS = 1000;
/** An outage that is over must not keep players away for long. */
const LONGEST_MS = 60_000;
/** A refused key is not mended in a minute. */
const REFUSED_MS = 300_000;
/** A rate limit without a Retry-After: half of the minute over which the service counts. */
const LIMITED_MS = 30_000;

/** @param firstMs the wait after the first failure */
export function createBackoff(random: () => number, firstMs = FIRST_MS): Backoff {
  let tries = 0;
  let untilMs = -Infinity;
  let limitedUntilMs = -Infinity;
  // Half fixed and half random, so that clients that failed together do not return together.
  const spread = (ms: number) => ms / 2 + (random() * ms) / 2;

  return {
    get untilMs() {
      return Math.max(untilMs, limitedUntilMs);
    },
    allows: (nowMs, isUrgent) => nowMs >= limitedUntilMs && (isUrgent || nowMs >= untilMs),
    succeeded() {
      tries = 0;
      untilMs = -Infinity;
    },
    failed(nowMs, atLeastMs = 0) {
      untilMs = nowMs + Math.max(spread(Math.min(firstMs * 2 ** tries, LONGEST_MS)), atLeastMs);
      tries = Math.min(tries + 1, 20);
    },
    refused(nowMs) {
      untilMs = nowMs + spread(REFUSED_MS);
    },
    limited(nowMs, retryAfterMs = LIMITED_MS) {
      // Never before the service allows it, and not all at once after it.
      limitedUntilMs = nowMs + retryAfterMs * (1 + random() / 10);
    },
  };
}
