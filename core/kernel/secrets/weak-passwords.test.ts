import { describe, expect, it } from 'vitest';
import { weaknessOf } from './weak-passwords.ts';

describe('a password', () => {
  it.each([
    'password1234',
    'Password2026!',
    'P@ssw0rdP@ssw0rd1',
    'passwordpassword',
    'qwertyuiop12',
    'qwerty123456',
    '1q2w3e4r5t6y',
    '123456789012',
    '987654321098',
    'abcdefghijkl',
    'aaaaaaaaaaaa',
    'abababababab',
    'abcabcabcabc',
    'hunter12hunter12',
    'iloveyou1234',
    'administrator',
    'letmein12345',
    'Summer2026!!',
    'welcome12345',
    'changeme1234',
    'ann.lee@example.com',
    'ann.lee12345678',
    'example20262026',
  ])('%s is easy to guess', (password) => {
    expect(weaknessOf(password, 'ann.lee@example.com')).toBeDefined();
  });

  it.each([
    'correct horse battery',
    'correct horse battery staple',
    'another long one',
    'a tractor of glass',
    'another long sentence',
    'violet-otter-92-lamp',
    'k3Jx9pQz7LmW',
    '83920174650193',
    'my summer in lisbon',
    '这是一个很长的密码短语呀',
  ])('%s is not', (password) => {
    expect(weaknessOf(password, 'ann.lee@example.com')).toBeUndefined();
  });
});
