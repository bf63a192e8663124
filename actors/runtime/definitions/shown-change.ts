import type { EntityState } from '../../../core/vocabulary/state/state.ts';

/**
 * Whether a field changed that analysts read within `snapshotIntervalMs`: all of a player's row but its attributes and
 * the time of its last activity, which change with most requests of a game.
 */
export function showsChange(before: EntityState | undefined, after: EntityState): boolean {
  if (after.kind !== 'player' || before?.kind !== 'player') return before?.kind !== after.kind;
  return (
    after.lifecycleStage !== before.lifecycleStage ||
    after.sessionCount !== before.sessionCount ||
    after.totalPlaytimeSeconds !== before.totalPlaytimeSeconds ||
    after.purchaseCount !== before.purchaseCount ||
    after.totalRevenue !== before.totalRevenue ||
    after.deviceId !== before.deviceId ||
    after.email !== before.email
  );
}
