import { array, assert, nat, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seededBucket } from './hash.ts';

describe('hash version 2 of GrowthBook', () => {
  // The cases of version 2 in section "hash" of GrowthBook's public SDK test suite (cases.json, specification 0.7.1).
  test.each([
    ['seed', 'a', 0.0505],
    ['seed', 'b', 0.2696],
    ['foo', 'ab', 0.2575],
    ['foo', 'def', 0.2019],
    ['89123klj', '8952klfjas09ujkasdf', 0.124],
    ['90850943850283058242805', '123', 0.7516],
    ['()**(%$##$%#$#', '___)((*":&', 0.0128],
  ])('matches the published case of seed %j and value %j', (seed, value, expected) => {
    expect(seededBucket(seed)(value) / 10_000).toBe(expected);
  });

  test('equals the formula for any seed and value', () => {
    const text = array(nat(0xffff)).map((units) => String.fromCharCode(...units));
    assert(
      property(text, text, (seed, value) => {
        expect(seededBucket(seed)(value)).toBe(byFormula(seed, value));
      }),
      { seed: 1, numRuns: 2_000 },
    );
  });
});

/** FNV-1a with unbounded integers, and the digits as a string. */
function byFormula(seed: string, value: string): number {
  const inner = fnv1a(seed + value).toString();
  return Number(fnv1a(inner) % 10_000n);
}

function fnv1a(text: string): bigint {
  let hash = 2_166_136_261n;
  for (let at = 0; at < text.length; at++) hash = ((hash ^ BigInt(text.charCodeAt(at))) * 16_777_619n) % 2n ** 32n;
  return hash;
}
