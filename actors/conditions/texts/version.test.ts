import { describe, expect, it, test } from 'vitest';
import type { Json, JsonObject } from '../../../core/kernel/text/json.ts';
import { aPlayer } from '../../testing-players.ts';
import { compileCondition } from '../compile-condition.ts';
import { DIFFERENCES, EQUAL, FLAGD, LOWER_AND_HIGHER, NO_VERSIONS, OWN, UNLEASH } from './version-cases.ts';

const OPERATORS = ['$veq', '$vne', '$vgt', '$vgte', '$vlt', '$vlte'] as const;

function meets(condition: JsonObject, value: Json): boolean {
  const made = compileCondition({ 'attributes.a': condition });
  if (made.kind === 'invalid') throw new Error(JSON.stringify(made.faults));
  return made.condition.matches({ player: aPlayer({ attributes: JSON.stringify({ a: value }) }), nowMs: 1 });
}

/** Which of the six operators hold between two versions, from their order. */
const HOLDING = {
  same: ['$veq', '$vgte', '$vlte'],
  lower: ['$vne', '$vlt', '$vlte'],
  higher: ['$vne', '$vgt', '$vgte'],
};
const holding = (left: Json, right: Json) => OPERATORS.filter((operator) => meets({ [operator]: right }, left));

describe("the tables of LaunchDarkly's harness", () => {
  it.each(EQUAL)('%s equals %s', (one, other) => {
    expect([holding(one, other), holding(other, one)]).toEqual([HOLDING.same, HOLDING.same]);
  });

  it.each(LOWER_AND_HIGHER)('%s is earlier than %s', (lower, higher) => {
    expect([holding(lower, higher), holding(higher, lower)]).toEqual([HOLDING.lower, HOLDING.higher]);
  });
});

describe.each([
  ["flagd's test bed", FLAGD],
  ["Unleash's client specification", UNLEASH],
  ['what peers refuse and this service reads', DIFFERENCES],
  ["the service's own cases", OWN],
])('%s', (_, cases) => {
  it.each(cases)('%j', (condition, yes, no) => {
    for (const value of yes) expect([value, meets(condition, value)]).toEqual([value, true]);
    for (const value of no) expect([value, meets(condition, value)]).toEqual([value, false]);
  });
});

describe('a value that is no version', () => {
  it.each(NO_VERSIONS.map((value) => [value]))('%j meets $vne only', (value) => {
    for (const version of ['0', '2.0.0', '2.0', '2', '99.0.0-rc']) expect(holding(value, version)).toEqual(['$vne']);
  });

  test('a missing value too', () => {
    const made = compileCondition({ app_version: { $vlt: '2.4.0' } });
    if (made.kind === 'invalid') throw new Error('does not compile');
    expect(made.condition.matches({ player: aPlayer(), nowMs: 1 })).toBe(false);
  });

  it.each(NO_VERSIONS.map((value) => [value]))('%j is refused in a definition', (value) => {
    for (const operator of OPERATORS) {
      const made = compileCondition({ 'attributes.a': { [operator]: value } });
      expect(made).toMatchObject({ kind: 'invalid', faults: [{ path: `/attributes.a/${operator}` }] });
    }
  });
});
