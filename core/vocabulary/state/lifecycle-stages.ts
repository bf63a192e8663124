/** Lifecycle stages of a player, by number in states. Never reorder: append. */
export const LIFECYCLE_STAGES = ['new', 'active', 'at_risk', 'churned', 'reactivated'] as const;
export type LifecycleStage = (typeof LIFECYCLE_STAGES)[number];
