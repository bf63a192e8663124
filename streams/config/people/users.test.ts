import { expect, it } from 'vitest';
import { normalEmail } from './users.ts';

it('reads an address in any case, and none that would become another one', () => {
  expect(normalEmail(' Ann@Example.COM ')).toBe('ann@example.com');
  expect(normalEmail('ÉMILE@example.com')).toBe('émile@example.com');
  // The sign of Kelvin, whose lower case is the letter k.
  expect(normalEmail('mi\u212Ae@example.com')).toBeUndefined();
  expect(normalEmail('mike@example.com')).toBe('mike@example.com');
  for (const unseen of ['\u0000', '\u00ad', '\u200b', '\u202e', '\ufeff', '\u{e0001}']) {
    expect(normalEmail(`mi${unseen}ke@example.com`)).toBeUndefined();
  }
});
