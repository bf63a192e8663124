import { array, assert, constantFrom, double, integer, nat, property, record, string, tuple, uuid } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FlagDocument } from '../../core/vocabulary/documents/documents.ts';
import type { FlagEvaluation } from '../../core/vocabulary/commands/replies.ts';
import { aPlayer } from '../testing-players.ts';
import type { Subject } from '../decision/targeting.ts';
import {
  aFlag,
  aRule,
  aSplitFlag,
  compiled,
  memberOf,
  players,
  targetingOf,
  variantsOf,
} from './evaluate/testing-flag.ts';

const NONE = targetingOf([]);
const PLAYERS = players(100_000);

/** The number of players for each variant, or for each value if there is no variant. */
function tally(document: FlagDocument, subjects: readonly Subject[] = PLAYERS): Map<string, number> {
  const flag = compiled(document);
  const counts = new Map<string, number>();
  for (const subject of subjects) {
    const { variantKey, value } = flag.evaluate(subject, NONE);
    counts.set(variantKey ?? value, (counts.get(variantKey ?? value) ?? 0) + 1);
  }
  return counts;
}

/** The distance of a count from its expectation in `trials` at `chance` each, in standard deviations. */
function sigmasOff(count: number, trials: number, chance: number): number {
  return Math.abs(count - trials * chance) / Math.sqrt(trials * chance * (1 - chance));
}

const salt = string({ minLength: 1, maxLength: 24 });
const percentage = double({ min: 0, max: 100, noNaN: true });
const weights = array(nat(1_000), { minLength: 1, maxLength: 8 }).filter((all) => all.some((weight) => weight > 0));

function splitOf(all: readonly number[], some: Partial<FlagDocument>): FlagDocument {
  const variants = variantsOf(Object.fromEntries(all.map((weight, at) => [`v${at}`, weight])));
  return aFlag({ flagType: 'multivariate', variants, ...some });
}

describe('a player keeps the same variant', () => {
  const rule = record({
    percentage,
    priority: integer({ min: 0, max: 3 }),
    segmentId: constantFrom(null, 'seg_a', 'seg_b'),
    value: constantFrom(true, true, false),
  });

  test('in another process, at another time, and as the player keeps playing', () => {
    assert(
      property(uuid(), salt, weights, array(rule, { maxLength: 5 }), nat(), (id, salted, all, rules, later) => {
        const document = splitOf(all, { salt: salted, rules: rules.map((some) => aRule(some)) });
        const segments = [memberOf('seg_a')];
        const first = compiled(document).evaluate({ player: aPlayer({ id, segments }), nowMs: 0 }, NONE);
        const player = aPlayer({ id, segments, sessionCount: later, lastSeenAt: later, attributes: '{"level":3}' });
        const again = compiled(structuredClone(document)).evaluate({ player, nowMs: later, context: {} }, NONE);
        expect(again).toEqual(first);
      }),
      { seed: 11, numRuns: 2_000 },
    );
  });

  test('when unrelated parts of the definition change', () => {
    assert(
      property(uuid(), salt, weights, percentage, (id, salted, all, upTo) => {
        const document = splitOf(all, { salt: salted, rules: [aRule({ percentage: upTo })] });
        const renamed = { ...document, name: 'other', version: 9, updatedAt: 9, enabled: true };
        const subject = { player: aPlayer({ id }), nowMs: 0 };
        expect(compiled(renamed).evaluate(subject, NONE)).toEqual(compiled(document).evaluate(subject, NONE));
      }),
      { seed: 12, numRuns: 500 },
    );
  });
});

describe('raising a percentage', () => {
  test('removes no player, and moves none to another variant', () => {
    assert(
      property(uuid(), salt, weights, tuple(percentage, percentage), (id, salted, all, ends) => {
        const [low = 0, high = 0] = ends.toSorted((one, other) => one - other);
        const at = (upTo: number): FlagEvaluation =>
          compiled(splitOf(all, { salt: salted, rules: [aRule({ percentage: upTo })] })).evaluate(
            { player: aPlayer({ id }), nowMs: 0 },
            NONE,
          );
        if (at(low).reason === 'percentage_rollout') expect(at(high)).toEqual(at(low));
      }),
      { seed: 13, numRuns: 5_000 },
    );
  });

  test('step by step adds every player, each once and permanently', () => {
    const some = PLAYERS.slice(0, 5_000);
    let before = new Map<string, string>();
    for (let upTo = 0; upTo <= 100; upTo += 2.5) {
      const flag = compiled(aSplitFlag({ a: 1, b: 2, c: 3 }, { rules: [aRule({ percentage: upTo })] }));
      const now = new Map(
        some.flatMap((subject) => {
          const { variantKey } = flag.evaluate(subject, NONE);
          return variantKey === null ? [] : [[subject.player.id, variantKey] as const];
        }),
      );
      for (const [id, variantKey] of before) expect(now.get(id)).toBe(variantKey);
      expect(now.size).toBeGreaterThanOrEqual(before.size);
      before = now;
    }
    expect(before.size).toBe(some.length);
  });

  test('to 0 includes no player, to 100 every player', () => {
    const at = (upTo: number) => tally(aFlag({ rules: [aRule({ percentage: upTo })] }));
    expect(at(0)).toEqual(new Map([['false', PLAYERS.length]]));
    expect(at(100)).toEqual(new Map([['true', PLAYERS.length]]));
  });
});

describe('of 100,000 players', () => {
  test.each([0.5, 1, 10, 33.3, 50, 97])('a roll-out of %d %% includes that share, within 3 sigma', (upTo) => {
    const counts = tally(aFlag({ rules: [aRule({ percentage: upTo })] }));
    expect(sigmasOff(counts.get('true') ?? 0, PLAYERS.length, upTo / 100)).toBeLessThan(3);
  });

  const SPLITS: readonly Readonly<Record<string, number>>[] = [
    { a: 50, b: 50 },
    { a: 34, b: 33, c: 33 },
    { a: 1, b: 1, c: 1 },
    { a: 90, b: 9, c: 1 },
    { a: 0, b: 3, c: 0, d: 7, e: 0 },
  ];

  test.each(SPLITS)('each variant gets its share of the weights, within 3 sigma: %j', (split) => {
    expectSplit(tally(aSplitFlag(split)), split);
  });

  test.each(SPLITS)('each variant gets its share inside a 10 %% roll-out as well: %j', (split) => {
    const counts = tally(aSplitFlag(split, { rules: [aRule({ percentage: 10 })] }));
    counts.delete('null');
    expectSplit(counts, split);
  });

  function expectSplit(counts: ReadonlyMap<string, number>, split: Readonly<Record<string, number>>): void {
    const players = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const total = Object.values(split).reduce((sum, weight) => sum + weight, 0);
    expect(players).toBeGreaterThan(9_000);
    for (const [key, weight] of Object.entries(split)) {
      if (weight === 0) expect(counts.get(key)).toBeUndefined();
      else expect(sigmasOff(counts.get(key) ?? 0, players, weight / total)).toBeLessThan(3);
    }
  }
});

describe('two flags are independent of each other', () => {
  /** Critical values of the chi-square distribution at p = 0.001, by degrees of freedom. */
  const CRITICAL = { 1: 10.828, 6: 22.458 };

  test('in which players their roll-outs include', () => {
    const one = aFlag({ salt: 'first', rules: [aRule({ percentage: 50 })] });
    const other = aFlag({ salt: 'second', rules: [aRule({ percentage: 20 })] });
    expect(chiSquare(one, other)).toBeLessThan(CRITICAL[1]);
  });

  test('in which player gets which variant', () => {
    const one = aSplitFlag({ a: 1, b: 1, c: 1 }, { salt: 'first' });
    const other = aSplitFlag({ p: 4, q: 3, r: 2, s: 1 }, { salt: 'second' });
    expect(chiSquare(one, other)).toBeLessThan(CRITICAL[6]);
  });

  test('and the roll-out of one flag is independent of its variants', () => {
    const rollout = aFlag({ salt: 'same', rules: [aRule({ percentage: 10 })] });
    const split = aSplitFlag({ a: 1, b: 1 }, { salt: 'same' });
    expect(chiSquare(rollout, split)).toBeLessThan(CRITICAL[1]);
  });

  test('but not with the same salt, which the measure detects', () => {
    const flag = aFlag({ salt: 'same', rules: [aRule({ percentage: 50 })] });
    expect(chiSquare(flag, { ...flag, rules: [aRule({ percentage: 20 })] })).toBeGreaterThan(1_000);
  });

  /** Pearson's chi-square of the contingency table of two flags' variants. */
  function chiSquare(one: FlagDocument, other: FlagDocument): number {
    const [left, right] = [compiled(one), compiled(other)];
    const cells = new Map<string, Map<string, number>>();
    const [rows, columns] = [tally(one), tally(other)];
    for (const subject of PLAYERS) {
      const [row, column] = [left, right].map((flag) => {
        const { variantKey, value } = flag.evaluate(subject, NONE);
        return variantKey ?? value;
      });
      const counts = cells.get(row ?? '') ?? new Map<string, number>();
      counts.set(column ?? '', (counts.get(column ?? '') ?? 0) + 1);
      cells.set(row ?? '', counts);
    }
    let sum = 0;
    for (const [row, inRow] of rows) {
      for (const [column, inColumn] of columns) {
        const expected = (inRow * inColumn) / PLAYERS.length;
        sum += ((cells.get(row)?.get(column) ?? 0) - expected) ** 2 / expected;
      }
    }
    return sum;
  }
});
