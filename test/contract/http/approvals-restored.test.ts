import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { createMemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { type ClickhouseSink, createClickhouseSink } from '../../../streams/sinks/clickhouse/clickhouse-sink.ts';
import { createPeople, type SignedInPerson } from '../../support/browser/console-people.ts';
import { createFakeLedger } from '../../support/in-memory/fake-ledger.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import type { TestClickhouse } from '../../support/servers/clickhouse.ts';
import { until } from '../../support/until.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* Nobody widens a segment alone that a restoration, which waits for a second person, would bring into use. */

let clickhouse: TestClickhouse;
let analytics: Analytics;
let sink: ClickhouseSink;
let gateway: Gateway;
let key: string;
let ann: SignedInPerson;

beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  const broker = createMemoryBroker({ clock: systemClock });
  const terms = { clock: systemClock, holder: 'sink', logger: silentLogger, metrics: createMetrics() };
  sink = createClickhouseSink({ ...terms, log: broker.connect('sink'), clickhouse: clickhouse.address });
  sink.start();
  gateway = await startGateway({
    analytics,
    log: broker.connect('gateway'),
    config: { corsOrigins: [], metricsPort: undefined, metricsPublic: false, trustedProxies: ['127.0.0.1'] },
  });
  gateway.backend.reply = createFakeLedger();
  key = await gateway.key();
  ann = await createPeople(gateway).signedIn({ game: 'demo', environment: '*', role: 'editor' });
});
afterAll(async () => {
  await gateway.close();
  await sink.stop();
  await analytics.close();
  await clickhouse.close();
});

async function call(method: string, path: string, body?: unknown) {
  const response = await gateway.call(key, method, path, body);
  const { data, error } = await bodyOf(response);
  expect(error, JSON.stringify(error)).toBeUndefined();
  return data;
}

async function approvals(isNeeded: boolean): Promise<void> {
  const game = gateway.config.get(gameAddress('demo'))?.document;
  if (game === undefined) throw new Error('there is no game');
  await gateway.config.put(gameAddress('demo'), { ...game, approval: isNeeded });
}

/** The version is in the history. */
const recorded = (item: string, version: number) =>
  until(`version ${version} of ${item}`, async () => {
    const [newest] = JSON.parse(JSON.stringify((await call('GET', `${item}/versions`))['versions'] ?? []));
    return newest?.version === version && newest.confirmed === true;
  });

const SEGMENTS = '/v1/segments/segments';
const FLAGS = '/v1/flags/flags';
const PROPERTIES = '/v1/properties/properties';
const PROPERTY = { event: 'boss', aggregate: 'count', within_days: 7 };

it('waits, by id, in conditions and as a computed property, of an archived flag and of an older version', async () => {
  const made: string[] = [];
  for (const name of ['archived', 'older', 'inside', 'free']) {
    const segment = await call('POST', SEGMENTS, { key: name, conditions: { is_payer: true } });
    made.push(String(segment['segment_id']));
  }
  const [archived = '', older = '', inside = '', free = ''] = made;
  await call('POST', PROPERTIES, { key: 'bosses', ...PROPERTY });
  await call('POST', PROPERTIES, { key: 'others', ...PROPERTY, event: 'other' });
  const flag = (name: string, rules: object[]) => ({ key: name, flag_type: 'boolean', targeting_rules: rules });
  await call('POST', FLAGS, flag('gone', [{ segment_id: archived, percentage: 100 }]));
  await call('DELETE', `${FLAGS}/gone`);
  const conditions = { $inSegment: [inside], 'computed.bosses': { $gte: 1 } };
  await call('POST', FLAGS, flag('shop', [{ segment_id: older, conditions }]));
  await call('PATCH', `${FLAGS}/shop`, { targeting_rules: [] });
  await recorded(`${FLAGS}/shop`, 2);
  await approvals(true);

  const widen = async (id: string) => {
    const version = gateway.config.get({ game: 'demo', environment: 'live', kind: 'segment', key: id })?.document
      .version;
    const response = await ann.call('PUT', `${SEGMENTS}/${id}`, { name: 'All', conditions: {}, version });
    return response.status;
  };
  const count = async (name: string) => {
    const address = { game: 'demo', environment: 'live', kind: 'property', key: name } as const;
    const version = gateway.config.get(address)?.document.version;
    const response = await ann.call('PUT', `${PROPERTIES}/${name}`, { ...PROPERTY, event: 'any', version });
    return response.status;
  };
  expect((await ann.call('POST', `${FLAGS}/gone/restore`)).status).toBe(409);
  expect((await ann.call('POST', `${FLAGS}/shop/restore`, { version: 1 })).status).toBe(409);
  const proposals = gateway.config.list('proposal', 'demo', 'live').map(({ document }) => document.change);
  expect(proposals).toEqual(['flag.restore', 'flag.restore']);
  expect([await widen(archived), await widen(older), await widen(inside), await count('bosses')]).toEqual([
    409, 409, 409, 409,
  ]);
  expect([await widen(free), await count('others')]).toEqual([200, 200]);
  await approvals(false);
});
