import { beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../../core/kernel/days.ts';
import { systemIds as ids } from '../../../../core/kernel/ids.ts';
import { type ApiKeyRequest, createApiKey } from '../../../../streams/config/api-keys.ts';
import { createGame, gameAddress } from '../../../../streams/config/games.ts';
import { rotateKey } from '../../../../streams/config/key-changes.ts';
import { USE_LIMITS } from '../../../../streams/limits.ts';
import { createFakeClock, type FakeClock } from '../../../../test/support/in-memory/fake-clock.ts';
import {
  createMemoryConfigStore,
  type MemoryConfigStore,
} from '../../../../test/support/in-memory/memory-config-store.ts';
import { createKeyRing, type KeyRing } from './key-ring.ts';

let clock: FakeClock;
let config: MemoryConfigStore;
let noted: { id: string; at: number }[];
let ring: KeyRing;

beforeEach(async () => {
  clock = createFakeClock();
  config = createMemoryConfigStore();
  noted = [];
  await config.put(gameAddress('g'), createGame('g', 't', clock, ids));
  ring = createKeyRing(config, clock, {
    note: (_, keys) => {
      if (keys !== 'all') for (const id of keys) noted.push({ id, at: clock.wallMs() });
    },
  });
});

async function stored(request: Partial<ApiKeyRequest> = {}) {
  const made = createApiKey(
    { game: 'g', environment: 'live', kind: 'server', tier: 'pro', scopes: [], ...request },
    clock,
    ids,
  );
  const written = await config.put(made.address, made.document, 0);
  if (written.kind !== 'written') throw new Error(written.kind);
  return { ...made, entry: written.entry };
}

describe('a key that expires', () => {
  it('is found until its end and not a millisecond longer, cached or not', async () => {
    const { text, document } = await stored({ expiresAt: clock.wallMs() + 1_000 });
    expect(ring.find(text)?.id).toBe(document.id);
    await clock.advance(999);
    expect(ring.find(text)?.id).toBe(document.id);
    expect(ring.ids().has(document.id)).toBe(true);
    await clock.advance(1);
    expect(ring.find(text)).toBeUndefined();
    expect(ring.findById(document.id)).toBeUndefined();
    expect(ring.ids().has(document.id)).toBe(false);
    expect(ring.knows(document.id)).toBe(true);
  });

  it('ends what is open with it at that time, without a request', async () => {
    const ended: number[] = [];
    const [one, other] = [await stored({ expiresAt: clock.wallMs() + 40 * DAY_MS }), await stored()];
    ring.onChange(() => {
      if (!ring.ids().has(one.document.id)) ended.push(clock.wallMs());
    });
    await clock.advance(40 * DAY_MS - 1);
    expect(ended).toEqual([]);
    await clock.advance(1);
    expect(ended).toEqual([one.document.expiresAt]);
    expect(ring.find(other.text)?.id).toBe(other.document.id);
    expect(clock.timers).toBe(0);
  });

  it('ends by its rotation, for every process that has seen the write', async () => {
    const { text, entry } = await stored();
    expect(ring.find(text)).toBeDefined();
    const made = await rotateKey(entry, { overlapDays: 2 }, { config, writes: config, clock, ids });
    if (made.kind === 'failure') throw new Error(made.message);
    await clock.advance(2 * DAY_MS - 1);
    expect(ring.find(text)?.id).toBe(entry.document.id);
    await clock.advance(1);
    expect(ring.find(text)).toBeUndefined();
    expect(ring.find(made.text)?.id).toBe(made.entry.document.id);
  });

  it('needs no timer once the ring has stopped', async () => {
    await stored({ expiresAt: clock.wallMs() + 1_000 });
    ring.stop();
    expect(clock.timers).toBe(0);
  });
});

describe('the use of a key', () => {
  it('is noted by its first request, and once a minute from then on', async () => {
    const { text, document } = await stored();
    const start = clock.wallMs();
    for (let n = 0; n < 100; n += 1) ring.find(text);
    expect(noted).toEqual([{ id: document.id, at: start }]);
    await clock.advance(USE_LIMITS.keyNotedMs - 1);
    ring.find(text);
    expect(noted).toHaveLength(1);
    await clock.advance(1);
    ring.find(text);
    expect(noted.at(-1)).toEqual({ id: document.id, at: start + USE_LIMITS.keyNotedMs });
  });

  it('is not noted for a text that is no key, or a key that has ended', async () => {
    const { text, document } = await stored({ expiresAt: clock.wallMs() + 10 });
    ring.find(`${text}x`);
    ring.findById(document.id);
    await clock.advance(10);
    ring.find(text);
    expect(noted).toEqual([]);
  });
});

describe('what a key may do', () => {
  it('is limited by the scopes that it names', async () => {
    const [limited, whole] = [await stored({ scopes: ['track'] }), await stored({ scopes: ['scoring:write'] })];
    expect([...(ring.find(limited.text)?.scopes ?? [])]).toEqual(['track']);
    expect(ring.find(whole.text)?.scopes.has('erase')).toBe(true);
    expect(ring.find(whole.text)?.scopes.has('scoring:write')).toBe(true);
    expect(ring.find(whole.text)?.scopes.has('audit:read')).toBe(false);
  });
});
