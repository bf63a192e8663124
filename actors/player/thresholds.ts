import type { LifecycleThresholds } from '../../core/vocabulary/documents/game.ts';

/** The thresholds of a game without settings of its own. */
export const DEFAULT_THRESHOLDS: LifecycleThresholds = {
  newDays: 1,
  atRiskDays: 7,
  churnedDays: 30,
  reactivatedSessions: 3,
};
