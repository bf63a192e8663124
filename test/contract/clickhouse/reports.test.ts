import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { bodyOf } from '../../support/api-body.ts';
import { runSql, type TestClickhouse } from '../../support/clickhouse.ts';
import { startWithTables } from '../../support/made-tables.ts';
import { type Gateway, startGateway } from '../../support/http-gateway.ts';
import { type PublishedShapes, publishedShapes } from '../../support/published-shapes.ts';
import { silentLogger } from '../../support/silent-logger.ts';

/* Reports for people over HTTP, from rows of the real engine: campaigns, the scoring model, attempts of webhooks. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.now();
const MODEL = '388c64d4a551';
const OTHER = '0123456789ab';
const CAMPAIGN = 'cmp_019bc0de-1234-7abc-8def-0123456789ab';
const playerId = (n: number): string => `7d6f3f5e-6f0b-5f8e-9d2c-${String(n).padStart(12, '0')}`;
const PLACE = { game_id: 'demo', environment: 'live' };

let clickhouse: TestClickhouse;
let analytics: Analytics;
let gateway: Gateway;
let key: string;
let shapes: PublishedShapes;

beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  gateway = await startGateway({ analytics });
  key = await gateway.key();
  shapes = publishedShapes(JSON.parse(await (await fetch(`${gateway.url}/openapi.json`)).text()));
});
afterAll(async () => {
  await gateway.close();
  await analytics.close();
  await clickhouse.close();
});

async function insert(table: string, rows: readonly object[]): Promise<void> {
  const body = rows.map((row) => JSON.stringify({ ...PLACE, ...row })).join('\n');
  const { status, text } = await runSql(clickhouse, `INSERT INTO ${table} FORMAT JSONEachRow`, { body });
  expect([status, text]).toEqual([200, '']);
}

/** An answer, compared with the published document. @param path with `{id}` where it documents a parameter */
async function get(path: string, address = path, as = key) {
  const response = await gateway.call(as, 'GET', address);
  const body = await bodyOf(response);
  expect(shapes.faultsOf('GET', path, response.status, body)).toEqual([]);
  return { status: response.status, data: body.data };
}

/** Of 20 of 40 against 5 of 20, by hand: the standard error is 0.8568, at 25.4 degrees of freedom. */
const INTERVAL = { low: expect.closeTo(-0.763, 2), high: expect.closeTo(2.763, 2), p_value: expect.closeTo(0.254, 2) };

describe('the results of a campaign', () => {
  const RESULTS = '/v1/campaigns/campaigns/{id}/results';
  const results = (query = '', as = key) =>
    get(RESULTS, RESULTS.replace('{id}', CAMPAIGN) + (query === '' ? '' : `?${query}`), as);
  const step = (n: number, event: string, reason = '') => ({
    campaign_id: CAMPAIGN,
    campaign_key: 'stuck',
    campaign_version: 1,
    player_id: playerId(n),
    event,
    reason,
    received_at: NOW - HOUR_MS,
  });

  it('count the steps, the reasons, and both arms with intervals', async () => {
    const [treated, held] = [Array.from({ length: 40 }, (_, n) => n), Array.from({ length: 20 }, (_, n) => 100 + n)];
    await insert('campaign_events', [
      ...treated.flatMap((n) => [step(n, 'triggered'), ...(n < 30 ? [step(n, 'offered'), step(n, 'offered')] : [])]),
      ...treated.slice(0, 20).map((n) => step(n, 'shown')),
      ...treated.slice(0, 5).map((n) => step(n, 'clicked')),
      ...held.map((n) => step(n, 'suppressed', 'holdout')),
      ...treated.slice(0, 3).map((n) => step(n, 'suppressed', 'cap_per_day')),
      { ...step(900, 'triggered'), environment: 'test' },
    ]);
    const won = (n: number) => ({
      event_id: `e-${n}`,
      player_id: playerId(n),
      event_name: 'won',
      received_at: NOW - HOUR_MS / 2,
      timestamp: NOW,
    });
    await insert('events', [...treated.slice(0, 20), ...held.slice(0, 5)].map(won));
    const { status, data } = await results('conversion_event=won&window_hours=24');
    expect(status).toBe(200);
    expect(data).toMatchObject({
      campaign_id: CAMPAIGN,
      conversion_event: 'won',
      window_hours: 24,
      steps: {
        triggered: { players: 40, times: 40 },
        sent: { players: 30, times: 60 },
        shown: { players: 20, times: 20 },
        clicked: { players: 5, times: 5 },
      },
      suppressed: [
        { reason: 'holdout', players: 20, times: 20 },
        { reason: 'cap_per_day', players: 3, times: 3 },
      ],
      arms: {
        treatment: { players: 40, inside: 40, converted: 20 },
        holdout: { players: 20, converted: 5, payers: 0 },
      },
      comparison: {
        conversion_rate: { treatment: 0.5, holdout: 0.25, lift: 1, ...INTERVAL },
        payer_rate: { treatment: 0, holdout: 0, lift: null, low: null },
      },
    });
  });

  it('have no arms in the test environment, which no view has', async () => {
    const tester = await gateway.key({ environment: 'test' });
    const { data } = await results('', tester);
    expect(data).toMatchObject({ steps: { triggered: { players: 1 } }, arms: null, comparison: null });
  });

  it('are 404 for a campaign that never was', async () => {
    expect((await get(RESULTS, '/v1/campaigns/campaigns/cmp_never/results')).status).toBe(404);
    expect((await get(RESULTS, '/v1/campaigns/campaigns/never/results')).status).toBe(404);
  });
});

describe('the report on the scoring models', () => {
  const YESTERDAY = NOW - 30 * HOUR_MS;
  const score = (n: number, value: number, some: object = {}) => ({
    record_id: `019b7600-0000-7000-8000-${String(n).padStart(12, '0')}`,
    device_id: `device-${n}`,
    score: value,
    bucket: value > 0.3 ? 'top_1pct' : 'rest',
    model_version: MODEL,
    match_wins: n,
    scored_at: YESTERDAY,
    received_at: YESTERDAY + 4,
    ...some,
  });

  it('is empty without scores', async () => {
    const { data } = await get('/v1/scoring/report');
    expect(data).toEqual({
      days: 7,
      current: null,
      challenger: null,
      scores: [],
      drift: [],
      calibration: [],
      comparisons: [],
      latency: { scores: 0, p50_ms: null, p99_ms: null },
    });
  });

  it('shows volume, drift, calibration, the challenger and the time until the record', async () => {
    await insert('scores', [
      score(1, 0.5),
      score(2, 0.5),
      score(3, 0.1),
      score(4, 0.1, { scored_at: NOW, received_at: NOW + 8 }),
      score(5, 0.9, { forced: true }),
      score(6, 0.9, { environment: 'test' }),
      score(7, 0.9, { scored_at: NOW - 40 * DAY_MS, received_at: NOW - 40 * DAY_MS }),
    ]);
    await insert('challenger_scores', [
      score(1, 0.9, { model_version: OTHER }),
      score(3, 0.2, { model_version: OTHER }),
    ]);
    const reference = { model_version: MODEL, measure: 'match_wins', edges: [2], shares: [0.5, 0.5], received_at: NOW };
    await insertReference(reference);
    await insert('player_snapshots', [
      { kind: 'player', player_id: playerId(1), device_id: 'device-1', version: 1, updated_at: NOW },
    ]);
    await insert('purchases', [
      { player_id: playerId(1), amount: 5, counts: 1, received_at: YESTERDAY + HOUR_MS, currency: 'EUR' },
    ]);
    const { data } = await get('/v1/scoring/report', '/v1/scoring/report?days=14');
    const ofBucket = (bucket: string, scores: number) =>
      expect.objectContaining({ bucket, scores, model_version: MODEL });
    expect(data).toMatchObject({
      days: 14,
      scores: expect.arrayContaining([ofBucket('rest', 1), ofBucket('top_1pct', 2)]),
      drift: [{ measure: 'match_wins', devices: 4, edges: [2], shares: [0.5, 0.5], psi: 0 }],
      calibration: [
        { bucket: 'rest', devices: 1, buyers: 0, conversion_rate: 0, low: 0 },
        { bucket: 'top_1pct', devices: 2, buyers: 1, mean_score: 0.5, conversion_rate: 0.5 },
      ],
      comparisons: [
        {
          champion_version: MODEL,
          challenger_version: OTHER,
          scores: 2,
          same_bucket: 2,
          matured: 2,
          champion_brier: expect.closeTo(0.13, 6),
          challenger_brier: expect.closeTo(0.025, 6),
        },
      ],
      latency: { scores: 5, p50_ms: 4 },
    });
  });

  it('leaves out the rows of other games', async () => {
    const other = await gateway.key({ game: 'other' });
    expect((await get('/v1/scoring/report', '/v1/scoring/report', other)).data['scores']).toEqual([]);
  });

  async function insertReference(row: object): Promise<void> {
    const sql = 'INSERT INTO model_references FORMAT JSONEachRow';
    expect((await runSql(clickhouse, sql, { body: JSON.stringify(row) })).status).toBe(200);
  }
});

describe('the attempts of webhooks', () => {
  const attempt = (webhook: string, outcome: string, status: number | null, at = NOW - 1_000) => ({
    webhook_id: webhook,
    outcome,
    status,
    attempted_at: at,
    received_at: at,
  });

  it('are counted by webhook in the last hour, those with most failures first', async () => {
    await insert('webhook_deliveries', [
      attempt('wh_a', 'delivered', 200),
      attempt('wh_b', 'failed', 500, NOW - 2_000),
      attempt('wh_b', 'exhausted', null),
      attempt('wh_b', 'failed', 503, NOW - 2 * HOUR_MS),
      { ...attempt('wh_c', 'failed', 500), game_id: 'other' },
    ]);
    const query = { game: 'demo', environment: 'live', seconds: 3_600, limit: 10 };
    expect(await analytics.webhookAttempts(query)).toEqual({
      kind: 'answered',
      value: [
        { webhookId: 'wh_b', delivered: 0, failed: 1, givenUp: 1, lastFailureAt: NOW - 1_000, lastStatus: null },
        { webhookId: 'wh_a', delivered: 1, failed: 0, givenUp: 0, lastFailureAt: undefined, lastStatus: null },
      ],
    });
    expect(await analytics.version()).toMatchObject({ kind: 'answered', value: expect.stringMatching(/^\d+\.\d+/) });
  });
});
