import { expect, test } from 'vitest';
import { hasProxyHeader, isLocalHost, isLoopback } from './local-request.ts';

test.each([
  ['127.0.0.1', true],
  ['127.255.255.254', true],
  ['0000:0000:0000:0000:0000:0000:0000:0001', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['0000:0000:0000:0000:0000:ffff:7f00:0001', true],
  ['10.0.0.1', false],
  ['::ffff:10.0.0.1', false],
  ['0000:0000:0000:0000:0000:ffff:0a00:0001', false],
  ['::2', false],
  ['', false],
  ['no address', false],
])('%s is an address of this machine: %s', (address, expected) => {
  expect(isLoopback(address)).toBe(expected);
});

test.each([
  ['localhost', true],
  ['LOCALHOST:8080', true],
  ['127.0.0.1:8080', true],
  ['[::1]:8080', true],
  ['[::1', false],
  ['game.example', false],
  ['localhost.game.example', false],
  ['127.0.0.1.game.example', false],
  ['[::2]', false],
  ['[', false],
  ['', false],
])('%s is a name of this machine: %s', (host, expected) => {
  expect(isLocalHost(host)).toBe(expected);
});

test.each([
  [[['accept', '*/*']], false],
  [[['via', '1.1 proxy']], true],
  [
    [
      ['x-forwarded-for', ''],
      ['x-forwarded-for', '203.0.113.7'],
    ],
    true,
  ],
])('%j shows a proxy: %s', (lines, expected) => {
  const headers = {
    forEach: (call: (name: string, value: string) => void) => lines.forEach(([n = '', v = '']) => call(n, v)),
  };
  expect(hasProxyHeader(headers)).toBe(expected);
});
