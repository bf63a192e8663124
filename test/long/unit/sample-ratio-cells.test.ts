import { describe, expect, it } from 'vitest';
import { RATIO_ALPHA, ratioAtAnyTime, sampleRatioCells } from '../../../src/analysis/sample-ratio-cells.ts';
import { sampleRatio } from '../../../src/analysis/sample-ratio.ts';
import { seededRandom } from '../../../src/analysis/testing-samples.ts';

const DAYS = 28;

/** The players of one day by variant. */
function arrivals(random: () => number, players: number, shares: readonly number[]): number[] {
  const counts = shares.map(() => 0);
  for (let player = 0; player < players; player += 1) {
    let left = random();
    const place = shares.findIndex((share) => (left -= share) < 0);
    const at = place < 0 ? 0 : place;
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
}

interface Alarms {
  /** The first day with an alarm of any day so far, and of all players so far: always-valid and by χ². */
  byDay: number | undefined;
  anytime: number | undefined;
  chiSquare: number | undefined;
}

/** Looks at the end of each day. @param sharesOn the true shares on a day, from 1 */
function alarmsOf(
  random: () => number,
  players: number,
  weights: readonly number[],
  sharesOn: (day: number) => readonly number[],
): Alarms {
  const days: { players: number; weight: number }[][] = [];
  const total = weights.map((weight) => ({ players: 0, weight }));
  const found: Alarms = { byDay: undefined, anytime: undefined, chiSquare: undefined };
  for (let day = 1; day <= DAYS; day += 1) {
    const counts = arrivals(random, players, sharesOn(day));
    days.push(weights.map((weight, place) => ({ players: counts[place] ?? 0, weight })));
    for (const [place, cell] of total.entries()) cell.players += counts[place] ?? 0;
    if (sampleRatioCells(days).at(-1)?.mismatch === true) found.byDay ??= day;
    if (ratioAtAnyTime(total) < RATIO_ALPHA) found.anytime ??= day;
    if (sampleRatio(total).mismatch) found.chiSquare ??= day;
  }
  return found;
}

describe('sample ratios that are looked at every day for 28 days', { timeout: 1_800_000 }, () => {
  it.each([
    ['50 and 50', 400, [0.5, 0.5]],
    ['99 and 1', 60, [0.99, 0.01]],
    ['80, 10 and 10', 400, [0.8, 0.1, 0.1]],
  ] as const)('alarm in at most 1 percent of lives without a fault: %s', (what, players, shares) => {
    const random = seededRandom(players + shares.length);
    const lives = 4_000;
    const count = { byDay: 0, anytime: 0, chiSquare: 0 };
    for (let life = 0; life < lives; life += 1) {
      const found = alarmsOf(random, players, shares, () => shares);
      for (const key of ['byDay', 'anytime', 'chiSquare'] as const) if (found[key] !== undefined) count[key] += 1;
    }
    const percent = (of: number): string => `${((100 * of) / lives).toFixed(2)} %`;
    process.stdout.write(
      `${what}, ${players} a day: any day ${percent(count.byDay)}, all players at any time ${percent(count.anytime)}, ` +
        `χ² < 0.001 at any look ${percent(count.chiSquare)}\n`,
    );
    expect(count.byDay / lives).toBeLessThanOrEqual(RATIO_ALPHA);
    expect(count.anytime / lives).toBeLessThanOrEqual(RATIO_ALPHA);
  });

  it('find the day from which a client loses 20 percent of one variant, and a small loss in all players', () => {
    const random = seededRandom(77);
    const loses = (share: number): readonly number[] => [0.5 / (1 - share / 2), (0.5 * (1 - share)) / (1 - share / 2)];
    const lives = 200;
    const days = { large: [] as number[], small: [] as number[] };
    let before = 0;
    for (let life = 0; life < lives; life += 1) {
      const large = alarmsOf(random, 2_000, [1, 1], (day) => (day < 10 ? [0.5, 0.5] : loses(0.2)));
      if (large.byDay !== undefined && large.byDay < 10) before += 1;
      days.large.push(large.byDay ?? DAYS + 1);
      days.small.push(alarmsOf(random, 2_000, [1, 1], () => loses(0.04)).anytime ?? DAYS + 1);
    }
    const median = (all: readonly number[]): number => all.toSorted((one, other) => one - other)[lives / 2] ?? 0;
    process.stdout.write(
      `a loss of 20 % from day 10: median day ${median(days.large)}; of 4 %: ${median(days.small)}\n`,
    );
    expect(median(days.large)).toBeLessThanOrEqual(11);
    expect(median(days.small)).toBeLessThan(DAYS);
    expect(before / lives).toBeLessThanOrEqual(RATIO_ALPHA);
  });
});
