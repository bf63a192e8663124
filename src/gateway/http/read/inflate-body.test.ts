import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { API_LIMITS } from '../../../api/limits.ts';
import { inflateBody } from './inflate-body.ts';

const whole = Buffer.from('{"a":1}');

describe('a gzip body', () => {
  it('is inflated, in one member or several', () => {
    expect(inflateBody(gzipSync(whole))).toEqual({ kind: 'whole', bytes: whole });
    const halves = Buffer.concat([gzipSync(whole.subarray(0, 3)), gzipSync(whole.subarray(3))]);
    expect(inflateBody(halves)).toEqual({ kind: 'whole', bytes: whole });
  });

  it('may inflate to the bound of bodies and no further', () => {
    expect(inflateBody(gzipSync(Buffer.alloc(API_LIMITS.bodyBytes))).kind).toBe('whole');
    expect(inflateBody(gzipSync(Buffer.alloc(API_LIMITS.bodyBytes + 1))).kind).toBe('too_large');
  });

  it('that is a bomb is refused at the bound', () => {
    const bomb = gzipSync(Buffer.alloc(64 * API_LIMITS.bodyBytes), { level: 9 });
    expect(inflateBody(bomb).kind).toBe('too_large');
    // It is broken after its twentieth part: inflating more than that would find out.
    const broken = Buffer.concat([bomb.subarray(0, bomb.length / 20), Buffer.alloc(1_000, 0xff)]);
    expect(() => gunzipSync(broken)).toThrow();
    expect(inflateBody(broken).kind).toBe('too_large');
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['plain text', whole],
    ['half of a body', gzipSync(whole).subarray(0, 15)],
    ['a wrong checksum', Buffer.concat([gzipSync(whole).subarray(0, -8), Buffer.alloc(8)])],
    ['raw zeros', Buffer.alloc(1_000)],
  ])('is broken when it is %s', (_name, bytes) => expect(inflateBody(bytes)).toEqual({ kind: 'broken' }));
});
