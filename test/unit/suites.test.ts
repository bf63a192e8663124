import { describe, expect, it } from 'vitest';
import { eppoFlags } from '../suites/eppo/read-eppo.ts';
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
      cases: 46,
      passed: 21,
      drawn: 11,
      failed: [],
      unmapped: {
        'a cycle of prerequisites, which is refused': 1,
        'a namespace or filter: a second hash of one rule': 3,
        'a prerequisite by an operator': 3,
        'a prerequisite that does not exist, which is refused': 1,
        'a range that does not begin at 0': 1,
        'a variation that passes to the next rule': 2,
        'a version of the hash that does not exist': 1,
        'no such flag': 1,
        'variations forced by the caller': 1,
      },
      passedBefore: 4,
    });
  });
});
