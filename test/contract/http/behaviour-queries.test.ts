import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { happened, madeHistory, type PastEvent, rowOf } from '../../support/behaviour/histories.ts';
import { funnelFiguresOf, funnelPlayersOf } from '../../support/behaviour/funnel-oracle.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { runSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* Queries about what players do, over HTTP on the real engine. */

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const FROM_MS = Date.UTC(2026, 0, 10);
const range = { from: '2026-01-10T00:00:00Z', to: '2026-01-12T00:00:00Z' };

let clickhouse: TestClickhouse;
let analytics: Analytics;
let gateway: Gateway;
const made = madeHistory(11, FROM_MS, 120_000);

beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  gateway = await startGateway({ analytics });
  await add('demo', made);
  // One batch: bought on the device a minute before the shop was opened. And one from offline play, hours apart.
  await add('other', [...batch(1, ['buy', -120], ['shop', -60]), ...batch(2, ['walk', -14_400], ['pay', -3_600])]);
});
afterAll(async () => {
  await gateway.close();
  await analytics.close();
  await clickhouse.close();
});

async function add(game: string, events: readonly PastEvent[]): Promise<void> {
  const body = events.map((event) => JSON.stringify(rowOf(game, event))).join('\n');
  expect(await runSql(clickhouse, 'INSERT INTO events FORMAT JSONEachRow', { body })).toMatchObject({ status: 200 });
}

/** Ten players, each with one batch of events. @param events names, and seconds before the receipt */
function batch(group: number, ...events: readonly [name: string, seconds: number][]): PastEvent[] {
  return Array.from({ length: 10 }, (_, n) => group * 100 + n).flatMap((player) =>
    events.map(([name, seconds], index) => {
      const receivedMs = FROM_MS + 24 * HOUR_MS;
      const timestampMs = receivedMs + seconds * SECOND_MS;
      const happenedMs = happened(timestampMs, receivedMs);
      return { player, name, mode: '', country: '', timestampMs, receivedMs, happenedMs, sequence: player, index };
    }),
  );
}

async function ask(game: string, body: object) {
  const response = await gateway.call(await gateway.key({ game }), 'POST', '/v1/analytics/queries', {
    ...range,
    ...body,
  });
  const { data, error } = await bodyOf(response);
  return { status: response.status, data, error };
}

const names = (...steps: string[]) => steps.map((name) => ({ event_name: name }));

async function playersOf(game: string, body: object): Promise<unknown[]> {
  const { data } = await ask(game, { kind: 'funnel', ...body });
  return listIn(listIn(data['funnels'])[0]?.['steps']).map(({ players }) => players);
}

describe('a funnel', () => {
  it('orders the events of a batch as they happened, not as they came', async () => {
    expect(await playersOf('other', { steps: names('shop', 'buy') })).toEqual([10, 0]);
    expect(await playersOf('other', { steps: names('buy', 'shop') })).toEqual([10, 10]);
    expect(await playersOf('other', { steps: names('walk', 'pay'), window_seconds: 3_600 })).toEqual([10, 0]);
    const { data } = await ask('other', { kind: 'funnel', steps: names('walk', 'pay') });
    const [, last] = listIn(listIn(data['funnels'])[0]?.['steps']);
    expect(last).toMatchObject({
      players: 10,
      seconds_from_previous: { median: 10_800, p90: 10_800 },
      seconds_from_first: { median: 10_800, p90: 10_800 },
    });
  });

  it('answers what its players did, step by step', async () => {
    const steps = ['shop', 'buy', 'shop'];
    const { data } = await ask('demo', {
      kind: 'funnel',
      window_seconds: 20,
      steps: names(...steps),
      exclusions: names('quit'),
    });
    const [figures] = funnelFiguresOf(
      funnelPlayersOf(made, {
        order: 'ordered',
        steps: steps.map((name) => ({ name })),
        exclusions: [{ name: 'quit' }],
        windowMs: 20_000,
        fromMs: FROM_MS,
        toMs: FROM_MS + 48 * HOUR_MS,
        nowMs: Date.now(),
      }),
      3,
    );
    const [all = 0, second = 0, third = 0] = figures?.reached ?? [];
    expect([all > second, second > third, third > 0]).toEqual([true, true, true]);
    expect(data['order']).toBe('ordered');
    const duration = (place: number, of: 'from_previous' | 'from_first') => {
      const [median, p90] = (figures?.[of][place] ?? []).map((ms) => Math.round(ms ?? 0) / 1_000);
      return { median, p90 };
    };
    const rate = (players: number) => Math.round((players / all) * 10_000) / 10_000;
    const step = (place: number, players: number, next: number | null) => ({
      event_name: steps[place],
      players,
      converted: next,
      dropped: next === null ? null : players - next,
      inside: next === null ? null : 0,
      rate: rate(players),
      seconds_from_previous: place === 0 ? null : duration(place, 'from_previous'),
      seconds_from_first: place === 0 ? null : duration(place, 'from_first'),
    });
    expect(data['funnels']).toEqual([
      { key: '', steps: [step(0, all, second), step(1, second, third), step(2, third, null)] },
    ]);
  });

  it('in any order names no events, and one without players has no figures', async () => {
    const { data } = await ask('demo', { kind: 'funnel', order: 'any_order', steps: names('buy', 'shop') });
    expect(listIn(listIn(data['funnels'])[0]?.['steps']).map((step) => step['event_name'])).toEqual([null, null]);
    const none = await ask('demo', { kind: 'funnel', steps: names('nothing', 'shop') });
    const step = { players: 0, rate: null, seconds_from_previous: null, seconds_from_first: null };
    expect(listIn(none.data['funnels'])[0]).toMatchObject({ key: '', steps: [step, step] });
  });

  it.each([
    [{ order: 'strict', steps: names('a', 'b'), exclusions: names('c') }, '/exclusions'],
    [{ order: 'any_order', steps: names('a', 'b', 'c', 'd', 'e', 'f', 'g') }, '/steps'],
    [
      { order: 'any_order', steps: names('a', 'b'), exclusions: [{ event_name: 'c', after_step: 1 }] },
      '/exclusions/0/after_step',
    ],
    [{ steps: names('a', 'b'), exclusions: [{ event_name: 'c', after_step: 2 }] }, '/exclusions/0/after_step'],
    [{ order: 'backwards', steps: names('a', 'b') }, '/order'],
  ])('is refused if it has no meaning: %j', async (body, field) => {
    const { status, error } = await ask('demo', { kind: 'funnel', ...body });
    expect([status, error?.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(JSON.stringify(error?.details)).toContain(field);
  });
});

function listIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value : [];
}
