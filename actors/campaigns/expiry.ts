import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import type { Campaign } from '../decision/targeting.ts';

/**
 * When an intervention that is created at `at` expires, epoch milliseconds. The quiet hours in which it is created, and
 * those in which it would expire, do not count: otherwise a short wait would end before anything can be delivered.
 */
export function expiryOf(campaign: Campaign, player: PlayerState, at: number): number {
  const begins = campaign.quiet(player, at)?.until ?? at;
  const expiresAt = begins + campaign.document.expiresAfterSeconds * 1_000;
  const night = campaign.quiet(player, expiresAt);
  return night === undefined ? expiresAt : night.until + expiresAt - Math.max(night.since, begins);
}
