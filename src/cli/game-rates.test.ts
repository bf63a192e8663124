import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock as clock } from '../../core/kernel/clock.ts';
import { systemIds as ids } from '../../core/kernel/ids.ts';
import { ratesAddress } from '../../streams/config/exchange-rates.ts';
import { createGame, gameAddress } from '../../streams/config/games.ts';
import { createMemoryBroker } from '../../streams/log/memory/log-memory.ts';
import { createMemoryConfigStore, type MemoryConfigStore } from '../../test/support/in-memory/memory-config-store.ts';
import { createProgram } from './program.ts';

const folder = mkdtempSync(join(tmpdir(), 'rates-'));
afterAll(() => rmSync(folder, { recursive: true }));

let store: MemoryConfigStore;
let printed: string[];
beforeEach(async () => {
  store = createMemoryConfigStore();
  printed = [];
  await store.put(gameAddress('demo'), { ...createGame('demo', 't', clock, ids), currency: 'EUR' });
});

async function run(...words: string[]): Promise<string> {
  const program = await createProgram({
    clock,
    ids,
    print: (line) => void printed.push(line),
    note: () => {},
    dataDir: '',
    modelPath: '',
    withConfigStore: (use) => use(store, createMemoryBroker({ clock }).connect()),
    withDeployment: () => Promise.reject(new Error('no command needs the streams')),
    baseUrl: () => undefined,
    clickhouse: () => ({ url: '', user: '', password: '', database: '' }),
  });
  await program.parseAsync(['games', ...words], { from: 'user' });
  return printed.join('\n');
}

function file(text: string): string {
  const path = join(folder, 'rates.csv');
  writeFileSync(path, text);
  return path;
}

describe('games rates', () => {
  it('replaces all rates by those of a file, shows and deletes them', async () => {
    expect(await run('rates', 'demo')).toContain('no exchange rates');
    const rows = 'day,currency,rate\r\n2026-01-16,JPY,0.00547\r\n2026-01-15,JPY,5.45e-3\n2026-01-15,USD,.8594\n';
    const shown = await run('rates', 'demo', '--file', file(`\uFEFF${rows}`));
    expect(shown).toContain('Rates to EUR, version 1');
    expect(shown).toMatch(/JPY +2 +2026-01-15 +2026-01-16 +0\.00547/);
    expect(store.get(ratesAddress('demo'))?.document.rates).toEqual({
      JPY: { days: [20_468, 20_469], rates: [0.00545, 0.00547] },
      USD: { days: [20_468], rates: [0.8594] },
    });
    await run('rates', 'demo', '--file', file('currency,rate,day\nSEK,0.0889,2026-01-15'));
    expect(store.get(ratesAddress('demo'))?.document).toMatchObject({
      version: 2,
      rates: { SEK: { days: [20_468], rates: [0.0889] } },
    });
    await run('rates', 'demo', '--delete');
    expect(store.get(ratesAddress('demo'))).toBe(undefined);
  });

  it.each([
    ['day,currency,rate\n2026-01-15,JPY,1\n2026-01-15,JPY,2', ':3 has two rates of JPY for a day.'],
    ['day,currency,rate\n2026-01-15,JPY,0', ':2 must be a number greater than 0.'],
    ['day,currency,rate\n2026-01-15,JPY,"1,5"', ':2 must be a number greater than 0.'],
    ['day,currency,rate\n2026-13-15,JPY,1', ':2 must be of a day'],
    ['day,currency,rate\n2026-01-15,EUR,1', 'another currency than EUR'],
    ['day,currency,rate\n2026-01-15,JPY', ':2 has 2 fields instead of 3.'],
    ['day;currency;rate\n2026-01-15;JPY;1', 'must name the columns day, currency, rate'],
    ['day,currency,rate\n', 'must have a rate'],
  ])('refuses %j and stores nothing', async (text, message) => {
    await expect(run('rates', 'demo', '--file', file(text))).rejects.toThrow(message);
    expect(store.get(ratesAddress('demo'))).toBe(undefined);
  });

  it('needs a currency of the game, which games set then keeps', async () => {
    const rates = file('day,currency,rate\n2026-01-15,JPY,0.00547');
    await run('set', 'demo', '--currency', 'none');
    await expect(run('rates', 'demo', '--file', rates)).rejects.toThrow('games set demo --currency');
    await run('set', 'demo', '--currency', 'EUR');
    await run('rates', 'demo', '--file', rates);
    await expect(run('set', 'demo', '--currency', 'USD')).rejects.toThrow('exchange rates to EUR');
    await run('set', 'demo', '--time-zone', 'Asia/Tokyo');
    await expect(run('rates', 'other')).rejects.toThrow('There is no game other.');
  });
});
