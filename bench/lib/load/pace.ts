/** Begins what is due so many milliseconds after the start. @returns whether more will be due */
export type Pace = (elapsedMs: number) => boolean;

/**
 * `total` things at an even rate, the first at once.
 * @param begin gets the number of each, and when it was due, in milliseconds since the start
 */
export function atRate(total: number, perSecond: number, begin: (index: number, dueMs: number) => void): Pace {
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

/** As many things as idle connections allow, for so long. */
export function asConnectionsAllow(
  seconds: number,
  hasIdle: () => boolean,
  begin: (index: number, dueMs: number) => void,
): Pace {
  let next = 0;
  return (elapsedMs) => {
    if (elapsedMs >= seconds * 1000) return false;
    while (hasIdle()) {
      next += 1;
      begin(next - 1, elapsedMs);
    }
    return true;
  };
}
