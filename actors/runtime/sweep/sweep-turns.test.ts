import { describe, expect, it } from 'vitest';
import { OWNER_LIMITS } from '../limits.ts';
import { createSweepTurns } from './sweep-turns.ts';

const IDS = Array.from({ length: 40 }, (_, n) => `p${String(n).padStart(3, '0')}`);

/** Sweeps all players, every second one of `heavy`; answers who was evaluated in which pass. */
function sweep(stepsOf: Readonly<Record<string, number>>) {
  const tenants = Object.keys(stepsOf);
  const tenantOf = (place: number) => tenants[place % tenants.length] ?? '';
  const turns = createSweepTurns();
  turns.begin(new Map(tenants.map((tenant) => [tenant, IDS.length / tenants.length])));
  const passes: string[][] = [];
  for (let from: string | undefined = ''; from !== undefined && passes.length < 50;) {
    const evaluated: string[] = [];
    for (const [place, id] of IDS.entries()) {
      const tenant = tenantOf(place);
      if (id <= from || !turns.wants(tenant, id)) continue;
      evaluated.push(id);
      turns.took(new Map([[tenant, { players: 1, steps: stepsOf[tenant] ?? 0, last: id }]]));
    }
    passes.push(evaluated);
    from = turns.endPass();
  }
  return { passes, progress: turns.progress() };
}

describe('the turns of a sweep', () => {
  it('evaluate every player once in one pass if no tenant is expensive', () => {
    const { passes, progress } = sweep({ a: 100, b: 100 });
    expect(passes).toEqual([IDS]);
    expect(progress).toEqual({ a: [20, 20, true], b: [20, 20, true] });
  });

  it('defer a tenant that exceeds its share, and still evaluate every player once', () => {
    const { passes, progress } = sweep({ heavy: OWNER_LIMITS.sweepShareSteps / 2, light: 100 });
    expect(passes[0]).toHaveLength(3 + 20);
    expect(passes.flat().toSorted()).toEqual(IDS);
    expect(progress).toEqual({ heavy: [20, 20, true], light: [20, 20, true] });
  });

  it('give several expensive tenants turns', () => {
    const { passes } = sweep({ one: OWNER_LIMITS.sweepShareSteps, other: OWNER_LIMITS.sweepShareSteps });
    expect(passes.length).toBeGreaterThan(1);
    expect(passes.flat().toSorted()).toEqual(IDS);
    const first = passes[0] ?? [];
    expect(first.filter((id) => Number(id.slice(1)) % 2 === 0)).toHaveLength(2);
  });

  it('do not defer a tenant that is alone', () => {
    expect(sweep({ one: OWNER_LIMITS.sweepShareSteps }).passes).toEqual([IDS]);
  });
});
