import type { Adjustable } from '../../core/kernel/adjustable.ts';
import { FACTS_LIMITS } from './limits.ts';

export type LevelLimits = Adjustable<
  typeof FACTS_LIMITS,
  'factsReserveShare' | 'factsReserveBytes' | 'factsReserveMostShare' | 'factsTrimFromShare' | 'factsTrimToShare'
>;

/** What happens at which size of FACTS, in bytes, in rising order. */
export interface FactsLevels {
  /** A trim for room ends here. */
  trimTo: number;
  /** A trim for room begins here. */
  trimFrom: number;
  /** From here on commands are refused. The rest is the reserve: barriers, marks, snapshots and timers. */
  commands: number;
}

/** @param maxBytes the size of FACTS; without a bound the levels are `Infinity` */
export function factsLevels(maxBytes: number, limits: LevelLimits = FACTS_LIMITS): FactsLevels {
  if (maxBytes === Infinity) return { trimTo: Infinity, trimFrom: Infinity, commands: Infinity };
  const wanted = Math.max(maxBytes * limits.factsReserveShare, limits.factsReserveBytes);
  const commands = maxBytes - Math.min(wanted, maxBytes * limits.factsReserveMostShare);
  return { trimTo: commands * limits.factsTrimToShare, trimFrom: commands * limits.factsTrimFromShare, commands };
}

/** The smallest size of FACTS at which commands fit beside `sizeBytes`: the inverse of `commands` above. */
export function leastFactsBytes(sizeBytes: number, limits: LevelLimits = FACTS_LIMITS): number {
  const byReserve = Math.max(sizeBytes / (1 - limits.factsReserveShare), sizeBytes + limits.factsReserveBytes);
  return Math.floor(Math.min(byReserve, sizeBytes / (1 - limits.factsReserveMostShare))) + 1;
}
