import { expect, it } from 'vitest';
import { compareGames } from '../../../analyst/compare-games.ts';

/* As test/contract/clickhouse/analyst.test.ts, for more players, days and zones. */

const DAY_MS = 86_400_000;
/** Clocks change in Berlin on 28 October, in New York and at midnight in São Paulo on 4 November. */
const FROM = Date.parse('2018-10-08') / DAY_MS;
const TO = Date.parse('2018-11-19') / DAY_MS;

it('all doors of large games show what happened', { timeout: 1_800_000 }, async () => {
  const zones = ['UTC', 'Europe/Berlin', 'America/Sao_Paulo', 'America/New_York'];
  const plans = zones.map((zone, n) => ({ id: `game-${n}`, zone, players: 100, fromDay: FROM, toDay: TO, seed: 31 }));
  const tallies = await compareGames(plans);
  const wrong = [...tallies].map(([door, { differences }]) => [door, differences.length, differences.slice(0, 5)]);
  expect(wrong.filter(([, count]) => count !== 0)).toEqual([]);
  expect(tallies.size).toBe(16);
});
