import { expect, it } from 'vitest';
import { mergeAttributes } from './attributes.ts';

it('merged attributes can be read by ClickHouse with a number beyond 64 bits', () => {
  expect(mergeAttributes('{"gold":1e+20,"level":1}', '{"level":2,"debt":-1e+20}')).toBe(
    '{"gold":1e+20,"level":2,"debt":-1e+20}',
  );
});
