import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { anExperiment } from '../../../actors/experiments/testing-experiment.ts';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { TABLE_NAMES } from '../../../clickhouse-schema/rows/tables/tables.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { failure } from '../../../core/kernel/errors.ts';
import type { ReportGuardrail } from '../../../core/vocabulary/commands/commands.ts';
import type { ExperimentDocument, Guardrail } from '../../../core/vocabulary/documents/experiments.ts';
import type { ServerDeps } from '../../../src/gateway/server.ts';
import { createMemoryBroker, type MemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { createRandom } from '../../sim/random.ts';
import { auditIn } from '../../support/in-memory/audit-in.ts';
import { accept, type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { NO_ANALYTICS } from '../../support/in-memory/no-analytics.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { execSql, insertRows, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { until } from '../../support/until.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* Guardrails that act by themselves, on rows in ClickHouse. The gateway looks each second. */

let clickhouse: TestClickhouse;
let analytics: Analytics;

beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
});
afterAll(async () => {
  await analytics.close();
  await clickhouse.close();
});

const CONFIG = { corsOrigins: ['*'], metricsPort: undefined, metricsPublic: false, trustedProxies: [] };
const NAME = { game: 'demo', environment: 'live', kind: 'experiment', key: 'wide' } as const;
const HOUR_MS = 3_600_000;
const PATH = '/v1/experiments/experiments/wide';

let broker: MemoryBroker;
let gateway: Gateway;
let key: string;

beforeEach(async () => {
  for (const table of TABLE_NAMES) await execSql(clickhouse, `TRUNCATE TABLE ${table}`);
});

/** A gateway whose keeper looks each second. */
async function start(of: ServerDeps['analytics'] = analytics): Promise<void> {
  broker = createMemoryBroker({ clock: systemClock });
  gateway = await startGateway({
    log: broker.connect('gateway'),
    config: { ...CONFIG, guardrailSeconds: 1 },
    analytics: of,
  });
  key = await gateway.key();
}

const playerId = (n: number): string => `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`;

const insert = (table: string, rows: readonly object[]): Promise<void> => insertRows(clickhouse, table, rows);

/** Players of two halves who buy once each; those of `true` for so much of what the others pay. */
async function revenue(players: number, share: number, first = 0): Promise<void> {
  const random = createRandom(31);
  const at = systemClock.wallMs() - HOUR_MS;
  const made = Array.from({ length: players }, (_, n) => ({ player: first + n, isTreated: n % 2 === 1 }));
  await insert(
    'flag_exposures',
    made.map(({ player, isTreated }) => ({
      flag_key: 'shop',
      flag_version: 1,
      experiment: 'wide',
      period: 1,
      variant_key: String(isTreated),
      value: String(isTreated),
      reason: 'percentage_rollout',
      stratum: 5_000,
      attribution: 'served',
      player_id: playerId(player),
      external_id: `p${player}`,
      received_at: at,
      facts_sequence: player + 1,
    })),
  );
  await insert(
    'purchases',
    made.map(({ player, isTreated }) => ({
      player_id: playerId(player),
      external_id: `p${player}`,
      received_at: at + 60_000,
      facts_sequence: players + player + 1,
      amount: Math.round(random.between(1_000, 3_000) * (isTreated ? share : 1)) / 100,
      counts: 1,
      kind: 'purchase',
      product_id: 'gems',
      currency: 'EUR',
      recorded_by: 'server',
    })),
  );
}

const guardrail = (action: Guardrail['action'], some: Partial<Guardrail> = {}): Guardrail => ({
  metric: { aggregate: 'revenue' },
  worse: 'lower',
  margin: 0,
  action,
  ...some,
});

/** The flag, which serves `false`, with an experiment that runs since two hours. */
async function run(guardrails: readonly Guardrail[], some: Partial<ExperimentDocument> = {}): Promise<void> {
  const call = await gateway.call(key, 'POST', '/v1/flags/flags', { key: 'shop', name: 'Shop', flag_type: 'boolean' });
  expect(call.status).toBe(201);
  const { variants } = anExperiment();
  const since = systemClock.wallMs() - 2 * HOUR_MS;
  const phases = [{ phase: 1, since, variants }];
  const running = anExperiment({ state: 'running', phases, startedAt: since, createdAt: since, guardrails, ...some });
  await gateway.config.put(NAME, running);
}
const stored = () => gateway.config.get(NAME)?.document;
const reports = (): ReportGuardrail[] =>
  gateway.backend.calls.flatMap(({ body }) => (body.kind === 'ReportGuardrail' ? [body] : []));
const looks = async (outcome: string): Promise<number> => {
  const text = await (await gateway.call(undefined, 'GET', '/metrics')).text();
  return Number(new RegExp(`^guardrail_checks_total\\{outcome="${outcome}"\\} (\\d+)`, 'mu').exec(text)?.[1] ?? 0);
};
const stepsNow = async () => {
  const body = { flag_keys: ['shop'], player_id: playerId(1) };
  const { data } = await bodyOf(await gateway.call(key, 'POST', '/v1/flags/flags/explain', body));
  return JSON.stringify(data);
};

it('a loss of 5 % of the revenue is rolled back by itself, and players get the rules of the flag', async () => {
  await start();
  await run([guardrail('roll_back')]);
  await until('nobody was exposed', async () => (await looks('judged')) > 0, 20_000);
  expect(stored()?.state).toBe('running');
  expect(await stepsNow()).toContain('"step":"experiment"');
  await revenue(4_000, 0.95);
  await until('it is rolled back', () => stored()?.state === 'stopped', 20_000);
  expect(stored()).toMatchObject({ winner: null, version: 2 });
  expect(await stepsNow()).not.toContain('"step":"experiment"');
  const { data } = await bodyOf(await gateway.call(key, 'GET', PATH));
  expect(data).toMatchObject({
    state: 'stopped',
    winner: null,
    alerts: [{ phase: 1, variant_key: 'true', action: 'roll_back', state: 'stopped', version: 2, worse: 'lower' }],
  });
  const [alert] = stored()?.alerts ?? [];
  expect(alert?.lift).toBeCloseTo(-0.05, 1);
  expect(alert?.high).toBeLessThan(0);
  // The audit says who and why, with the figures.
  await until('the outcome is in the audit', async () => (await auditIn(broker)).at(-1)?.outcome === 'stored');
  const entries = await auditIn(broker);
  expect(entries.at(-1)).toMatchObject({
    kind: 'experiment',
    key: 'wide',
    actor: { kind: 'service', id: 'guardrails' },
    outcome: 'stored',
    reason: expect.stringMatching(
      /^Guardrail revenue: true differs by -\d\.\d+ % \(-\d.* at every look\) beyond .*; rolled back\.$/u,
    ),
  });
  // One report, and the looks go on without another one.
  await until('it is reported', () => reports().length > 0);
  expect(reports()).toMatchObject([
    { found: { experiment: 'wide', flagKey: 'shop', phase: 1, variant: 'true', version: 2, state: 'stopped' } },
  ]);
  await gateway.close();
});

it('pauses or only reports, once per guardrail and phase, and a second guardrail still acts on a paused one', async () => {
  await start();
  await revenue(4_000, 0.9);
  await run([guardrail('notify', { margin: 0.01 }), guardrail('pause', { metric: { aggregate: 'gross_revenue' } })]);
  await until('it is paused', () => stored()?.state === 'paused', 20_000);
  expect(stored()?.alerts?.map(({ action, state }) => [action, state])).toEqual([
    ['notify', 'paused'],
    ['pause', 'paused'],
  ]);
  const version = stored()?.version;
  const before = await looks('judged');
  const patch = { guardrails: [{ metric: { aggregate: 'payer' }, worse: 'lower', action: 'roll_back' }] };
  expect((await gateway.call(key, 'PATCH', PATH, patch)).status).toBe(200);
  await until('it is looked at again', async () => (await looks('judged')) > before + 1, 20_000);
  expect(stored()).toMatchObject({ state: 'paused', version: (version ?? 0) + 1 });
  expect(reports()).toHaveLength(2);
  await gateway.close();
});

it('does not act again on what a person has resumed, says so, and acts once it is certainly worse than that', async () => {
  await start();
  await revenue(4_000, 0.9);
  await run([guardrail('pause', { margin: 0.01 })]);
  await until('it is paused', () => stored()?.state === 'paused', 20_000);
  expect((await gateway.call(key, 'POST', `${PATH}/resume`)).status).toBe(200);
  const { version = 0, alerts: [found] = [] } = stored() ?? {};
  const before = await looks('judged');
  await until('it is looked at again', async () => (await looks('judged')) > before + 1, 20_000);
  expect(stored()).toMatchObject({ state: 'running', version });
  const overridden = { overridden_at: expect.stringMatching(/^20.*Z$/u), overridden_by: expect.stringMatching(/\w/u) };
  expect((await bodyOf(await gateway.call(key, 'GET', PATH))).data).toMatchObject({ alerts: [overridden] });
  const results = (await bodyOf(await gateway.call(key, 'GET', `${PATH}/results?aggregate=revenue`))).data;
  expect(results).toMatchObject({
    guardrails: [{ verdict: 'harmful', margin: 0.01, ...overridden, tolerated: -(found?.lift ?? 0) }],
  });
  // Players who come now pay half of what others do.
  await revenue(8_000, 0.5, 4_000);
  await until('it is paused again', () => stored()?.state === 'paused', 20_000);
  const [, again] = stored()?.alerts ?? [];
  expect(stored()?.alerts).toHaveLength(2);
  expect([again?.margin, again?.overridden]).toEqual([0.01, undefined]);
  expect(again?.high).toBeLessThan(found?.lift ?? -1);
  // Each finding is reported, under a key of its own.
  await until('both are reported', () => new Set(reports().map(({ idempotency }) => idempotency.key)).size === 2);
  await gateway.close();
});

it('reports what it found before a crash, under the key by which the ledger stores it once', async () => {
  await start();
  gateway.backend.reply = (call) =>
    call.body.kind === 'ReportGuardrail' ? failure('SERVICE_UNAVAILABLE') : accept(call);
  await revenue(4_000, 0.9);
  await run([guardrail('roll_back')]);
  await until('it was reported in vain', () => reports().length > 1, 20_000);
  const kept = stored();
  const keys = new Set(reports().map(({ idempotency }) => idempotency.key));
  expect(keys.size).toBe(1);
  await gateway.close();
  await start();
  if (kept === undefined) throw new Error('it is stored');
  await gateway.config.put(NAME, kept);
  await until('the next process reports it', () => reports().length > 0, 20_000);
  expect(keys).toContain(reports()[0]?.idempotency.key);
  await gateway.close();
});

it('reports what it found before it looks at others, which may take long', async () => {
  let release = () => {};
  const slow = new Promise<void>((resolve) => {
    release = resolve;
  });
  let slowLooks = 0;
  await start({
    ...analytics,
    async experimentReadout(query) {
      if (query.phaseOf?.experiment === 'yonder') {
        slowLooks += 1;
        await slow;
      }
      return analytics.experimentReadout(query);
    },
  });
  await revenue(4_000, 0.9);
  const since = systemClock.wallMs() - 2 * HOUR_MS;
  const phases = [{ phase: 1, since, variants: anExperiment().variants }];
  const yonder = anExperiment({ key: 'yonder', flagKey: 'other', state: 'running', phases, startedAt: since });
  await run([guardrail('roll_back')]);
  await gateway.config.put({ ...NAME, key: 'yonder' }, { ...yonder, guardrails: [guardrail('notify')] });
  await until('it looks at the other one', () => slowLooks > 0 && stored()?.state === 'stopped', 20_000);
  await until('it was reported', () => reports().length > 0, 5_000);
  expect(slowLooks).toBe(1);
  release();
  await gateway.close();
});

it('does nothing while ClickHouse gives no answer, and says so', async () => {
  await start(NO_ANALYTICS);
  await run([guardrail('roll_back')]);
  await until('it looked', async () => (await looks('unavailable')) > 1, 20_000);
  expect(stored()).toMatchObject({ state: 'running', version: 1 });
  await gateway.close();
});

it('leaves an experiment alone that harms nothing', async () => {
  await start();
  await revenue(4_000, 1);
  await run([guardrail('roll_back'), guardrail('roll_back', { worse: 'higher', metric: { aggregate: 'sessions' } })]);
  await until('it looked several times', async () => (await looks('judged')) > 2, 20_000);
  expect(stored()).toMatchObject({ state: 'running', version: 1 });
  await gateway.close();
});
