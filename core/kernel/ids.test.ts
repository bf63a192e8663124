import { describe, expect, it } from 'vitest';
import { systemIds, uuidv5 } from './ids.ts';

const AT_MS = Date.UTC(2026, 0, 15, 10, 30);

describe('a UUIDv7', () => {
  it('has its version, its variant and its milliseconds', () => {
    const id = systemIds.uuidv7(AT_MS);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(AT_MS);
  });

  it('sorts after earlier ones of the same millisecond', () => {
    const made = Array.from({ length: 2_000 }, () => systemIds.uuidv7(AT_MS));
    expect(made).toEqual(made.toSorted());
    expect(new Set(made).size).toBe(made.length);
  });

  it('is unique also when the counter overflows within a millisecond, or the clock goes back', () => {
    const made = Array.from({ length: 10_000 }, () => systemIds.uuidv7(AT_MS + 1));
    made.push(systemIds.uuidv7(AT_MS));
    expect(new Set(made).size).toBe(made.length);
  });
});

// RFC 9562, appendix A.4: the DNS namespace and www.example.com.
it('a UUIDv5 matches the example of the RFC', () => {
  expect(uuidv5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com')).toBe(
    '2ed6657d-e927-568b-95e1-2665a8aea6a2',
  );
});
