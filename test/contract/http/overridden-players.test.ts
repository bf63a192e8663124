import { afterAll, beforeAll, expect, it } from 'vitest';
import { aFlagDocument } from '../../../actors/flags/testing-served-flags.ts';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import type { DomainFact } from '../../../core/vocabulary/facts/facts.ts';
import { createErasureTarget } from '../../../streams/sinks/clickhouse/erasure/erasure-target.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { rowsOf, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { aGame, playerId, write } from '../../support/wire/decided-game.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* The list of a flag's overrides, from decisions through the sink and a real ClickHouse. */

const AT = Date.UTC(2026, 0, 15, 10, 30);
const PATH = '/v1/flags/flags/shop/overrides';
const VARIANTS = [
  { key: 'a', value: { p: 1, q: [null] }, weight: 1 },
  { key: 'b', value: 'x', weight: 1 },
];

let clickhouse: TestClickhouse;
let analytics: Analytics;
let gateway: Gateway;
let key: string;

beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  gateway = await startGateway({ analytics });
  key = await gateway.key();
  const flags = [
    { environment: 'live', key: 'shop', archivedAt: null },
    { environment: 'live', key: 'unused', archivedAt: null },
    { environment: 'live', key: 'gone', archivedAt: AT },
    { environment: 'test', key: 'shop', archivedAt: null },
  ] as const;
  for (const { environment, ...some } of flags) {
    const document = aFlagDocument({ ...some, flagType: 'json', variants: VARIANTS, defaultValue: null });
    await gateway.config.put({ game: 'demo', environment, kind: 'flag', key: some.key }, document);
  }
  await writeOverrides();
});
afterAll(async () => {
  await gateway.close();
  await analytics.close();
  await clickhouse.close();
});

async function writeOverrides(): Promise<void> {
  const game = aGame();
  const override = (n: number, minute: number, value: string | null, flagKey = 'shop') =>
    game.send(n, AT + minute * 60_000, 'server', { kind: 'OverrideFlag', playerId: playerId(n), flagKey, value });
  override(5, 1, '{"q":[null],"p":1}');
  override(1, 2, '"first"');
  override(1, 3, '"x"');
  // The same value again is no change.
  override(1, 4, '"x"');
  override(2, 5, '1');
  override(2, 6, null);
  override(3, 7, '3');
  override(3, 8, null);
  override(3, 9, 'null');
  override(4, 10, '"erased"');
  override(6, 11, '"of another flag"', 'gone');
  const scope = { game: 'demo', environment: 'test', entityId: playerId(7), externalId: 'ext-7' } as const;
  const inTest: DomainFact = { ...scope, kind: 'FlagOverridden', at: AT, flagKey: 'shop', value: '"in test"' };
  await write(clickhouse, [...game.records, [inTest]]);
  await erase(4);
}

/** Deletes the rows of a player, as the sink does for an erasure after all that was written. */
async function erase(n: number): Promise<void> {
  const target = createErasureTarget(clickhouse.address);
  const place = { createdMs: Date.now() + 1, sequence: 1, index: 0, erasedAt: AT, rows: undefined, deviceId: '' };
  const erasure = { game: 'demo', environment: 'live', playerId: playerId(n), ...place };
  const sql = `SELECT value FROM flag_override_states WHERE player_id = '${playerId(n)}'`;
  expect(await rowsOf(clickhouse, sql)).toEqual([{ value: '"erased"' }]);
  while ((await target.remove([erasure], undefined)) === 'later');
  expect(await rowsOf(clickhouse, sql)).toEqual([]);
  await target.close();
}

async function get(path: string, asKey = key, of = gateway) {
  const response = await of.call(asKey, 'GET', path);
  const { data, error } = await bodyOf(response);
  return { status: response.status, data, code: error?.code };
}

const shown = (n: number, value: unknown, variantKey: string | null, minute: number) => ({
  player_id: playerId(n),
  external_id: `ext-${n}`,
  value,
  variant_key: variantKey,
  set_at: new Date(AT + minute * 60_000).toISOString(),
});
const ALL = [shown(1, 'x', 'b', 3), shown(3, null, null, 9), shown(5, { q: [null], p: 1 }, 'a', 1)];

it('has the newest override of each player, without the removed and the erased', async () => {
  expect(await get(PATH)).toMatchObject({ status: 200, data: { overrides: ALL, next_cursor: null } });
});

it('goes page by page in the order of player ids', async () => {
  const found: unknown[] = [];
  const sizes: number[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { data } = await get(`${PATH}?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
    const page: { overrides: unknown[]; next_cursor: string | null } = JSON.parse(JSON.stringify(data));
    found.push(...page.overrides);
    sizes.push(page.overrides.length);
    cursor = page.next_cursor;
  }
  expect(found).toEqual(ALL);
  expect(sizes).toEqual([2, 1]);
  expect((await get(`${PATH}?limit=3`)).data).toMatchObject({ next_cursor: null });
});

it('keeps environments and flags apart, and shows those of an archived flag', async () => {
  const test = await gateway.key({ environment: 'test' });
  const inTest = { ...shown(7, 'in test', null, 0) };
  expect((await get(PATH, test)).data).toEqual({ overrides: [inTest], next_cursor: null });
  const gone = { overrides: [shown(6, 'of another flag', null, 11)], next_cursor: null };
  expect((await get('/v1/flags/flags/gone/overrides')).data).toEqual(gone);
  expect((await get('/v1/flags/flags/unused/overrides')).data).toEqual({ overrides: [], next_cursor: null });
});

it('refuses what the list of the players of a segment refuses', async () => {
  expect(await get('/v1/flags/flags/never/overrides')).toMatchObject({ status: 404, code: 'FLAG_NOT_FOUND' });
  const other = await gateway.key({ game: 'other' });
  expect(await get(PATH, other)).toMatchObject({ status: 404, code: 'FLAG_NOT_FOUND' });
  expect(await get(`${PATH}?cursor=nonsense`)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
  expect(await get(`${PATH}?limit=501`)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
  const client = await gateway.key({ kind: 'client' });
  expect(await get(PATH, client)).toMatchObject({ status: 403, code: 'FORBIDDEN' });
  const address = { ...clickhouse.address, url: 'http://127.0.0.1:1' };
  const away = createAnalytics({ address, clock: systemClock, logger: silentLogger });
  const lonely = await startGateway({ analytics: away });
  await lonely.config.put({ game: 'demo', environment: 'live', kind: 'flag', key: 'shop' }, aFlagDocument());
  expect(await get(PATH, await lonely.key(), lonely)).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
  await lonely.close();
  await away.close();
});

it('is read by SQL: a view of both environments, and one of the live one', async () => {
  const sql = (view: string) =>
    `SELECT external_id, flag_key, value FROM ${view} WHERE game_id = 'demo' ORDER BY external_id`;
  const live = [
    { external_id: 'ext-1', flag_key: 'shop', value: '"x"' },
    { external_id: 'ext-3', flag_key: 'shop', value: 'null' },
    { external_id: 'ext-5', flag_key: 'shop', value: '{"q":[null],"p":1}' },
    { external_id: 'ext-6', flag_key: 'gone', value: '"of another flag"' },
  ];
  expect(await rowsOf(clickhouse, sql('live_flag_overrides'))).toEqual(live);
  const inTest = { external_id: 'ext-7', flag_key: 'shop', value: '"in test"' };
  expect(await rowsOf(clickhouse, sql('flag_overrides'))).toEqual([...live, inTest]);
});
