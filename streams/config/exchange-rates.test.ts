import { expect, it } from 'vitest';
import { createMemoryConfigStore } from '../../test/support/in-memory/memory-config-store.ts';
import { dateOf } from '../../core/kernel/zoned-days.ts';
import type { GameDocument } from '../../core/vocabulary/documents/game.ts';
import { exchangeOf, ratesAddress } from './exchange-rates.ts';
import { gameAddress } from './games.ts';

const JAN_10 = Date.UTC(2026, 0, 10) / 86_400_000;
const TABLE = {
  currency: 'EUR',
  rates: { JPY: { days: [JAN_10, JAN_10 + 1, JAN_10 + 20], rates: [0.0061, 0.0062, 0.0063] } },
  updatedAt: 1,
  version: 1,
};

async function aGame(settings: Partial<GameDocument> = { currency: 'EUR' }, table = TABLE) {
  const config = createMemoryConfigStore();
  await config.put(gameAddress('demo'), { name: 'demo', tenant: 't', namespace: 'n', createdAt: 1, ...settings });
  await config.put(ratesAddress('demo'), table);
  return (time: string, currency: string | null = 'JPY', game = 'demo') =>
    exchangeOf(config, game, currency, Date.parse(time));
}

it.each([
  ['2026-01-09T23:59:59.999Z', null],
  ['2026-01-10T00:00:00.000Z', 0.0061],
  ['2026-01-10T23:59:59.999Z', 0.0061],
  ['2026-01-11T00:00:00.000Z', 0.0062],
  ['2026-01-18T23:59:59.999Z', 0.0062],
  ['2026-01-19T00:00:00.000Z', null],
  ['2026-01-29T23:59:59.999Z', null],
  ['2026-01-30T12:00:00.000Z', 0.0063],
])('the rate at %s is that of the newest day, at most 7 days before: %s', async (time, rate) => {
  const at = await aGame();
  expect(at(time)).toEqual(rate === null ? { rate, day: time.slice(0, 10) } : { rate });
});

it("counts days in the game's time zone", async () => {
  const at = await aGame({ currency: 'EUR', timeZone: 'America/Sao_Paulo' });
  expect(at('2026-01-10T02:59:59.999Z')).toEqual({ rate: null, day: '2026-01-09' });
  expect(at('2026-01-10T03:00:00.000Z')).toEqual({ rate: 0.0061 });
  expect(at('2026-01-11T02:59:59.999Z')).toEqual({ rate: 0.0061 });
});

it("converts neither the game's own currency, nor one that is not named, nor in a game without rates", async () => {
  const at = await aGame();
  expect([at('2026-01-10', 'EUR'), at('2026-01-10', null), at('2026-01-10', 'JPY', 'other')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

it('knows no rate of a currency without any, nor to another currency than that of the game', async () => {
  expect((await aGame())('2026-01-10', 'USD')).toEqual({ rate: null, day: '2026-01-10' });
  const changed = await aGame({ currency: 'SEK' });
  expect([changed('2026-01-10'), changed('2026-01-10', 'SEK')]).toEqual([
    { rate: null, day: dateOf(JAN_10) },
    undefined,
  ]);
});
