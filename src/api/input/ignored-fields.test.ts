import { describe, expect, it } from 'vitest';
import { INPUT_LIMITS } from './limits.ts';
import { ignoredFieldsHeader, noteIgnored, noteIgnoredName } from './ignored-fields.ts';

const KNOWN = new Set(['event_name']);
const NONE: ReadonlySet<string> = new Set();

/** An object with many distinct unknown fields. */
function manyFields(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, n]));
}

describe('ignored fields', () => {
  it('are listed once each, with their prefix, in the order of the body', () => {
    const ignored: string[] = [];
    noteIgnored({ a: 1, event_name: 'x', b: 2 }, KNOWN, 'events[].', ignored);
    noteIgnored({ b: 1, c: 2 }, KNOWN, 'events[].', ignored);
    expect(ignored).toEqual(['events[].a', 'events[].b', 'events[].c']);
  });

  it('keep at most as many names as the header has room for', () => {
    const ignored: string[] = [];
    for (let item = 0; item < 100; item++) noteIgnored(manyFields(1_000), KNOWN, '', ignored);
    expect(ignored).toHaveLength(INPUT_LIMITS.ignoredFieldNames);
  });

  it('visit no field once the list is full', () => {
    const full = Array.from({ length: INPUT_LIMITS.ignoredFieldNames }, (_, n) => `n${n}`);
    let reads = 0;
    const known = {
      has() {
        reads += 1;
        return false;
      },
    };
    noteIgnored(manyFields(20_000), Object.assign(new Set<string>(), known), '', full);
    expect(reads).toBe(0);
    noteIgnored(manyFields(20_000), Object.assign(new Set<string>(), known), '', []);
    expect(reads).toBe(INPUT_LIMITS.ignoredFieldNames);
  });

  it('cut names to their length in the header', () => {
    const ignored: string[] = [];
    noteIgnoredName('x'.repeat(100_000), ignored);
    noteIgnored({ ['y'.repeat(100_000)]: 1 }, NONE, 'p.', ignored);
    expect(ignored.map((name) => name.length)).toEqual([
      INPUT_LIMITS.ignoredFieldLength,
      INPUT_LIMITS.ignoredFieldLength,
    ]);
  });

  it('make a header of bounded size in ASCII', () => {
    const names = Array.from(
      { length: INPUT_LIMITS.ignoredFieldNames },
      (_, n) => String(n) + '日'.repeat(62) + '\uD800',
    );
    const header = ignoredFieldsHeader(names);
    expect(header.length).toBeLessThanOrEqual(INPUT_LIMITS.ignoredFieldsBytes);
    expect(header.split(', ').length).toBe(3);
    expect(header).toMatch(/^[ -~]+$/);
    expect(ignoredFieldsHeader(['events[].a b', '__proto__'])).toBe('events[].a%20b, __proto__');
  });
});
