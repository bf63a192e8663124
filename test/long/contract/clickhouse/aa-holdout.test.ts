import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHoldoutTest } from '../../../../actors/flags/experiment/shares.ts';
import { type Analytics, createAnalytics } from '../../../../clickhouse-schema/queries/analytics.ts';
import { systemClock } from '../../../../core/kernel/clock.ts';
import { fixedPValue } from '../../../../src/analysis/comparison.ts';
import { compare } from '../../../../src/analysis/pooled.ts';
import { sampleOf, seededRandom } from '../../../../src/analysis/testing-samples.ts';
import { metricSamples } from '../../../../src/api/flags/results/variant-samples.ts';
import { silentLogger } from '../../../support/in-memory/silent-logger.ts';
import { insertRows, type TestClickhouse } from '../../../support/servers/clickhouse.ts';
import { startWithTables } from '../../../support/wire/made-tables.ts';

/*
 * Games in which no experiment changes anything. Three experiments run; the holdout grows from 10 % to 30 % when the
 * veterans have come, who buy three times as often as newcomers. Each life is a game of its own in ClickHouse.
 */

const LIVES = 600;
const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 0, 1);
const CHANGED = START + 240 * HOUR_MS;
const END = CHANGED + 240 * HOUR_MS;
const EXPERIMENTS = ['wide', 'deep', 'tall'];

let clickhouse: TestClickhouse;
let analytics: Analytics;
beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
});
afterAll(async () => {
  await analytics.close();
  await clickhouse.close();
});

const insert = (table: string, rows: readonly object[]): Promise<void> => insertRows(clickhouse, table, rows);

/** A life: 150 veterans, who also meet the later experiments, and 350 newcomers. */
function life(number: number, random: () => number) {
  const isHeld = createHoldoutTest();
  const salt = `salt-${number}`;
  const game = `g${number}`;
  const heldBy = (id: string, at: number): boolean => isHeld({ percentage: at < CHANGED ? 10 : 30, salt }, id);
  return Array.from({ length: 500 }, (_, n) => {
    const id = `00000000-0000-5000-8000-${String(number * 1_000 + n).padStart(12, '0')}`;
    const isVeteran = n < 150;
    const first = isVeteran
      ? START + random() * (CHANGED - START)
      : CHANGED + HOUR_MS + random() * (END - CHANGED - 50 * HOUR_MS);
    const met = EXPERIMENTS.flatMap((experiment, place) => {
      const at = Math.floor(place === 0 ? first : Math.max(first, CHANGED + HOUR_MS) + random() * 40 * HOUR_MS);
      if (place > 0 && random() < 0.5) return [];
      return [{ experiment, at, variant: heldBy(id, at) ? 'holdout' : 'ab'.charAt(Math.floor(2 * random())) }];
    });
    const bought = random() < (isVeteran ? 0.6 : 0.2) ? [CHANGED + 95 * HOUR_MS + random() * 140 * HOUR_MS] : [];
    return { game, id, met, bought: bought.map(Math.floor) };
  });
}

it('of nothing changed are significant in 5 %, though veterans were held out by another setting', async () => {
  const random = seededRandom(31);
  let [significant, naive, known, sequence] = [0, 0, 0, 0];
  for (let from = 0; from < LIVES; from += 100) {
    const lives = Array.from({ length: 100 }, (_, n) => life(from + n, random));
    const players = lives.flat();
    await insert(
      'flag_exposures',
      players.flatMap(({ game, id, met }) =>
        met.map(({ experiment, at, variant }) => ({
          game_id: game,
          flag_key: `flag_${experiment}`,
          flag_version: 1,
          experiment,
          period: 1,
          variant_key: variant,
          value: '"x"',
          reason: 'percentage_rollout',
          stratum: variant === 'holdout' ? 0 : 10_000,
          attribution: 'served',
          player_id: id,
          received_at: at,
          facts_sequence: (sequence += 1),
        })),
      ),
    );
    await insert(
      'events',
      players.flatMap(({ game, id, bought }) =>
        bought.map((at) => ({
          game_id: game,
          event_id: `e-${(sequence += 1)}`,
          event_name: 'bought',
          player_id: id,
          timestamp: at,
          received_at: at,
          facts_sequence: sequence,
        })),
      ),
    );
    for (const [place, own] of lives.entries()) {
      const result = await analytics.holdout({
        game: `g${from + place}`,
        environment: 'live',
        zone: 'UTC',
        flags: EXPERIMENTS.map((name) => `flag_${name}`),
        metric: 'bought',
        aggregate: { kind: 'conversion' },
        periodMs: CHANGED,
        sinceMs: CHANGED,
        untilMs: END + 240 * HOUR_MS,
        exposedBeforeMs: undefined,
        windowDays: 28,
      });
      if (result.kind === 'unavailable') throw new Error('ClickHouse did not answer');
      const arms = [
        { variantKey: 'holdout', weight: 30 },
        { variantKey: 'rest', weight: 70 },
      ];
      const [held, rest] = metricSamples(result.value, arms).samples;
      if (held === undefined || rest === undefined) throw new Error('both are there');
      const compared = compare(held, rest);
      if (typeof compared !== 'string') {
        known += 1;
        significant += Number(fixedPValue(compared) < 0.05);
      }
      const [all, others] = [true, false].map((isHeld) =>
        sampleOf(
          own.filter(({ met }) => (met[0]?.variant === 'holdout') === isHeld).map(({ bought }) => bought.length),
        ),
      );
      if (all === undefined || others === undefined) continue;
      const mixed = compare(all, others);
      naive += Number(typeof mixed !== 'string' && fixedPValue(mixed) < 0.05);
    }
  }
  // Three standard deviations of 600 lives are 2.7 %.
  const [share, mixedShare] = [significant / known, naive / LIVES];
  expect(known).toBeGreaterThan(0.99 * LIVES);
  expect(Math.abs(share - 0.05), `${share}`).toBeLessThan(0.027);
  // Each player by what it met first would be wrong.
  expect(mixedShare, `${mixedShare}`).toBeGreaterThan(0.2);
}, 600_000);
