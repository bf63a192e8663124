import { describe, expect, test } from 'vitest';
import { systemIds } from '../ids.ts';
import { createSecretBox, withoutSealing, type Sealed } from './secret-box.ts';

const random = (sizeBytes: number) => systemIds.bytes(sizeBytes);
const [one, two] = [random(32), random(32)];
const box = createSecretBox([one], random);

function sealed(text: string, context: string, by = box): Sealed {
  const stored = by.seal(text, context);
  if (typeof stored === 'string') throw new Error('it is not sealed');
  return stored;
}

describe('a sealed secret', () => {
  test('opens to the original text, of any characters and length', () => {
    for (const text of ['', 'whsec_abc', 'ä€😀\0', 'x'.repeat(10_000)]) {
      expect(box.open(sealed(text, 'a'), 'a')).toBe(text);
    }
  });

  test('reveals nothing of its text and differs each time', () => {
    const kept = JSON.stringify(sealed('whsec_abc', 'a'));
    expect(kept).not.toContain('whsec_abc');
    expect(kept).not.toContain(Buffer.from('whsec_abc').toString('base64url'));
    expect(JSON.stringify(sealed('whsec_abc', 'a'))).not.toBe(kept);
  });

  test('does not open in another context or after any change', () => {
    const kept = sealed('whsec_abc', 'webhook/a');
    expect(box.open(kept, 'webhook/b')).toBeUndefined();
    for (let place = 0; place < kept.sealed.length; place++) {
      const other = kept.sealed[place] === 'A' ? 'B' : 'A';
      const changed = kept.sealed.slice(0, place) + other + kept.sealed.slice(place + 1);
      // The last character of base64url may contain unused bits.
      if (place < kept.sealed.length - 1) expect(box.open({ sealed: changed }, 'webhook/a')).toBeUndefined();
    }
    for (const text of ['', 'v1', 'v1..', `v1.${box.keyId}.AAAA`]) {
      expect(box.open({ sealed: text }, 'webhook/a')).toBeUndefined();
    }
  });
});

describe('a rotation of keys', () => {
  test('opens texts of earlier keys, seals with the first, and detects texts of other keys', () => {
    const kept = sealed('s', 'a');
    const changed = createSecretBox([two, one], random);
    expect(changed.open(kept, 'a')).toBe('s');
    expect([changed.isCurrent(kept), changed.isCurrent('s'), changed.isCurrent(sealed('s', 'a', changed))]).toEqual([
      false,
      false,
      true,
    ]);
    expect([changed.knows(box.keyId), box.knows(changed.keyId)]).toEqual([true, false]);
    expect(box.open(sealed('s', 'a', changed), 'a')).toBeUndefined();
  });

  test('to no key stores plain text and opens sealed texts', () => {
    const back = withoutSealing(box);
    expect(back.seal('s', 'a')).toBe('s');
    expect(back.open(sealed('s', 'a'), 'a')).toBe('s');
    expect([back.isCurrent('s'), back.isCurrent(sealed('s', 'a'))]).toEqual([true, false]);
  });
});
