import type { Behaviour } from './receiver.ts';
import { times } from '../../figures/statistics.ts';

/** A webhook of the phase with sick webhooks. */
export interface SickWebhook {
  /** Its number over all games. */
  place: number;
  game: number;
  /** It takes its game's events of this shard. */
  shard: number;
  behaviour: Behaviour;
}

/** As many as one game may have. */
export const WEBHOOKS_PER_GAME = 100;
/** Of ten webhooks one hangs, one answers 500 and one drips a byte a second. */
const TEN: readonly Behaviour[] = [
  'well',
  'well',
  'hanging',
  'well',
  'well',
  'failing',
  'well',
  'well',
  'dripping',
  'well',
];
/** Each event goes to the webhooks of one shard only, so that deliveries come evenly and not a hundred at once. */
export const SHARDS = 5;

/** All webhooks of so many games. Every shard has the same mixture. */
export function sickWebhooks(games: number): SickWebhook[] {
  return times(games * WEBHOOKS_PER_GAME, (place) => ({
    place,
    game: Math.floor(place / WEBHOOKS_PER_GAME),
    shard: Math.floor(place / TEN.length) % SHARDS,
    behaviour: TEN[place % TEN.length] ?? 'well',
  }));
}
