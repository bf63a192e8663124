import { array, assert, boolean, integer, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import type { Served } from '../../decision/targeting.ts';
import { aPlayer } from '../../testing-players.ts';
import { aFlag, aRule, aSplitFlag, targetingOf } from './testing-flag.ts';

const subject = { player: aPlayer(), nowMs: 2_000 };

function evaluate(flags: readonly FlagDocument[], key: string, served?: Served): FlagEvaluation | undefined {
  const targeting = targetingOf(flags);
  return targeting.flags.get(key)?.evaluate(subject, targeting, served);
}

/** A flag that serves true if the others do. */
function dependent(key: string, ...keys: string[]): FlagDocument {
  return aFlag({ key, rules: [aRule()], prerequisites: keys.map((flagKey) => ({ flagKey, value: true })) });
}

describe('a prerequisite', () => {
  test('that serves the value is met', () => {
    expect(evaluate([dependent('a', 'b'), dependent('b')], 'a')).toMatchObject({ value: 'true' });
  });

  test('is met by the value of a variant', () => {
    const a = aFlag({ key: 'a', rules: [aRule()], prerequisites: [{ flagKey: 'b', value: 'red' }] });
    expect(evaluate([a, aSplitFlag({ red: 1 }, { key: 'b' })], 'a')?.value).toBe('true');
    expect(evaluate([a, aSplitFlag({ blue: 1 }, { key: 'b' })], 'a')).toMatchObject({ prerequisiteKey: 'b' });
  });

  test('that serves another value, is missing or is disabled is unmet, and the first such is reported', () => {
    const unmet = { value: 'false', reason: 'flag_disabled', variantKey: null };
    const none = aFlag({ key: 'none' });
    const off = aFlag({ key: 'off', enabled: false, defaultValue: true });
    expect(evaluate([dependent('a', 'none'), none], 'a')).toMatchObject({ ...unmet, prerequisiteKey: 'none' });
    expect(evaluate([dependent('a', 'gone')], 'a')).toMatchObject({ ...unmet, prerequisiteKey: 'gone' });
    // Its default is the required value, but a disabled flag meets no prerequisite.
    expect(evaluate([dependent('a', 'off'), off], 'a')).toMatchObject({ ...unmet, prerequisiteKey: 'off' });
    const two = [dependent('a', 'b', 'off', 'gone'), dependent('b'), off];
    expect(evaluate(two, 'a')).toMatchObject({ prerequisiteKey: 'off' });
  });

  test('uses the value that the player gets, overrides included', () => {
    const targeting = targetingOf([dependent('a', 'b'), aFlag({ key: 'b' })]);
    const player = aPlayer({ overrides: [{ flagKey: 'b', value: 'true' }] });
    expect(targeting.flags.get('a')?.evaluate({ player, nowMs: 2_000 }, targeting).value).toBe('true');
  });

  test('is evaluated once per request, however many flags depend on it', () => {
    const wide = Array.from({ length: 30 }, (_, level) =>
      dependent(`f${level}`, ...(level < 28 ? [`f${level + 1}`, `f${level + 2}`] : [])),
    );
    // Without shared results these would be about 800,000 evaluations.
    const targeting = targetingOf(wide);
    let evaluated = 0;
    const flags = new Map(
      [...targeting.flags].map(([key, flag]) => {
        const counting: typeof flag.evaluate = (...call) => {
          evaluated++;
          return flag.evaluate(...call);
        };
        return [key, { ...flag, evaluate: counting }];
      }),
    );
    expect(flags.get('f0')?.evaluate(subject, { ...targeting, flags }).value).toBe('true');
    expect(evaluated).toBe(30);
  });

  test('may end a chain of as many flags as a game can have', () => {
    const chain = Array.from({ length: 2_000 }, (_, at) => dependent(`f${at}`, ...(at < 1_999 ? [`f${at + 1}`] : [])));
    expect(evaluate(chain, 'f0')?.value).toBe('true');
  });
});

describe('a cycle', () => {
  test('disables every flag in it, and terminates', () => {
    const flags = [dependent('a', 'b'), dependent('b', 'c'), dependent('c', 'a')];
    for (const { key } of flags) {
      expect(evaluate(flags, key)).toMatchObject({ reason: 'flag_disabled', value: 'false' });
    }
  });

  test('of as many flags as a game can have terminates', () => {
    const cycle = Array.from({ length: 2_000 }, (_, at) => dependent(`f${at}`, `f${(at + 1) % 2_000}`));
    expect(evaluate(cycle, 'f0')).toMatchObject({ reason: 'flag_disabled', prerequisiteKey: 'f1' });
  });

  test('of one flag with itself terminates', () => {
    expect(evaluate([dependent('a', 'a')], 'a')).toMatchObject({ reason: 'flag_disabled', prerequisiteKey: 'a' });
  });
});

test('an evaluation does not depend on earlier ones that share its results', () => {
  const definitions = array(
    record({
      on: boolean(),
      default: boolean(),
      needs: array(record({ of: integer({ min: 0, max: 7 }), value: boolean() }), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 8 },
  );
  assert(
    property(definitions, (some) => {
      const targeting = targetingOf(
        some.map(({ on, default: defaultValue, needs }, at) =>
          aFlag({
            key: `f${at}`,
            enabled: on,
            defaultValue,
            prerequisites: needs.map(({ of, value }) => ({ flagKey: `f${of}`, value })),
          }),
        ),
      );
      const keys = [...targeting.flags.keys()];
      const all = (order: readonly string[], memory: () => Served | undefined) =>
        new Map(order.map((key) => [key, targeting.flags.get(key)?.evaluate(subject, targeting, memory())]));
      const alone = all(keys, () => undefined);
      const shared: Served = new Map();
      const sharedBack: Served = new Map();
      for (const [key, evaluation] of [...all(keys, () => shared), ...all(keys.toReversed(), () => sharedBack)]) {
        expect(evaluation).toEqual(alone.get(key));
      }
    }),
    { seed: 3, numRuns: 1_000 },
  );
});
