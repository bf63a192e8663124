import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aFlag, aRule } from '../../../actors/flags/evaluate/testing-flag.ts';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { runSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* What is stale, with a real ClickHouse, and without one. */

const DAY_MS = 86_400_000;
const NOW = Date.now();
const daysAgo = (days: number): number => NOW - days * DAY_MS;
const iso = (ms: number): string => new Date(ms).toISOString();
const HALF = aRule({ percentage: 50 });

let clickhouse: TestClickhouse;
let real: Analytics;
let gateway: Gateway;
let key: string;
let isDown = false;
/** The keys of flags of each query for their use. */
let asked: (readonly string[] | undefined)[] = [];

beforeAll(async () => {
  clickhouse = await startWithTables();
  real = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  gateway = await startGateway({
    analytics: {
      ...real,
      flagUsage(query) {
        asked.push(query.keys);
        return isDown ? Promise.resolve({ kind: 'unavailable' }) : real.flagUsage(query);
      },
    },
  });
  key = await gateway.key();
  const flags: Record<string, Partial<FlagDocument>> = {
    a_ended: { rules: [HALF], endsAt: daysAgo(2) },
    b_unused: { rules: [HALF] },
    c_exposed: { rules: [HALF] },
    d_settled: { rules: [aRule()] },
    e_new: { createdAt: daysAgo(3), updatedAt: daysAgo(3) },
    f_relabelled: { updatedAt: daysAgo(1), version: 2, effective: { version: 1, revision: 1, at: daysAgo(50) } },
    g_ends_later: { rules: [HALF], createdAt: daysAgo(3), updatedAt: daysAgo(3), endsAt: NOW + DAY_MS },
    h_gone: { archivedAt: daysAgo(40) },
  };
  for (const [name, some] of Object.entries(flags)) {
    const document = aFlag({ key: name, clientVisible: true, createdAt: daysAgo(60), updatedAt: daysAgo(60), ...some });
    await gateway.config.put({ game: 'demo', environment: 'live', kind: 'flag', key: name }, document);
  }
  const rows = [
    ['b_unused', 45],
    ['c_exposed', 45],
    ['c_exposed', 29],
    ['d_settled', 1],
  ] as const;
  const body = rows
    .map(([flag, days], n) =>
      JSON.stringify({
        game_id: 'demo',
        environment: 'live',
        flag_key: flag,
        flag_version: 1,
        period: 1,
        value: 'true',
        reason: 'default',
        attribution: 'local',
        player_id: '00000000-0000-5000-8000-000000000001',
        facts_sequence: n + 1,
        received_at: iso(daysAgo(days)).replace('T', ' ').replace('Z', ''),
      }),
    )
    .join('\n');
  const inserted = await runSql(clickhouse, 'INSERT INTO flag_exposures FORMAT JSONEachRow', { body });
  expect(inserted).toMatchObject({ status: 200 });
});
beforeEach(() => {
  isDown = false;
  asked = [];
});
afterAll(async () => {
  await gateway.close();
  await real.close();
  await clickhouse.close();
});

async function read(path: string) {
  const response = await gateway.call(key, 'GET', `/v1/flags/flags${path}`);
  expect(response.status).toBe(200);
  return (await bodyOf(response)).data;
}

async function staleIn(query: string): Promise<Record<string, unknown>> {
  const flags: unknown = (await read(query))['flags'];
  if (!Array.isArray(flags)) throw new Error('there is no list');
  return Object.fromEntries(flags.map((flag: Record<string, unknown>) => [flag['key'], flag['stale']]));
}

describe('a stale flag', () => {
  const ended = { reason: 'ended', since: iso(daysAgo(2)) };
  const unused = { reason: 'unused', since: iso(daysAgo(45)) };
  const settled = { reason: 'settled', since: iso(daysAgo(60)) };

  it('says why and since when, by one query for a page', async () => {
    expect(await staleIn('')).toEqual({
      a_ended: ended,
      b_unused: unused,
      c_exposed: null,
      d_settled: settled,
      e_new: null,
      f_relabelled: { reason: 'unused', since: iso(daysAgo(50)) },
      g_ends_later: null,
    });
    expect(asked).toEqual([['a_ended', 'b_unused', 'c_exposed', 'd_settled', 'f_relabelled']]);
    expect((await read('/b_unused'))['stale']).toEqual(unused);
    expect((await read('/h_gone?state=archived'))['stale']).toBeNull();
  });

  it('asks about the flags of the page only, and about none that is new', async () => {
    expect(await staleIn('?limit=1&sort=key&order=desc')).toEqual({ g_ends_later: null });
    expect(await staleIn('?limit=2')).toEqual({ a_ended: ended, b_unused: unused });
    expect(asked).toEqual([['a_ended', 'b_unused']]);
  });

  it('is found by its state, page by page', async () => {
    const first = await read('?state=stale&limit=2');
    expect(first['flags']).toMatchObject([{ key: 'a_ended' }, { key: 'b_unused' }]);
    const second = await read(`?state=stale&limit=2&cursor=${String(first['next_cursor'])}`);
    expect(second).toMatchObject({ flags: [{ key: 'd_settled' }, { key: 'f_relabelled' }], next_cursor: null });
    expect(asked).toHaveLength(2);
  });

  it('is not called unused while ClickHouse does not answer, which is said', async () => {
    isDown = true;
    expect(await staleIn('')).toEqual({
      a_ended: ended,
      b_unused: null,
      c_exposed: null,
      d_settled: settled,
      e_new: null,
      f_relabelled: { reason: 'settled', since: iso(daysAgo(50)) },
      g_ends_later: null,
    });
    expect(await read('/b_unused')).toMatchObject({ stale: null, stale_unknown: 'use_unavailable' });
    expect(await read('/e_new')).not.toHaveProperty('stale_unknown');
  });

  it('is what it was for evaluations and definitions after its end', async () => {
    const path = '/v1/flags/flags/g_ends_later';
    const before = await (await gateway.call(key, 'GET', '/v1/flags/definitions')).text();
    const patched = await gateway.call(key, 'PATCH', path, { ends_at: iso(daysAgo(1)) });
    expect((await bodyOf(patched)).data).toMatchObject({ ends_at: iso(daysAgo(1)), version: 2, edit_effect: 'none' });
    expect((await read('/g_ends_later'))['stale']).toEqual({ reason: 'ended', since: iso(daysAgo(1)) });
    expect(await (await gateway.call(key, 'GET', '/v1/flags/definitions')).text()).toBe(before);
    await gateway.call(key, 'PATCH', path, { ends_at: null });
    expect(await read('/g_ends_later')).toMatchObject({ ends_at: null, stale: null });
  });
});
