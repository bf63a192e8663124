import { describe, expect, it } from 'vitest';
import type { Sample } from '../../../src/analysis/comparison.ts';
import { guardrailVerdict } from '../../../src/analysis/guardrail.ts';
import { seededRandom } from '../../../src/analysis/testing-samples.ts';
import { createMoments } from '../../experiments/moments.ts';
import { drawSpend } from '../../experiments/skewed-spend.ts';

const RULE = { worse: 'lower', margin: 0, alpha: 0.05 } as const;
const DAYS = 28;

/** The days of one experiment: what the guardrail says at the end of each, until it calls the variant harmful. */
function harmfulDay(draws: readonly [() => number, () => number], playersADay: number): number | undefined {
  const arms = [createMoments(), createMoments()] as const;
  for (let day = 1; day <= DAYS; day += 1) {
    for (const [place, arm] of arms.entries()) {
      for (let player = 0; player < playersADay; player += 1) arm.add(draws[place]?.() ?? 0);
    }
    const [control, variant]: [Sample, Sample] = [arms[0].sample(), arms[1].sample()];
    if (guardrailVerdict({ control, variant, ...RULE }).verdict === 'harmful') return day;
  }
  return undefined;
}

describe('guardrails that are looked at every day for 28 days', { timeout: 1_800_000 }, () => {
  const LIVES = 1_000;

  // The worst that is still no harm: a variant exactly at the margin.
  it.each([
    ['conversion of 5 percent', 200, 51],
    ['revenue of 10 percent payers', 200, 52],
    ['revenue of 3 percent payers', 1_000, 53],
  ] as const)(`call at most 5 percent of ${LIVES} variants without an effect harmful, by %s`, (what, players, seed) => {
    const random = seededRandom(seed);
    const conversion = () => (random() < 0.05 ? 1 : 0);
    const draw = what.startsWith('conversion')
      ? conversion
      : drawSpend({ payers: what.includes('10') ? 0.1 : 0.03, deviation: 1 }, seed);
    let harmful = 0;
    for (let life = 0; life < LIVES; life += 1) if (harmfulDay([draw, draw], players) !== undefined) harmful += 1;
    process.stdout.write(`${what}, ${players} a day and variant: ${((100 * harmful) / LIVES).toFixed(1)} % harmful\n`);
    expect(harmful / LIVES).toBeLessThanOrEqual(RULE.alpha);
  });

  it.each([
    [2_000, 0.05],
    [20_000, 0.05],
    [20_000, 0.2],
  ])('find a loss of revenue: %d players a day and variant, %d of revenue', (players, loss) => {
    const lives = 2_000_000 / players / (loss === 0.05 && players > 2_000 ? 2 : 1);
    const draw = drawSpend({ payers: 0.1, deviation: 1 }, players);
    const days = Array.from({ length: Math.min(lives, 100) }, () =>
      harmfulDay([draw, () => (1 - loss) * draw()], players),
    );
    const found = days.flatMap((day) => day ?? []).toSorted((one, other) => one - other);
    process.stdout.write(
      `${players} a day, loss ${loss}: ${found.length} of ${days.length} found within ${DAYS} days, ` +
        `median day ${found[Math.floor(days.length / 2)] ?? 'later'}\n`,
    );
    if (players === 20_000) expect(found.length / days.length).toBeGreaterThan(0.9);
  });
});
