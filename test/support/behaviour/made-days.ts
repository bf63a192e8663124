import { madeHistory, type PastEvent, playerId } from './histories.ts';

/* Histories of months, and the rows of `player_days` that the builder makes of them. */

const DAY_MS = 86_400_000;

/** Events of 36 players who begin in three months. */
export function longHistory(seed: number, fromMs: number): PastEvent[] {
  return [0, 100, 200].flatMap((first) =>
    madeHistory(seed + first, fromMs + first * 0.2 * DAY_MS, 110 * DAY_MS).map((event) => ({
      ...event,
      player: event.player + first,
      sequence: event.sequence + first * 1_000,
    })),
  );
}

/**
 * The days of a player by its events, as far as questions about behaviour read them.
 * @param seenBefore the date on which the player was first seen, if that was before all of its events
 */
export function daysOf(game: string, zone: string, events: readonly PastEvent[], seenBefore?: string | null) {
  const dateOf = (ms: number) => new Date(ms).toLocaleDateString('sv', { timeZone: zone });
  const days = [...new Set(events.map(({ happenedMs }) => dateOf(happenedMs)))];
  const named = events.filter(({ happenedMs, country }) => dateOf(happenedMs) === days[0] && country !== '');
  return days.map((day, place) => ({
    game_id: game,
    environment: 'live',
    player_id: playerId(events[0]?.player ?? 0),
    day,
    cohort_day: seenBefore ?? days[0],
    first_day: days[0],
    previous_day: days[place - 1] ?? null,
    cohort_country: named.at(-1)?.country ?? '',
    version: 1,
  }));
}
