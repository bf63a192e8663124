import { describe, expect, it } from 'vitest';
import { isEmail } from './email.ts';

describe('an e-mail address', () => {
  it.each(['a@b.c', 'first.last+tag@mail.example.org', "o'neil@example.com", 'a@b..c', 'a@.b.c', 'ü@exämple.de'])(
    '%j is one',
    (text) => expect(isEmail(text)).toBe(true),
  );
  it.each(['', '@b.c', 'a@b', 'a@.c', 'a@b.', 'a@b.c@d.e', 'a b@c.d', 'a@b.c ', 'a@b\u00a0.c', '<a@b.c>', 'a,b@c.d'])(
    '%j is none',
    (text) => expect(isEmail(text)).toBe(false),
  );
});
