/** When a player's stage changes. Whole days, at least 1, so that nothing changes by time within a day of what began it. */
export interface LifecycleThresholds {
  /** Days after its first a player counts as new, unless it opens a second session before. */
  newDays: number;
  /** Days without activity after which a player is at risk. */
  atRiskDays: number;
  /** Days without activity after which it has churned; more than `atRiskDays`. */
  churnedDays: number;
  /** Sessions after the return that make a reactivated player active. */
  reactivatedSessions: number;
}

export const DEFAULT_THRESHOLDS: LifecycleThresholds = {
  newDays: 1,
  atRiskDays: 7,
  churnedDays: 30,
  reactivatedSessions: 3,
};
