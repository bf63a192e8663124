/**
 * When things are due. Told the milliseconds since the begin, it begins what is due by then.
 * @returns whether there will be more
 */
export type Pace = (elapsedMs: number) => boolean;

/**
 * `total` things at an even rate, the first at once.
 * @param begin told the number of each, and when it was due, in milliseconds since the begin
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

/** As many things as there is room for, for so long. */
export function asRoomIs(seconds: number, hasRoom: () => boolean, begin: (index: number, dueMs: number) => void): Pace {
  let next = 0;
  return (elapsedMs) => {
    if (elapsedMs >= seconds * 1000) return false;
    while (hasRoom()) {
      next += 1;
      begin(next - 1, elapsedMs);
    }
    return true;
  };
}
