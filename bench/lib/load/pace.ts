/** Begins what is due so many milliseconds after the start. @returns whether more will be due */
export type Pace = (elapsedMs: number) => boolean;

/** @param dueMs when it was due, in milliseconds since the start */
type Begin = (index: number, dueMs: number) => void;

/** An open loop: `total` things at an even rate, the first at once. */
export function atRate(total: number, perSecond: number, begin: Begin): Pace {
  let next = 0;
  return (elapsedMs) => {
    const upTo = Math.min(total, Math.floor((elapsedMs * perSecond) / 1000) + 1);
    while (next < upTo) {
      next += 1;
      begin(next - 1, ((next - 1) * 1000) / perSecond);
    }
    return next < total;
  };
}

/** A closed loop: as many things as free connections allow, until there were `total` or the time is over. */
export function asConnectionsAllow(total: number, seconds: number, hasIdle: () => boolean, begin: Begin): Pace {
  let next = 0;
  return (elapsedMs) => {
    if (elapsedMs >= seconds * 1000) return false;
    while (next < total && hasIdle()) {
      next += 1;
      begin(next - 1, elapsedMs);
    }
    return next < total;
  };
}
