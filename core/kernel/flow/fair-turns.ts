/**
 * Turns for costly work that every caller can ask for: a few at once, the lanes one after another.
 *
 * Invariants
 * 1. A lane waits for at most one piece of work of every other lane that came before.
 * 2. The waiting work is bounded. At the bound the longest lane loses its newest, so a lane that asks for little gets
 *    in.
 */
interface FairTurns {
  /** @returns `busy`: there was no place for it, so it did not run */
  take<T>(lane: string, work: () => Promise<T>): Promise<T | 'busy'>;
}

interface FairTurnsOptions {
  atOnce: number;
  /** Pieces that wait in all, and in one lane. */
  waiting: number;
  waitingOfLane: number;
}

type Turn = 'go' | 'busy';

export function createFairTurns({ atOnce, waiting, waitingOfLane }: FairTurnsOptions): FairTurns {
  /** In the order of their next turns. */
  const lanes = new Map<string, ((turn: Turn) => void)[]>();
  let running = 0;
  let queued = 0;

  function longest(): string {
    let found = '';
    for (const [lane, queue] of lanes) if (queue.length > (lanes.get(found)?.length ?? 0)) found = lane;
    return found;
  }

  function turnOf(lane: string): Promise<Turn> | Turn {
    if (running < atOnce) {
      running += 1;
      return 'go';
    }
    const own = lanes.get(lane) ?? [];
    if (own.length >= waitingOfLane) return 'busy';
    if (queued >= waiting) {
      const victim = lanes.get(longest());
      if (victim === undefined || victim.length <= own.length + 1) return 'busy';
      victim.pop()?.('busy');
      queued -= 1;
    }
    queued += 1;
    lanes.set(lane, own);
    return new Promise((resolve) => void own.push(resolve));
  }

  function passOn(): void {
    const [next] = lanes;
    if (next === undefined) {
      running -= 1;
      return;
    }
    const [lane, queue] = next;
    const first = queue.shift();
    queued -= 1;
    lanes.delete(lane);
    if (queue.length > 0) lanes.set(lane, queue);
    first?.('go');
  }

  return {
    async take(lane, work) {
      if ((await turnOf(lane)) === 'busy') return 'busy';
      try {
        return await work();
      } finally {
        passOn();
      }
    },
  };
}
