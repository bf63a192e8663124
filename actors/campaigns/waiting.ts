import type { Limits } from '../../core/kernel/limits.ts';
import type { PendingIntervention } from '../../core/vocabulary/state/player.ts';

/** Whether the intervention may still be delivered at `at`, epoch milliseconds; otherwise it can only be clicked. */
export function isWaiting(
  { expiresAt, shownAt, offers }: PendingIntervention,
  at: number,
  { interventionOffers }: Pick<Limits, 'interventionOffers'>,
): boolean {
  return expiresAt > at && shownAt === 0 && offers < interventionOffers;
}
