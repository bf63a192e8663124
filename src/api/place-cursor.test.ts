import { assert as check, nat, property, record, string, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../kernel/limits.ts';
import { decodePlace, encodePlace } from './place-cursor.ts';

const place = record({
  receivedMs: nat({ max: 10_413_792_000_000 }),
  sequence: nat({ max: 2 ** 48 }),
  index: nat({ max: 2 ** 29 }),
});

describe('a cursor of a place', () => {
  it('leads back to it, for the list it was made for and no other', () => {
    check(
      property(place, tuple(string(), string()), (some, [asked, other]) => {
        const cursor = encodePlace(some, [asked, undefined]);
        expect(cursor.length).toBeLessThanOrEqual(LIMITS.cursorLength);
        expect(decodePlace(cursor, [asked, undefined])).toEqual(some);
        if (other !== asked) expect(decodePlace(cursor, [other, undefined])).toBeUndefined();
        expect(decodePlace(cursor, [undefined, asked])).toBeUndefined();
      }),
    );
  });

  it('is nothing that anybody could have meant by another text', () => {
    check(
      property(string(), (text) => {
        expect(decodePlace(text, [])).toBeUndefined();
        expect(decodePlace(Buffer.from(text).toString('base64url'), [])).toBeUndefined();
      }),
    );
  });
});
