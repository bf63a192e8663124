/**
 * Places for what runs at the same time, in total and of each holder.
 *
 * Invariant: no holder has more than its share, so a single one cannot take all places.
 */
export interface Shares {
  /**
   * @param holders who has the place: such as a game and a user
   * @returns the function that gives the place back; `share`: one of the holders has its share; `full`: all are taken
   */
  take(holders: readonly string[]): (() => void) | 'share' | 'full';
}

export function createShares({ places, ofHolder }: { places: number; ofHolder: number }): Shares {
  const held = new Map<string, number>();
  let taken = 0;

  function add(holder: string, change: number): void {
    const left = (held.get(holder) ?? 0) + change;
    if (left > 0) held.set(holder, left);
    else held.delete(holder);
  }

  return {
    take(holders) {
      if (holders.some((holder) => (held.get(holder) ?? 0) >= ofHolder)) return 'share';
      if (taken >= places) return 'full';
      taken += 1;
      for (const holder of holders) add(holder, 1);
      let isGiven = false;
      return () => {
        if (isGiven) return;
        isGiven = true;
        taken -= 1;
        for (const holder of holders) add(holder, -1);
      };
    },
  };
}
