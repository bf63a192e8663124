/** Bounds how many replays read from the log at once; the others wait in order. */
export interface ReplaySlots {
  /** Calls `start` (never synchronously) when there is a place. The returned function leaves the place or the queue. */
  enter(start: () => void): () => void;
}

export function createReplaySlots(limit: number): ReplaySlots {
  const waiting = new Set<() => void>();
  const running = new Set<() => void>();

  function admit(): void {
    for (const start of waiting) {
      if (running.size >= limit) return;
      waiting.delete(start);
      running.add(start);
      queueMicrotask(() => {
        if (running.has(start)) start();
      });
    }
  }

  return {
    enter(start) {
      // A place of its own, even when the same function enters twice.
      const place = () => start();
      waiting.add(place);
      admit();
      return () => {
        waiting.delete(place);
        running.delete(place);
        admit();
      };
    },
  };
}
