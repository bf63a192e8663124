/** The delays of the last minutes, in a ring of a fixed size: the oldest make room. */
export interface DelayWindow {
  /** @param atMs when it was measured, by the clock of `figures` */
  add(atMs: number, delayMs: number): void;
  figures(nowMs: number): DelayFigures;
}

/** Nearest-rank percentiles. null: no delay is in the window. */
export interface DelayFigures {
  samples: number;
  p50Ms: number | null;
  p99Ms: number | null;
}

export function createDelayWindow({ windowMs, capacity }: { windowMs: number; capacity: number }): DelayWindow {
  const times = new Float64Array(capacity).fill(-Infinity);
  const delays = new Float64Array(capacity);
  let next = 0;
  return {
    add(atMs, delayMs) {
      times[next] = atMs;
      delays[next] = delayMs;
      next = (next + 1) % capacity;
    },
    figures(nowMs) {
      // A window whose clock was set back holds times of the future: they count until they are replaced.
      const found = delays.filter((_, place) => (times[place] ?? -Infinity) > nowMs - windowMs).sort();
      const rank = (share: number): number | null => found[Math.max(0, Math.ceil(share * found.length) - 1)] ?? null;
      return { samples: found.length, p50Ms: rank(0.5), p99Ms: rank(0.99) };
    },
  };
}
