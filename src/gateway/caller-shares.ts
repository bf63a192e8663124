/**
 * How much each caller of one key used, over a sliding minute, and who is above a fair share.
 *
 * A client key ships inside a game, so all players share its limit. While the key has used less than half of its minute,
 * every caller is let through. Beyond that a caller is refused once it used more than `share × slack`, where `share` is the
 * limit divided by the callers of the minute and `slack = limit / (2 × used − limit)` falls from infinity at half of
 * the limit to 1 at the whole of it. So one caller alone may use the whole limit, ordinary callers do not meet the rule
 * below the limit, and one that floods stops at little over half of it as soon as others call.
 *
 * The minute is estimated from two fixed ones: `current + previous × (the part of it that is still inside)`.
 *
 * Invariants
 * 1. A caller enters only with a request that was let through, so a minute never holds more callers than the key's limit.
 * 2. Counts only grow within a fixed minute, and are gone after two.
 */
export interface CallerShares {
  /** Counts a request that was let through, or the penalty of one that was malformed. @param nowMs monotonic */
  add(caller: string, nowMs: number, weight: number): void;
  /**
   * Whether this caller is above its share, and for how many whole seconds at least.
   * @param used requests of the key in its minute, over all gateways
   * @returns 0: not above
   */
  waitSeconds(caller: string, nowMs: number, used: number, limit: number): number;
  /** Whether there was no call within the minute. */
  isIdle(nowMs: number): boolean;
}

const MINUTE_MS = 60_000;

export function createCallerShares(): CallerShares {
  let minute = -1;
  let current = new Map<string, number>();
  let previous = new Map<string, number>();
  let currentTotal = 0;
  let previousTotal = 0;
  /** Callers in both minutes. */
  let inBoth = 0;

  function advance(nowMs: number): void {
    const now = Math.floor(nowMs / MINUTE_MS);
    if (now === minute) return;
    const follows = now === minute + 1;
    previous = follows ? current : new Map();
    previousTotal = follows ? currentTotal : 0;
    current = new Map();
    currentTotal = 0;
    inBoth = 0;
    minute = now;
  }

  return {
    add(caller, nowMs, weight) {
      advance(nowMs);
      const before = current.get(caller);
      if (before === undefined && previous.has(caller)) inBoth += 1;
      current.set(caller, (before ?? 0) + weight);
      currentTotal += weight;
    },
    waitSeconds(caller, nowMs, used, limit) {
      if (used * 2 <= limit) return 0;
      advance(nowMs);
      const elapsed = (nowMs % MINUTE_MS) / MINUTE_MS;
      const own = current.get(caller) ?? 0;
      const before = previous.get(caller) ?? 0;
      const callers = current.size + previous.size - inBoth;
      // What other gateways let through is theirs to share out: this one shares out its own part of the limit.
      const here = Math.min(1, (currentTotal + previousTotal * (1 - elapsed)) / used);
      const share = (limit * here) / Math.max(1, callers);
      const allowed = Math.max(1, share * Math.max(1, limit / (2 * used - limit)));
      if (own + before * (1 - elapsed) < allowed) return 0;
      return Math.max(1, Math.ceil((MINUTE_MS / 1000) * (1 - elapsed + (own < allowed ? 0 : 1 - allowed / own))));
    },
    isIdle(nowMs) {
      advance(nowMs);
      return current.size === 0 && previous.size === 0;
    },
  };
}
