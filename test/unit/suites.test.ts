import { describe, expect, it } from 'vitest';
import { eppoFlags } from '../suites/eppo/read-eppo.ts';
import { namespaceCases, placesInNamespaces, stickyCases } from '../suites/growthbook/read-experiments.ts';
import { growthbookCases } from '../suites/growthbook/read-growthbook.ts';
import { counted, isOld } from '../suites/suite.ts';
import { unleashCases } from '../suites/unleash/read-unleash.ts';

/** Counts change only on purpose: a case that is expressed no more is a loss. */
describe('public suites', () => {
  it('of Eppo: each of its 22 flags is one flag', () => {
    const flags = eppoFlags();
    expect(counted(flags.flatMap(({ cases }) => cases))).toEqual({
      cases: 162,
      passed: 115,
      drawn: 45,
      failed: [],
      unmapped: { 'a value that is no integer: numbers are one type here': 2 },
      passedBefore: 42,
    });
    const made = flags.flatMap(({ key, cases }) => {
      const documents = cases.flatMap((one) => (typeof one.flags === 'string' ? [] : one.flags));
      return documents.length === 0 ? [] : [{ key, old: isOld(documents) }];
    });
    expect(made).toHaveLength(22);
    // Before rules chose what they serve.
    expect(made.filter(({ old }) => old).map(({ key }) => key)).toEqual([
      'empty_flag',
      'disabled_flag',
      'no_allocations_flag',
      'numeric_flag',
      'boolean-false-assignment',
      'kill-switch',
    ]);
  });

  it('of Unleash: its cases as far as they can be expressed', () => {
    expect(counted(unleashCases())).toEqual({
      cases: 279,
      passed: 219,
      drawn: 32,
      // A leading v of a version is ignored here.
      failed: [
        '14-constraint-semver-operators: F8.invalidSemverWithLeadingV - invalid semver resolves to false: gives true, not false',
      ],
      unmapped: {
        'a chain of dependencies, which is an error there': 4,
        'a prerequisite on a variant that the flag does not have, which is refused': 5,
        'a prerequisite on one of several variants': 2,
        'a prerequisite that does not exist, which is refused': 2,
        'a prerequisite that must be switched off': 4,
        'a protocol of changes': 4,
        'a regular expression that is refused': 3,
        'no such flag': 3,
      },
      passedBefore: 159,
    });
  });

  it('of GrowthBook: its features as far as they can be expressed', () => {
    expect(counted(growthbookCases())).toEqual({
      cases: 55,
      passed: 22,
      drawn: 20,
      failed: [],
      unmapped: {
        'a bandit that learns from the context': 3,
        'a cycle of prerequisites, which is refused': 1,
        'a prerequisite by an operator': 3,
        'a prerequisite that does not exist, which is refused': 1,
        'a range that does not begin at 0': 1,
        'a version of the hash that does not exist': 1,
        'no such flag': 1,
        'variations forced by the caller': 2,
      },
      passedBefore: 4,
    });
  });

  it('of GrowthBook: its namespaces as layers', () => {
    expect(counted(namespaceCases())).toEqual({
      cases: 16,
      passed: 0,
      // Who is in a range depends on the hash.
      drawn: 16,
      failed: [],
      unmapped: {},
      passedBefore: 0,
    });
  });

  it('of GrowthBook: the two ranges of each namespace have every user once', () => {
    const places = placesInNamespaces(48);
    expect(places).toHaveLength(8 * 48);
    expect(places.filter(({ low, high }) => low === high)).toEqual([]);
    const low = places.filter((one) => one.low).length / places.length;
    expect(Math.abs(low - 0.4)).toBeLessThan(0.08);
  });

  it('of GrowthBook: its sticky buckets as variants that players keep', () => {
    expect(counted(stickyCases())).toEqual({
      cases: 13,
      passed: 3,
      drawn: 4,
      failed: [],
      unmapped: {
        'a fallback for a missing attribute': 2,
        'an experiment without sticky buckets: players always keep their variant': 1,
        'to leave out who was in an earlier experiment': 2,
        'two stored variants of one user: a player has one': 1,
      },
      passedBefore: 0,
    });
  });
});
