import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aFlagDocument } from '../../../actors/flags/testing-served-flags.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { execSql, insertRows, runSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { type ClickhouseGateway, startClickhouseGateway } from '../../support/wire/clickhouse-gateway.ts';
import type { Gateway } from '../../support/in-memory/http-gateway.ts';
import { type PublishedShapes, publishedShapes } from '../../support/wire/published-shapes.ts';

/* Reports for people over HTTP, from rows of the real engine: campaigns, experiments by groups of players, the scoring
 * model, attempts of webhooks. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.now();
const MODEL = '388c64d4a551';
const OTHER = '0123456789ab';
const CAMPAIGN = 'cmp_019bc0de-1234-7abc-8def-0123456789ab';
const playerId = (n: number): string => `7d6f3f5e-6f0b-5f8e-9d2c-${String(n).padStart(12, '0')}`;

let clickhouse: TestClickhouse;
let world: ClickhouseGateway;
let gateway: Gateway;
let key: string;
let shapes: PublishedShapes;

beforeAll(async () => {
  world = await startClickhouseGateway();
  ({ clickhouse, gateway } = world);
  key = await gateway.key();
  shapes = publishedShapes(JSON.parse(await (await fetch(`${gateway.url}/openapi.json`)).text()));
});
afterAll(() => world.close());

const insert = (table: string, rows: readonly object[]): Promise<void> => insertRows(clickhouse, table, rows);

/** An answer, compared with the published document. @param path with `{id}` where it documents a parameter */
async function get(path: string, address = path, as = key) {
  const response = await gateway.call(as, 'GET', address);
  const body = await bodyOf(response);
  expect(shapes.faultsOf('GET', path, response.status, body)).toEqual([]);
  return { status: response.status, data: body.data };
}

/** Of 20 of 40 against 5 of 20, by hand: the standard error is 0.8568, at 25.4 degrees of freedom. */
/** Of 20 of 40 beside 5 of 20, by SciPy's distributions: Hall's z is 1.92201 with 42.885 degrees. */
const INTERVAL = {
  low: expect.closeTo(-0.0307053, 6),
  high: expect.closeTo(8.4773996, 6),
  p_value: expect.closeTo(0.0612648, 6),
  too_small: null,
};

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
        payer_rate: { treatment: 0, holdout: 0, lift: null, low: null, p_value: null, too_small: 'values' },
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
    await execSql(clickhouse, 'INSERT INTO model_references FORMAT JSONEachRow', { body: JSON.stringify(row) });
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
    expect(await world.analytics.webhookAttempts(query)).toEqual({
      kind: 'answered',
      value: [
        { webhookId: 'wh_b', delivered: 0, failed: 1, givenUp: 1, lastFailureAt: NOW - 1_000, lastStatus: null },
        { webhookId: 'wh_a', delivered: 1, failed: 0, givenUp: 0, lastFailureAt: undefined, lastStatus: null },
      ],
    });
    expect(await world.analytics.version()).toMatchObject({
      kind: 'answered',
      value: expect.stringMatching(/^\d+\.\d+/),
    });
  });
});

describe('the results of an experiment by groups of players', () => {
  const PATH = '/v1/flags/flags/{key}/results';
  const results = PATH.replace('{key}', 'shop');
  const EXPOSED = NOW - HOUR_MS;
  let place = 0;
  const at = (ms: number) => ({ received_at: ms, facts_sequence: ++place });
  const exposed = (n: number, variant: string) => ({
    flag_key: 'shop',
    flag_version: 1,
    period: 1,
    variant_key: variant,
    value: '"x"',
    reason: 'percentage_rollout',
    stratum: 10_000,
    player_id: playerId(n),
    ...at(EXPOSED),
  });
  const bought = (n: number, name: string, amount: number) => ({
    event_id: `${n}-${name}`,
    event_name: name,
    player_id: playerId(n),
    properties: JSON.stringify({ amount }),
    ...at(EXPOSED + 1_000),
  });
  /** What a day of a player says of it, `days` after its exposure. */
  const lived = (n: number, days: number, columns: Readonly<Record<string, string>>) => ({
    player_id: playerId(n),
    day: new Date(EXPOSED + days * DAY_MS).toISOString().slice(0, 10),
    ...columns,
  });
  const moved = (n: number, transition: string, segment: string, ms: number) => ({
    segment_id: `seg_${segment}`,
    segment_key: segment,
    player_id: playerId(n),
    transition,
    ...at(ms),
  });

  interface Metric {
    metric: string;
    variants: { players: number; conversions: number; sum: number }[];
  }
  interface Group {
    value: string | null;
    too_small: boolean;
    sample_ratio: { mismatch: boolean };
    metrics: Metric[];
  }
  const post = async (body: unknown) => {
    const response = await gateway.call(key, 'POST', results, body);
    const answer = await bodyOf(response);
    expect(shapes.faultsOf('POST', PATH, response.status, answer)).toEqual([]);
    return { status: response.status, body: answer };
  };
  const groupsOf = async (body: unknown): Promise<Group[]> => {
    const { groups }: { groups: Group[] } = JSON.parse(JSON.stringify((await post(body)).body.data));
    return groups;
  };
  /** Players of both variants in each group. */
  const playersBy = async (by: string) =>
    (await groupsOf({ metrics: [{ metric: 'bought' }], by })).map(({ value, metrics }) => [
      value,
      ...(metrics[0]?.variants ?? []).map(({ players }) => players),
    ]);

  beforeAll(async () => {
    const flag = aFlagDocument({
      flagType: 'multivariate',
      variants: ['control', 'wide'].map((variant) => ({ key: variant, value: variant, weight: 50 })),
      createdAt: NOW - DAY_MS,
    });
    await gateway.config.put({ game: 'demo', environment: 'live', kind: 'flag', key: 'shop' }, flag);
  });
  beforeEach(async () => {
    for (const table of ['flag_exposures', 'events', 'player_days', 'segment_transitions'])
      expect((await runSql(clickhouse, `TRUNCATE TABLE ${table}`)).status).toBe(200);
  });

  it('groups players by what was known of them at their first exposure', async () => {
    const before = EXPOSED - HOUR_MS;
    await insert('segment_transitions', [
      ...[1, 3, 5].map((n) => moved(n, 'entered', 'whales', before)),
      // Left again before the exposure; came only after it, as its variant may have caused.
      moved(2, 'entered', 'whales', before),
      moved(2, 'exited', 'whales', before + 1),
      moved(4, 'entered', 'whales', EXPOSED + 1),
      moved(5, 'entered', 'new', before),
      { ...moved(6, 'entered', 'new', before), environment: 'test' },
    ]);
    await insert(
      'flag_exposures',
      [1, 2, 3, 4, 5, 6].map((n) => exposed(n, n < 3 ? 'control' : 'wide')),
    );
    await insert('player_days', [
      ...[1, 2, 3, 4].map((n) => lived(n, 0, { country: 'DE', platform: n % 2 === 0 ? 'ios' : 'web' })),
      // The last that is known counts: not what came later, nor a day that does not say it.
      lived(5, -3, { country: 'FR', platform: 'web', app_version: '1.0' }),
      lived(5, 0, { app_version: '2.0' }),
      lived(5, 2, { country: 'US', app_version: '3.0' }),
      lived(6, 0, { app_version: '1.0' }),
    ]);
    expect(await playersBy('country')).toEqual([
      ['DE', 2, 2],
      ['', 0, 1],
      ['FR', 0, 1],
    ]);
    expect(await playersBy('platform')).toEqual([
      ['web', 1, 2],
      ['ios', 1, 1],
      ['', 0, 1],
    ]);
    expect(await playersBy('app_version')).toEqual([
      ['', 2, 2],
      ['1.0', 0, 1],
      ['2.0', 0, 1],
    ]);
    // A player counts in each of its segments.
    expect(await playersBy('segment')).toEqual([
      ['', 1, 2],
      ['whales', 1, 2],
      ['new', 0, 1],
    ]);
    const { body } = await post({ metrics: [{ metric: 'bought' }], by: 'country', limit: 1 });
    expect(body.data).toMatchObject({ groups_found: 3, groups: [{ value: 'DE' }] });
  });

  it('measures several metrics as GET does, checks the ratio of each group, and names small groups', async () => {
    const players = Array.from({ length: 260 }, (_, n) => n);
    await insert(
      'flag_exposures',
      players.map((n) => exposed(n, n % 2 === 0 ? 'control' : 'wide')),
    );
    const buyers = players.filter((n) => n % 5 === 0);
    await insert(
      'events',
      buyers.flatMap((n) => [bought(n, 'bought', 2), bought(n, 'won', 1)]),
    );
    // 200 of DE, evenly; of the others only those of wide have a country.
    const known = players.filter((n) => n < 200 || n % 2 === 1);
    await insert(
      'player_days',
      known.map((n) => lived(n, 0, { country: n < 200 ? 'DE' : 'FR' })),
    );
    const metrics = [
      { metric: 'bought' },
      { metric: 'bought', aggregate: 'sum', property: 'amount' },
      { metric: 'won' },
    ];
    const groups = await groupsOf({ metrics, by: 'country' });
    expect(groups.map(({ value, too_small: small, sample_ratio: ratio }) => [value, small, ratio.mismatch])).toEqual([
      ['DE', false, false],
      ['', true, true],
      ['FR', true, true],
    ]);
    expect(groups[0]?.metrics.map(({ metric, variants }) => [metric, variants.map(({ sum }) => sum)])).toEqual([
      ['bought', [20, 20]],
      ['bought', [40, 40]],
      ['won', [20, 20]],
    ]);
    // One group of all players has the figures of GET.
    const [all, ...others] = await groupsOf({ metrics });
    const { data } = await get(PATH, `${results}?metric=bought&aggregate=sum&property=amount`);
    expect([all?.value, others, all?.metrics[1]?.variants]).toEqual([null, [], data['variants']]);
    expect(all?.sample_ratio).toEqual(data['sample_ratio']);
    const { body } = await post({ metrics, by: 'country' });
    expect(body.data).toMatchObject({ by: 'country', comparisons: 3, window_days: 7, period: 1 });
    // Capped at the largest of a tenth: 26 of 260 are above what half of the 52 buyers paid.
    const options = 'aggregate=sum&property=amount&winsorize=0.9&cuped=true&min_exposure_age_days=0';
    expect((await get(PATH, `${results}?metric=bought&${options}`)).data).toMatchObject({
      aggregate: 'sum',
      metric: 'bought',
      property: 'amount',
      winsorize: 0.9,
      cap: 2,
      cuped: { theta: 0, variance_reduction: 0 },
      min_exposure_age_days: 0,
    });
    const retained = (await get(PATH, `${results}?aggregate=retention&day=1`)).data;
    expect(retained).toMatchObject({
      metric: null,
      day: 1,
      variants: [{ players: 0 }, { players: 0, too_small: 'players' }],
    });
    // Nobody was exposed a day ago.
    const none = (await get(PATH, `${results}?metric=bought&min_exposure_age_days=1`)).data;
    expect(none).toMatchObject({ variants: [{ players: 0 }, { players: 0, too_small: 'players' }] });
  });

  it.each([
    [{ metrics: [] }, '/metrics'],
    [{ metrics: [{ metric: 'x' }], by: 'device' }, '/by'],
    [{ metrics: [{ metric: 'x' }, { metric: 'x', aggregate: 'sum' }] }, '/metrics/1/property'],
    [{ metrics: [{}] }, '/metrics/0/metric'],
    [{ metrics: [{ aggregate: 'revenue', metric: 'x' }] }, '/metrics/0/metric'],
    [{ metrics: [{ aggregate: 'retention' }] }, '/metrics/0/day'],
    [{ metrics: [{ aggregate: 'ratio', metric: 'x' }] }, '/metrics/0/per_metric'],
    [{ metrics: [{ aggregate: 'ratio', metric: 'x', per_metric: 'y', cuped: true }] }, '/metrics/0/cuped'],
    [{ metrics: [{ metric: 'x', winsorize: 0.99 }] }, '/metrics/0/winsorize'],
    [{ metrics: [{ aggregate: 'revenue', winsorize: 0.5 }] }, '/metrics/0/winsorize'],
    [{ metrics: [{ aggregate: 'quantile', metric: 'x' }] }, '/metrics/0/property'],
    [{ metrics: [{ metric: 'x' }], min_exposure_age_days: 91 }, '/min_exposure_age_days'],
    [{ metrics: [{ metric: 'x' }], limit: 21 }, '/limit'],
    [{ metrics: [{ metric: 'x' }], period: 9 }, '/period'],
  ])('%j is refused, and the error names %s', async (body, path) => {
    const refused = await post(body);
    expect([refused.status, refused.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(refused.body.error.details.fields.map((fault) => fault.path)).toContain(path);
  });
});
