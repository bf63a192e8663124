import { expect, it } from 'vitest';
import { ALL_DOORS, BY_TIME, compareGames } from '../../analyst/compare-games.ts';

/* Every metric at every door, beside what players of two time zones did: the story is told in test/analyst. */

const DAY_MS = 86_400_000;
/** Clocks change in Berlin on 28 October, and at midnight in São Paulo on 4 November. */
const FROM = Date.parse('2018-10-24') / DAY_MS;
const TO = Date.parse('2018-11-07') / DAY_MS;

it('all doors show what happened', { timeout: 240_000 }, async () => {
  const zones = ['Europe/Berlin', 'America/Sao_Paulo'];
  const plans = zones.map((zone, n) => ({ id: `game-${n}`, zone, players: 40, fromDay: FROM, toDay: TO, seed: 30 }));
  const tallies = await compareGames(plans, ({ zone }) => (zone === 'America/Sao_Paulo' ? ALL_DOORS : BY_TIME));
  for (const [door, { figures, differences }] of tallies) {
    expect(differences.slice(0, 9), `${door}: ${differences.length} differ`).toEqual([]);
    expect(figures, door).toBeGreaterThan(20);
  }
  expect(tallies.size).toBe(16);
});
