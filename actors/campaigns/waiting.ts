import type { Adjustable } from '../../core/kernel/adjustable.ts';
import type { PLAYER_LIMITS } from '../decision/limits.ts';
import type { PendingIntervention } from '../../core/vocabulary/state/player.ts';

/** Whether the intervention may still be delivered at `at`, epoch milliseconds; otherwise it can only be clicked. */
export function isWaiting(
  { expiresAt, shownAt, offers }: PendingIntervention,
  at: number,
  { interventionOffers }: Adjustable<typeof PLAYER_LIMITS, 'interventionOffers'>,
): boolean {
  return expiresAt > at && shownAt === 0 && offers < interventionOffers;
}
