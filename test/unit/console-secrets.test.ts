import { expect, it } from 'vitest';
import { looksSecret } from '../../console/src/flags/secrets.ts';
import type { Json } from '../../core/kernel/text/json.ts';

it.each<[Json]>([
  ['sk_live_4eC39HqLyjWDarjtT1zdp7dc'],
  ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  ['postgres://game:hunter2@db.example:5432/prod'],
  ['https://hooks.example/x?token=9f8b7c6d5e4f'],
  ['-----BEGIN PRIVATE KEY-----\nMIIE'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'],
  ['Bearer abcdefghijklmnop'],
  ['AKIAIOSFODNN7EXAMPLE'],
  ['dGhpc0lzQVJhbmRvbUtleTEyMzQ1Njc4'],
  [{ shop: { api_key: 'abc123' } }],
  [[{ password: 'hunter2' }]],
])('%j looks like a secret', (value) => {
  expect(looksSecret(value)).toBe(true);
});

it.each<[Json]>([
  ['layout_b'],
  ['A long text for players, with 3 words and More.'],
  ['https://cdn.example/images/banner-2026.png'],
  ['https://example.com/a@b'],
  ['6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11'],
  [{ price: 5, currency: 'EUR', keys: 3, token: 12 }],
  [true],
  [null],
  [0],
  ['summer_event_2026_variant_with_long_name'],
])('%j does not', (value) => {
  expect(looksSecret(value)).toBe(false);
});
