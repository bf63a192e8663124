import { describe, expect, test } from 'vitest';
import { parseBrokerUrl, withoutCredentials } from './access.ts';

describe('NATS_URL', () => {
  test.each([
    ['nats://a:4222,nats://b:4222', { servers: ['a:4222', 'b:4222'], access: {} }],
    ['a', { servers: ['a'], access: {} }],
    ['nats://s3cret@a:4222', { servers: ['a:4222'], access: { login: { kind: 'token', token: 's3cret' } } }],
    [
      'tls://me:p%40ss:word@[::1]:4222',
      { servers: ['[::1]:4222'], access: { login: { kind: 'password', user: 'me', password: 'p@ss:word' }, tls: {} } },
    ],
    ['nats://t@a, nats://t@b', { servers: ['a', 'b'], access: { login: { kind: 'token', token: 't' } } }],
  ])('%s is understood', (url, expected) => {
    expect(parseBrokerUrl(url)).toEqual(expected);
  });

  test.each([
    ['nats://', /without a host/],
    ['nats://hush@', /without a host/],
    ['nats://hush@a,nats://hush2@b', /different credentials/],
    ['nats://hush%@a', /percent-encoded/],
  ])('%s is refused without naming its credentials', (url, message) => {
    const fault = parseBrokerUrl(url);
    expect(fault).toMatch(message);
    expect(fault).not.toMatch(/hush/);
  });

  test('is shown without its credentials, whatever characters they hold', () => {
    expect(withoutCredentials('nats://me:a/b@c@host:1,tls://tok@two,three')).toBe('nats://host:1,tls://two,three');
  });
});
