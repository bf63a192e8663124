import { assert as check, nat, property, record, string, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { API_LIMITS } from '../limits.ts';
import { decodePlace, encodePlace } from './place-cursor.ts';

const place = record({
  receivedMs: nat({ max: 10_413_792_000_000 }),
  sequence: nat({ max: 2 ** 48 }),
  index: nat({ max: 2 ** 29 }),
});

describe('a cursor of a place', () => {
  it('decodes to the position, for its own list only', () => {
    check(
      property(place, tuple(string(), string()), (some, [filters, other]) => {
        const cursor = encodePlace(some, [filters, undefined]);
        expect(cursor.length).toBeLessThanOrEqual(API_LIMITS.cursorLength);
        expect(decodePlace(cursor, [filters, undefined])).toEqual(some);
        if (other !== filters) expect(decodePlace(cursor, [other, undefined])).toBeUndefined();
        expect(decodePlace(cursor, [undefined, filters])).toBeUndefined();
      }),
    );
  });

  it('is not decoded from any other text', () => {
    check(
      property(string(), (text) => {
        expect(decodePlace(text, [])).toBeUndefined();
        expect(decodePlace(Buffer.from(text).toString('base64url'), [])).toBeUndefined();
      }),
    );
  });
});
