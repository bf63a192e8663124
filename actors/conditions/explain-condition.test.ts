import {
  type Arbitrary,
  array,
  assert,
  boolean,
  constantFrom,
  integer,
  letrec,
  oneof,
  property,
  record,
  tuple,
} from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONDITION_LIMITS } from './limits.ts';
import { DAY_MS } from '../../core/kernel/days.ts';
import { below, isObject, type Json, type JsonObject } from '../../core/kernel/text/json.ts';
import { aPlayer } from '../testing-players.ts';
import { compileCondition } from './compile-condition.ts';

const NOW_MS = 20_000 * DAY_MS;

function made(conditions: JsonObject) {
  const compiled = compileCondition(conditions);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  return compiled;
}

const number = integer({ min: 0, max: 4 });
const operand = oneof(
  number.map((n): Json => n),
  number.map((n): Json => ({ $gte: n })),
  tuple(number, number).map(([from, to]): Json => ({ $gt: from, $lte: to })),
  number.map((n): Json => ({ $not: { $in: [n, 2] } })),
  number.map((n): Json => ({ $elemMatch: { $gte: n } })),
  constantFrom<Json>({ $exists: true }, { $size: 2 }, { $all: [1] }, { $type: 'number' }),
);
const field = constantFrom('attributes.a', 'attributes.b.c', 'session_count', 'events.win.count_7d', 'attributes.a.0');
const { group } = letrec<{ group: JsonObject }>((tie) => {
  const member = oneof(
    { maxDepth: 4 },
    { weight: 3, arbitrary: tuple(field, operand) },
    { weight: 1, arbitrary: tuple(constantFrom('$and', '$or', '$nor'), array(tie('group'), { maxLength: 3 })) },
    { weight: 1, arbitrary: tuple(constantFrom('$not'), tie('group')) },
  );
  return { group: array(member, { maxLength: 3 }).map((members) => Object.fromEntries(members)) };
});
const attribute: Arbitrary<Json> = oneof(number, array(number, { maxLength: 3 }), boolean());
const player = record({ a: attribute, c: attribute, sessionCount: number, wins: number }).map(
  ({ a, c, sessionCount, wins }) =>
    aPlayer({
      attributes: JSON.stringify({ a, b: { c } }),
      sessionCount,
      counters: [{ name: 'win', day: 20_000, counts: [wins] }],
    }),
);

describe('the explanation of a condition', () => {
  it('agrees with the decision, as a whole and in every part', () => {
    assert(
      property(group, player, (conditions, who) => {
        const subject = { player: who, nowMs: NOW_MS };
        const compiled = made(conditions);
        const { holds, tests } = compiled.explain(subject);
        const told = new Map(tests.map((test) => [test.path, test.holds]));
        const expected: [string, boolean][] = [];
        expect(holds).toBe(compiled.condition.matches(subject));
        expect(groupHolds(conditions, '')).toBe(holds);
        expect([...told]).toEqual(expected);

        /** What the language says, with each field decided by a condition of its own. */
        function groupHolds(members: JsonObject, path: string): boolean {
          return Object.entries(members).reduce(
            (all, [name, inner]) => memberHolds(name, inner, below(path, name)) && all,
            true,
          );
        }

        function memberHolds(name: string, inner: Json, path: string): boolean {
          const place = expected.push([path, false]) - 1;
          const result = name.startsWith('$')
            ? logical(name, inner, path)
            : made({ [name]: inner }).condition.matches(subject);
          expected[place] = [path, result];
          return result;
        }

        function logical(name: string, inner: Json, path: string): boolean {
          if (isObject(inner)) return !groupHolds(inner, path);
          const items = Array.isArray(inner) ? inner.filter(isObject) : [];
          const held = items.map((item, at) => groupHolds(item, below(path, at)));
          if (name === '$and') return held.every(Boolean);
          return (held.length === 0 || held.some(Boolean)) === (name === '$or');
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('shows the value that a field has, unless it is too long', () => {
    const conditions = { 'attributes.short': 'a', 'attributes.long': 'b', 'attributes.none': 1 };
    const attributes = JSON.stringify({ short: 'a', long: 'b'.repeat(CONDITION_LIMITS.explainedValueLength) });
    const subject = { player: aPlayer({ attributes }), nowMs: NOW_MS };
    expect(made(conditions).explain(subject).tests).toEqual([
      { path: '/attributes.short', name: 'attributes.short', holds: true, value: 'a' },
      { path: '/attributes.long', name: 'attributes.long', holds: false },
      { path: '/attributes.none', name: 'attributes.none', holds: false, value: null },
    ]);
  });

  it('shows at most so many parts, and decides by all of them', () => {
    const many = Array.from({ length: CONDITION_LIMITS.explainedTests + 50 }, (_, n) => ({ session_count: n }));
    const { holds, tests } = made({ $or: many }).explain({
      player: aPlayer({ sessionCount: CONDITION_LIMITS.explainedTests + 40 }),
      nowMs: NOW_MS,
    });
    expect([holds, tests.length, tests[0]?.holds, tests.at(-1)?.holds]).toEqual([
      true,
      CONDITION_LIMITS.explainedTests,
      true,
      false,
    ]);
  });
});
