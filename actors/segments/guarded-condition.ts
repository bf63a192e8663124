import type { Condition } from '../decision/targeting.ts';
import { isMember } from '../conditions/segments/is-member.ts';

/** The condition of a segment whose own cannot be evaluated: no player enters or leaves. */
export function unchanging(segmentId: string): Condition {
  return {
    matches: (subject) => isMember(subject, segmentId),
    changesAt: () => undefined,
  };
}

/** A condition that throws would fail every write of its players; it is disabled instead. */
export function guardedCondition(condition: Condition, asIs: Condition, broken: (reason: object) => void): Condition {
  let trusted = condition;
  const distrust = (error: unknown): void => {
    trusted = asIs;
    broken({ err: error });
  };
  return {
    matches(subject) {
      try {
        return trusted.matches(subject);
      } catch (error) {
        distrust(error);
        return asIs.matches(subject);
      }
    },
    changesAt(player, nowMs) {
      try {
        return trusted.changesAt(player, nowMs);
      } catch (error) {
        distrust(error);
        return undefined;
      }
    },
  };
}
