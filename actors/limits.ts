/** Bounds of the work on one player that no single domain owns. */
export const ACTOR_LIMITS = {
  /** Timers of one player that fire in one record, after an owner was away for long. */
  dueSteps: 32,
} as const;
