/**
 * The requests of each caller of one key in a sliding minute, and the callers above a fair share.
 *
 * A client key ships inside a game, so all players share its limit. While the key has used less than half of its limit,
 * every request is allowed. Beyond that a caller is refused after more than `share × slack` requests: `share` is the
 * limit divided by the callers of the minute, and `slack = limit / (2 × used − limit)` falls from infinity at half of
 * the limit to 1 at the limit. So a single caller may use the whole limit, ordinary callers are not refused below the
 * limit, and a flooding caller gets little more than half of it once others call.
 *
 * The sliding minute is estimated from two fixed minutes: `current + previous × (its part in the sliding minute)`.
 *
 * Invariants
 * 1. Only allowed requests add a caller, so a minute never has more callers than the key's limit.
 * 2. Counts only grow within a fixed minute and are dropped after two minutes.
 */
export interface CallerShares {
  /** Counts an allowed request, or the penalty for a malformed one. @param nowMs monotonic */
  add(caller: string, nowMs: number, weight: number): void;
  /**
   * The seconds for which this caller stays above its share, rounded up.
   * @param used requests of the key in the minute, over all gateways
   * @returns 0 if the caller is not above its share
   */
  waitSeconds(caller: string, nowMs: number, used: number, limit: number): number;
  /** Whether both minutes are empty. */
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
      // Each gateway distributes only the part of the limit that it used itself.
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
