import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { systemClock } from '../../core/kernel/clock.ts';
import { systemIds } from '../../core/kernel/ids.ts';
import { createApiKey, hashApiKey } from './api-keys.ts';

const request = { game: 'g', environment: 'test', kind: 'server', tier: 'pro', scopes: ['scoring:write'] } as const;

test.each([
  ['client', 'live', /^pk_live_[0-9A-Za-z]{32}$/],
  ['client', 'test', /^pk_test_[0-9A-Za-z]{32}$/],
  ['server', 'live', /^sk_live_[0-9A-Za-z]{32}$/],
  ['server', 'test', /^sk_test_[0-9A-Za-z]{32}$/],
] as const)('a %s key for %s shows what it is', (kind, environment, format) => {
  expect(createApiKey({ ...request, kind, environment }, systemClock, systemIds).text).toMatch(format);
});

test('what is stored holds the hash and a hint, never the key', () => {
  const { text, address, document } = createApiKey(request, systemClock, systemIds);
  expect(address).toEqual({ game: 'g', environment: 'test', kind: 'key', key: hashApiKey(text) });
  expect(address.key).toBe(createHash('sha256').update(text).digest('hex'));
  expect(document).toMatchObject({ kind: 'server', tier: 'pro', scopes: ['scoring:write'], revokedAt: null });
  expect(JSON.stringify({ address, document })).not.toContain(text.slice('sk_test_'.length + 4));
});

test('bytes that would favour some characters are drawn again', () => {
  const draws = [Uint8Array.from({ length: 32 }, () => 255), Uint8Array.from({ length: 32 }, (_, place) => place)];
  const ids = { ...systemIds, bytes: () => draws.shift() ?? new Uint8Array(32) };
  expect(createApiKey(request, systemClock, ids).text).toBe('sk_test_0123456789ABCDEFGHIJKLMNOPQRSTUV');
});
