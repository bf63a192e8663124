import { createHmac } from 'node:crypto';
import { assert, jsonValue, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ROUTE_LIMITS } from '../../../api/route/limits.ts';
import { readPlayerToken } from './read-player-token.ts';

const SECRET = 'ptsec_one';
const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value) ?? '').toString('base64url');
const CLAIMS = { sub: 'player-1', exp: 2_000_000_000 };

const HS256: unknown = { alg: 'HS256', typ: 'JWT' };

function sign(
  claims: unknown,
  { header = HS256, secret = SECRET, hash = 'sha256' }: { header?: unknown; secret?: string; hash?: string } = {},
) {
  const signed = `${base64url(header)}.${base64url(claims)}`;
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}
const read = (text: string, secrets: readonly string[] = [SECRET]) => readPlayerToken(text, secrets);

describe('a player token', () => {
  it('names a player and its validity, with a minute of clock skew', () => {
    expect(read(sign({ ...CLAIMS, nbf: 1_900_000_000, iat: 1_800_000_000 }))).toEqual({
      kind: 'token',
      externalId: 'player-1',
      validFromMs: 1_899_999_940_000,
      validUntilMs: 2_000_000_060_000,
      secret: SECRET,
    });
    expect(read(sign(CLAIMS))).toMatchObject({ kind: 'token', validFromMs: -60_000 });
    expect(read(sign({ ...CLAIMS, sub: 'Zoë 🎮', exp: 2e9 + 0.5 }))).toMatchObject({ externalId: 'Zoë 🎮' });
  });

  it.each(['undefined', 'null', '  ', '00000000-0000-0000-0000-000000000000'])('may not name %j', (sub) => {
    expect(read(sign({ ...CLAIMS, sub }))).toMatchObject({ kind: 'bad', reason: expect.stringContaining('`sub`') });
  });

  it('has exactly one text: another encoding of its signature is refused', () => {
    const token = sign(CLAIMS);
    const last = token.at(-1) ?? '';
    // 256 bits are 42 characters and 4 bits, so the last character has 2 unused bits.
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const same = Array.from(digits).filter((digit) => digits.indexOf(digit) >> 2 === digits.indexOf(last) >> 2);
    expect(same).toHaveLength(4);
    const texts = [...same.map((digit) => token.slice(0, -1) + digit), `${token}=`, `${token}!`, `${token} `];
    expect(texts.filter((text) => read(text).kind === 'token')).toEqual([token]);
  });

  it('may come from another library', () => {
    // Made with Python: hmac.new(b'ptsec_one', header + b'.' + payload, hashlib.sha256)
    const text =
      'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJwbGF5ZXItMSIsImV4cCI6MjAwMDAwMDAwMH0.dTrbUejPNyAb1m6UKoyoGu2YtzaqqXnYldWQ1J7IZ0g';
    expect(read(text)).toMatchObject({ kind: 'token', externalId: 'player-1' });
  });

  it('may be signed with any of the secrets, and reports which one', () => {
    expect(read(sign(CLAIMS, { secret: 'old' }), ['new', 'old'])).toMatchObject({ kind: 'token', secret: 'old' });
  });

  it.each([
    ['another secret', sign(CLAIMS, { secret: 'ptsec_two' })],
    ['no algorithm at all', `${base64url({ alg: 'none' })}.${base64url(CLAIMS)}.`],
    ['no algorithm and a signature', sign(CLAIMS, { header: { alg: 'none' } })],
    ['another algorithm that HMAC has', sign(CLAIMS, { header: { alg: 'HS512' }, hash: 'sha512' })],
    ['another algorithm in its header only', sign(CLAIMS, { header: { alg: 'RS256' } })],
    ['an algorithm in lower case', sign(CLAIMS, { header: { alg: 'hs256' } })],
    ['no header', sign(CLAIMS, { header: null })],
    ['an extension that must be understood', sign(CLAIMS, { header: { alg: 'HS256', crit: ['b64'] } })],
    ['no end', sign({ sub: 'player-1' })],
    ['an end in words', sign({ ...CLAIMS, exp: '2030-01-01' })],
    ['a negative end', sign({ ...CLAIMS, exp: -1 })],
    ['a start in words', sign({ ...CLAIMS, nbf: 'now' })],
    ['no player', sign({ exp: CLAIMS.exp })],
    ['an empty player', sign({ ...CLAIMS, sub: '' })],
    ['a player that is a number', sign({ ...CLAIMS, sub: 7 })],
    ['a long player', sign({ ...CLAIMS, sub: 'p'.repeat(257) })],
    ['a list for claims', sign([CLAIMS])],
    ['too many characters', sign({ ...CLAIMS, more: 'x'.repeat(ROUTE_LIMITS.playerTokenLength) })],
    ['four parts', `${sign(CLAIMS)}.x`],
    ['two parts', sign(CLAIMS).split('.').slice(0, 2).join('.')],
    ['a signature cut short', sign(CLAIMS).slice(0, -4)],
    ['other claims than were signed', sign(CLAIMS).replace(base64url(CLAIMS), base64url({ ...CLAIMS, sub: 'victim' }))],
    ['nothing', ''],
    ['dots', '..'],
    ['no base64', '!.!.!'],
  ])('with %s is refused', (_what, text) => {
    expect(read(text)).toMatchObject({ kind: 'bad' });
  });

  it('has no claims that make it anything but good or bad, nor has any other text', () => {
    assert(
      property(jsonValue(), (claims) => {
        expect(['token', 'bad']).toContain(read(sign(claims)).kind);
      }),
    );
    assert(
      property(string(), string(), string(), (a, b, c) => {
        expect(read(`${a}.${b}.${c}`).kind).toBe('bad');
      }),
    );
  });
});
