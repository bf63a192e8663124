import { expect, it } from 'vitest';
import { compareGames } from '../../analyst/compare-games.ts';

/* Every metric at every door, beside what the players of a game did; test/long has more games, players and days. */

const DAY_MS = 86_400_000;
/** Clocks change in São Paulo at midnight on 4 November: the day has no first hour. */
const FROM = Date.parse('2018-10-31') / DAY_MS;
const TO = Date.parse('2018-11-07') / DAY_MS;

it('all doors show what happened', { timeout: 240_000 }, async () => {
  const plan = { id: 'game', zone: 'America/Sao_Paulo', players: 40, fromDay: FROM, toDay: TO, seed: 30 };
  const tallies = await compareGames([plan]);
  for (const [door, { figures, differences }] of tallies) {
    expect(differences.slice(0, 9), `${door}: ${differences.length} differ`).toEqual([]);
    expect(figures, door).toBeGreaterThan(9);
  }
  expect(tallies.size).toBe(16);
});
