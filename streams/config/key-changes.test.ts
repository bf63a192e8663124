import { beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../core/kernel/days.ts';
import { systemIds as ids } from '../../core/kernel/ids.ts';
import { createFakeClock, type FakeClock } from '../../test/support/in-memory/fake-clock.ts';
import { createMemoryConfigStore, type MemoryConfigStore } from '../../test/support/in-memory/memory-config-store.ts';
import { type ApiKeyRequest, endOf, hashApiKey, isValid } from './api-keys.ts';
import type { ConfigStore } from './config-store.ts';
import { createKey, type MadeKey, revokeKey, rotateKey } from './key-changes.ts';
import { CONFIG_LIMITS } from './limits.ts';

const REQUEST = { game: 'g', environment: 'live', kind: 'server', tier: 'pro', scopes: ['track'] } as const;

let clock: FakeClock;
let config: MemoryConfigStore;
const ports = (writes: Pick<ConfigStore, 'put' | 'delete'> = config) => ({ config, writes, clock, ids });

beforeEach(() => {
  clock = createFakeClock();
  config = createMemoryConfigStore();
});

async function made(request: Partial<ApiKeyRequest> = {}): Promise<MadeKey> {
  const key = await createKey({ ...REQUEST, ...request }, ports());
  if (key.kind === 'failure') throw new Error(key.message);
  return key;
}

async function rotated(key: MadeKey, options: Parameters<typeof rotateKey>[1] = {}) {
  const held = config.list('key').find(({ document }) => document.id === key.entry.document.id);
  const next = await rotateKey(held ?? key.entry, options, ports());
  if (next.kind === 'failure') throw new Error(next.message);
  return next;
}

describe('a new key', () => {
  it('keeps its name, scopes and expiry, and never its text', async () => {
    const expiresAt = clock.wallMs() + 90 * DAY_MS;
    const { text, entry } = await made({ name: 'match server', expiresAt });
    expect(entry.document).toMatchObject({ name: 'match server', scopes: ['track'], expiresAt, revokedAt: null });
    expect(entry.key).toBe(hashApiKey(text));
    expect(JSON.stringify(config.list('key'))).not.toContain(text.slice('sk_live_'.length + 4));
    expect((await made({ name: 'match server' })).entry.document.id).not.toBe(entry.document.id);
  });

  it.each<[string, Partial<ApiKeyRequest>, string]>([
    ['a scope that no client key has', { kind: 'client', scopes: ['track', 'define'] }, '/scopes'],
    ['the audit for a client key', { kind: 'client', scopes: ['audit:read'] }, '/scopes'],
    ['an expiry now', { expiresAt: Date.UTC(2026, 0, 1) }, '/expires_at'],
    ['an expiry that no time is', { expiresAt: Number.NaN }, '/expires_at'],
    ['an expiry in eleven years', { expiresAt: Date.UTC(2037, 0, 1) }, '/expires_at'],
    ['a name that is too long', { name: 'x'.repeat(CONFIG_LIMITS.keyNameLength + 1) }, '/name'],
    ['a name that moves the cursor', { name: 'good\u001B[2K' }, '/name'],
  ])('is refused with %s', async (_, request, path) => {
    const refused = await createKey({ ...REQUEST, ...request }, ports());
    expect(refused).toMatchObject({ kind: 'failure', code: 'VALIDATION_ERROR', details: { fields: [{ path }] } });
    expect(config.list('key')).toEqual([]);
  });

  it('has its place while others are valid, revoked and expired ones apart', async () => {
    const all = [];
    for (let n = 0; n < CONFIG_LIMITS.keysOfEnvironment; n += 1) {
      all.push(await made(n === 0 ? { expiresAt: clock.wallMs() + 1_000 } : {}));
    }
    expect(await createKey(REQUEST, ports())).toMatchObject({ code: 'CONFLICT' });
    expect(await createKey({ ...REQUEST, environment: 'test' }, ports())).toMatchObject({ kind: 'made' });
    await clock.advance(1_000);
    await made();
    expect(await createKey(REQUEST, ports())).toMatchObject({ code: 'CONFLICT' });
    await revokeKey(all[1]!.entry, ports());
    await made();
  });

  it('takes the place of the oldest ended one when very many are kept, never of a valid one', async () => {
    const first = await made();
    for (let n = 1; n < CONFIG_LIMITS.keysKept; n += 1) {
      await clock.advance(1);
      const { entry } = await made();
      await revokeKey(entry, ports());
    }
    const oldestEnded = config.list('key').toSorted((a, b) => a.document.createdAt - b.document.createdAt)[1];
    await made();
    const kept = config.list('key');
    expect(kept).toHaveLength(CONFIG_LIMITS.keysKept);
    expect(kept.map(({ document }) => document.id)).toContain(first.entry.document.id);
    expect(kept.map(({ document }) => document.id)).not.toContain(oldestEnded?.document.id);
  });
});

describe('a rotation', () => {
  it('makes a key of the same rights, and ends the old one after the overlap', async () => {
    const key = await made({ name: 'n', scopes: ['read', 'audit:read'] });
    const next = await rotated(key, { overlapDays: 3 });
    const { name, kind, tier, scopes } = key.entry.document;
    expect(next.entry.document).toMatchObject({ name, kind, tier, scopes });
    expect(next.text).not.toBe(key.text);
    expect(next.old.document.rotated).toEqual({
      successor: next.entry.document.id,
      until: clock.wallMs() + 3 * DAY_MS,
    });
    await clock.advance(3 * DAY_MS - 1);
    expect(isValid(next.old.document, clock.wallMs())).toBe(true);
    await clock.advance(1);
    expect(isValid(next.old.document, clock.wallMs())).toBe(false);
    expect(isValid(next.entry.document, clock.wallMs())).toBe(true);
  });

  it('lasts seven days unless it says otherwise, and ends the old key at once with 0', async () => {
    const week = await rotated(await made());
    expect(endOf(week.old.document)).toBe(clock.wallMs() + 7 * DAY_MS);
    const atOnce = await rotated(await made(), { overlapDays: 0 });
    expect(isValid(atOnce.old.document, clock.wallMs())).toBe(false);
  });

  it('moves no end later: neither an expiry nor the end of an earlier rotation', async () => {
    const expiresAt = clock.wallMs() + 2 * DAY_MS;
    const soon = await rotated(await made({ expiresAt }), { overlapDays: 30 });
    expect(endOf(soon.old.document)).toBe(expiresAt);
    const key = await made();
    await rotated(key, { overlapDays: 1 });
    const again = await rotated(key, { overlapDays: 30 });
    expect(endOf(again.old.document)).toBe(clock.wallMs() + DAY_MS);
    expect(again.old.document.rotated?.successor).toBe(again.entry.document.id);
  });

  it('gives the successor the life of the key, or the expiry that it names', async () => {
    const key = await made({ expiresAt: clock.wallMs() + 90 * DAY_MS });
    await clock.advance(80 * DAY_MS);
    const next = await rotated(key);
    expect(next.entry.document.expiresAt).toBe(clock.wallMs() + 90 * DAY_MS);
    const after = await rotated(next, { expiresAt: clock.wallMs() + 5 * DAY_MS });
    expect(after.entry.document.expiresAt).toBe(clock.wallMs() + 5 * DAY_MS);
    expect((await rotated(await made())).entry.document.expiresAt).toBeUndefined();
  });

  it('is refused for a key that has ended, and with a wrong expiry, and changes nothing', async () => {
    const expired = await made({ expiresAt: clock.wallMs() + 10 });
    const key = await made();
    const revoked = await made();
    await revokeKey(revoked.entry, ports());
    await clock.advance(10);
    const before = config.list('key');
    for (const { entry } of [expired, revoked]) {
      const held = config.list('key').find(({ key: hash }) => hash === entry.key);
      expect(await rotateKey(held ?? entry, {}, ports())).toMatchObject({ code: 'CONFLICT' });
    }
    expect(await rotateKey(key.entry, { expiresAt: 1 }, ports())).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(config.list('key')).toEqual(before);
  });

  it('is possible at the maximum of keys, and bounded itself', async () => {
    const all = [];
    for (let n = 0; n < CONFIG_LIMITS.keysOfEnvironment; n += 1) all.push(await made());
    for (const key of all) await rotated(key);
    const last = config.list('key')[0]!;
    expect(await rotateKey(last, {}, ports())).toMatchObject({ code: 'CONFLICT' });
    expect(config.list('key')).toHaveLength(CONFIG_LIMITS.keysWithSuccessors);
  });

  it('leaves no successor behind if the old key cannot be changed', async () => {
    const key = await made();
    const writes: Pick<ConfigStore, 'put' | 'delete'> = {
      put: async (address, document, revision) =>
        revision === 0 ? config.put(address, document, revision) : { kind: 'unavailable' },
      delete: (address, revision) => config.delete(address, revision),
    };
    expect(await rotateKey(key.entry, {}, ports(writes))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(config.list('key').map(({ document }) => document)).toEqual([key.entry.document]);
    // Another request changed it meanwhile.
    await revokeKey(key.entry, ports());
    expect(await rotateKey(key.entry, {}, ports())).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(config.list('key')).toHaveLength(1);
  });
});
