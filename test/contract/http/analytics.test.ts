import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../../core/vocabulary/facts/facts.ts';
import type { FlagExposed } from '../../../core/vocabulary/facts/flag-facts.ts';
import { aRule } from '../../../actors/flags/evaluate/testing-flag.ts';
import { aFlagDocument } from '../../../actors/flags/testing-served-flags.ts';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { TABLE_NAMES } from '../../../clickhouse-schema/rows/tables/tables.ts';
import { createRowBatch } from '../../../clickhouse-schema/rows/row-batch.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import { type BlockTarget, createClickhouseTarget } from '../../../streams/sinks/clickhouse/block-target.ts';
import { aCommit, aTrackedEvent } from '../../../streams/sinks/testing-commits.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { execSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import type { EventTracked } from '../../../core/vocabulary/facts/event-tracked.ts';

let clickhouse: TestClickhouse;
let analytics: Analytics;
let target: BlockTarget;
let gateway: Gateway;
let key: string;

beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  target = createClickhouseTarget(clickhouse.address);
  gateway = await startGateway({ analytics });
  key = await gateway.key();
});
afterAll(async () => {
  await gateway.close();
  await analytics.close();
  await target.close();
  await clickhouse.close();
});
beforeEach(async () => {
  for (const table of TABLE_NAMES) await execSql(clickhouse, `TRUNCATE TABLE ${table}`);
});

let sequence = 0;

/** Inserts facts as the rows that the sink makes of them. */
async function write(facts: Fact[]): Promise<void> {
  sequence += 1;
  const batch = createRowBatch();
  batch.add(aCommit(facts), { stream: '2026-01-01T00:00:00Z', sequence });
  for (const { table, bytes } of batch.blocks()) {
    expect(await target.insert(table, bytes, `${table}/${sequence}/${bytes.length}`)).toEqual({ kind: 'inserted' });
  }
}

/** A request with a server key, on another gateway if given. */
async function get(path: string, asKey = key, of = gateway) {
  const response = await of.call(asKey, 'GET', path);
  return { status: response.status, body: await bodyOf(response) };
}

const HOUR_MS = 3_600_000;
const now = systemClock.wallMs();
const playerId = (n: number): string => `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`;
const who = (player: number) =>
  ({ game: 'demo', environment: 'live', entityId: playerId(player), externalId: `ext-${player}` }) as const;

const exposed = (
  player: number,
  variantKey: string | null,
  flagVersion = 3,
  value = 'true',
  stratum = variantKey === null ? 5_000 : 10_000,
): FlagExposed => ({
  ...who(player),
  kind: 'FlagExposed',
  at: now - HOUR_MS,
  flagKey: 'shop',
  flagVersion,
  period: 0,
  attribution: 'served',
  variantKey,
  value,
  reason: 'percentage_rollout',
  ...(stratum === 0 ? {} : { stratum }),
});
const bought = (player: number, amount: number): EventTracked =>
  aTrackedEvent({ ...who(player), eventName: 'bought', at: now - HOUR_MS / 2, properties: JSON.stringify({ amount }) });

const EXPERIMENT = aFlagDocument({
  flagType: 'multivariate',
  variants: [
    { key: 'control', value: 'a', weight: 50 },
    { key: 'wide', value: 'b', weight: 50 },
  ],
  createdAt: now - 48 * HOUR_MS,
  version: 3,
});
const RESULTS = '/v1/flags/flags/shop/results';
const define = (flag: FlagDocument, of = gateway) =>
  of.config.put({ game: 'demo', environment: 'live', kind: 'flag', key: flag.key }, flag);

/** `variants` of a response's data, or of its `sequential`. */
function variantsIn(data: unknown): Record<string, unknown>[] {
  const { variants }: { variants: Record<string, unknown>[] } = JSON.parse(JSON.stringify(data));
  return variants;
}

describe('GET /v1/flags/flags/{key}/results', () => {
  it('returns the figures computed by hand for 10 of 100 against 20 of 100', async () => {
    await define(EXPERIMENT);
    const players = Array.from({ length: 200 }, (_, n) => n);
    await write(players.map((n) => exposed(n, n < 100 ? 'control' : 'wide')));
    // Players 0 to 9 of control and 100 to 119 of wide buy; one of them twice.
    await write([...players.filter((n) => n < 10 || (n >= 100 && n < 120)), 5].map((n) => bought(n, n < 100 ? 2 : 3)));
    // A player who saw both variants counts in neither.
    await write([exposed(300, 'control'), exposed(300, 'wide'), bought(300, 50)]);

    const { status, body } = await get(`${RESULTS}?metric=bought`);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      flag_key: 'shop',
      flag_version: 3,
      metric: 'bought',
      aggregate: 'conversion',
      window_days: 7,
      sample_ratio: { p_value: 1, mismatch: false },
      excluded_players: 1,
      sequential: { method: 'asymptotic_confidence_sequence', confidence: 0.95 },
    });
    const nothing = { lift: null, ci_low: null, ci_high: null, p_value: null, p_adjusted: null, too_small: null };
    const [control, wide] = variantsIn(body.data);
    expect(control).toEqual({
      variant_key: 'control',
      players: 100,
      clusters: null,
      conversions: 10,
      sum: 10,
      mean: 0.1,
      ...nothing,
    });
    expect(wide).toMatchObject({ variant_key: 'wide', players: 100, conversions: 20, sum: 20, mean: 0.2, lift: 1 });
    // Variances of the means: .1 × .9 / 99 and .2 × .8 / 99, so z = .1 / √.0025253 = 1.98997 with Welch's 183.605
    // degrees. k₄/k₂² of 30 ones among 200 is 1.92067, so δ = 1.007835: scipy.stats.f.sf(z², δ, δ · 183.605), and the
    // ratios at which (.2 − .1 r) / √(.16 / 99 + r² .09 / 99) is ± 1.970156.
    expect(wide?.['p_value']).toBeCloseTo(0.047756049855, 10);
    expect(wide?.['ci_low']).toBeCloseTo(0.0073379811367, 10);
    expect(wide?.['ci_high']).toBeCloseTo(4.1737514723238, 10);
    expect(wide).toMatchObject({ too_small: null, p_adjusted: wide?.['p_value'] });
    const sequential = variantsIn(body.data['sequential'])[1];
    // x = 200 ρ² = .31745: √1.31745 · e^(−z² x / 2.6349). At its critical value the control does not differ from 0.
    expect(sequential?.['p_value']).toBeCloseTo(0.7123, 3);
    expect(sequential).toMatchObject({ ci_low: null, ci_high: null, too_small: 'control_mean', decision: 'undecided' });
  });

  it('measures counts and sums as well as conversions', async () => {
    await define(EXPERIMENT);
    await write([1, 2, 3, 4].map((n) => exposed(n, n < 3 ? 'control' : 'wide')));
    await write([bought(1, 2), bought(1, 4), bought(3, 1.5)]);
    const counts = variantsIn((await get(`${RESULTS}?metric=bought&aggregate=count&window_days=1`)).body.data);
    expect(counts.map(({ conversions, sum, mean, lift }) => [conversions, sum, mean, lift])).toEqual([
      [1, 2, 1, null],
      [1, 1, 0.5, -0.5],
    ]);
    const sums = variantsIn((await get(`${RESULTS}?metric=bought&aggregate=sum&property=amount`)).body.data);
    expect(sums.map(({ sum, mean, lift }) => [sum, mean, lift])).toEqual([
      [6, 3, null],
      [1.5, 0.75, -0.75],
    ]);
  });

  it('reports a sample ratio mismatch when the players do not match the weights', async () => {
    await define({
      ...EXPERIMENT,
      variants: EXPERIMENT.variants.map((one, n) => ({ ...one, weight: n === 0 ? 1 : 9 })),
    });
    await write(Array.from({ length: 60 }, (_, n) => exposed(n, n < 30 ? 'control' : 'wide')));
    const { body } = await get(`${RESULTS}?metric=bought`);
    expect(body.data['sample_ratio']).toMatchObject({ mismatch: true });
  });

  const PERIODS = {
    ...EXPERIMENT,
    version: 7,
    periods: [
      {
        period: 1,
        version: 1,
        since: now - 40 * HOUR_MS,
        arms: [
          { variantKey: 'control', weight: 1 },
          { variantKey: 'old', weight: 3 },
        ],
      },
      { period: 2, version: 3, since: now - 20 * HOUR_MS },
    ],
  };

  it('cover the current period, which ends only with an edit that changes the assignment of players', async () => {
    await define(PERIODS);
    await write([exposed(1, 'control', 3), exposed(2, 'wide', 5), exposed(3, 'wide', 7)]);
    const { body } = await get(`${RESULTS}?metric=bought`);
    expect(variantsIn(body.data).map((one) => [one['variant_key'], one['players']])).toEqual([
      ['control', 1],
      ['wide', 2],
    ]);
    expect(body.data).toMatchObject({
      flag_version: 7,
      period: 2,
      periods: [
        { period: 1, version: 1, started_at: new Date(now - 40 * HOUR_MS).toISOString() },
        { period: 2, version: 3, started_at: new Date(now - 20 * HOUR_MS).toISOString() },
      ],
      excluded_players: 0,
      mismatched_players: 0,
    });
  });

  it('cover an earlier period on request, with its variants and weights, up to its end', async () => {
    await define(PERIODS);
    const then = (fact: Fact, hoursAgo: number): Fact =>
      fact.kind === 'SnapshotMark' ? fact : { ...fact, at: now - hoursAgo * HOUR_MS };
    const olds = Array.from({ length: 30 }, (_, n) => then(exposed(10 + n, 'old', 2), 30));
    const controls = Array.from({ length: 10 }, (_, n) => then(exposed(n, 'control', 1), 30));
    await write([...controls, ...olds, then(exposed(50, 'old', 2), 19)]);
    await write([then(bought(1, 5), 25), then(bought(2, 5), 15)]);
    for (const query of ['period=1', 'version=1', 'version=2']) {
      const { body } = await get(`${RESULTS}?metric=bought&${query}`);
      expect(variantsIn(body.data).map((one) => [one['variant_key'], one['players'], one['conversions']])).toEqual([
        ['control', 10, 1],
        ['old', 30, 0],
      ]);
      expect(body.data).toMatchObject({ flag_version: 2, period: 1, sample_ratio: { p_value: 1 } });
    }
  });

  it('leave out, in every variant, players who took part before the edit that began the period', async () => {
    await define(PERIODS);
    const veterans = Array.from({ length: 40 }, (_, n) => [
      exposed(n, 'wide', 2),
      exposed(n, n < 13 ? 'control' : 'wide', 3),
      bought(n, 5),
    ]).flat();
    const newcomers = Array.from({ length: 40 }, (_, n) => exposed(100 + n, n < 13 ? 'control' : 'wide', 6));
    await write([...veterans, ...newcomers, bought(100, 5)]);
    const { body } = await get(`${RESULTS}?metric=bought`);
    expect(variantsIn(body.data)).toMatchObject([
      { players: 13, conversions: 1 },
      { players: 27, conversions: 0 },
    ]);
    // 13 against 27 where 20 and 20 are expected: χ² = 4.9.
    expect(body.data).toMatchObject({
      excluded_players: 40,
      left_out_earlier: 40,
      reason: null,
      sample_ratio: { mismatch: false },
    });
    expect(Number(JSON.parse(JSON.stringify(body.data['sample_ratio'])).p_value)).toBeCloseTo(0.0269, 3);
  });

  it('are told before an edit: the preview counts the players whom it would leave out', async () => {
    await define({ ...EXPERIMENT, rules: [aRule()] });
    await write([exposed(1, 'control'), exposed(2, 'wide'), exposed(2, 'wide', 2), exposed(3, null, 3, 'x', 0)]);
    const preview = async (variants: unknown) =>
      (await bodyOf(await gateway.call(key, 'POST', '/v1/flags/flags/shop/preview', { variants }))).data;
    const [control, wide] = EXPERIMENT.variants;
    expect(await preview([control, { ...wide, weight: 10 }])).toMatchObject({
      edit_effect: 'reassigns',
      left_out_players: 2,
      reason: null,
    });
    expect(await preview([control, wide])).toMatchObject({ edit_effect: 'none', left_out_players: 0 });
  });

  it('include the event that exposes the player, and count players whose event shows another variant than the served one', async () => {
    await define(PERIODS);
    const conversion = { ...bought(1, 5), at: now - HOUR_MS };
    await write([exposed(1, 'wide', 3), conversion]);
    await write([{ ...exposed(2, 'wide', 3), attribution: 'mismatch' }]);
    const { body } = await get(`${RESULTS}?metric=bought`);
    expect(variantsIn(body.data)).toMatchObject([{ players: 0 }, { players: 1, conversions: 1 }]);
    expect(body.data).toMatchObject({ excluded_players: 1, mismatched_players: 1 });
  });

  const aRollout = (...percentages: number[]) =>
    aFlagDocument({
      rules: percentages.map((percentage) => aRule({ percentage, segmentId: `seg_${percentage}` })),
      version: 3,
      createdAt: EXPERIMENT.createdAt,
    });
  const shownOf = (data: unknown) =>
    variantsIn(data).map((one) => [one['variant_key'], one['players'], one['mean'], one['lift']]);

  it('compares true with false for a boolean flag, and the sample ratio with its percentage', async () => {
    await define(aRollout(50));
    await write([1, 2, 3, 4].map((n) => exposed(n, null, 3, n < 3 ? 'false' : 'true')));
    // Players outside of the audience get false too.
    await write([5, 6, 7].map((n) => exposed(n, null, 3, 'false', 0)));
    await write([1, 3, 4, 5].map((n) => bought(n, 1)));
    const { body } = await get(`${RESULTS}?metric=bought`);
    expect(shownOf(body.data)).toEqual([
      ['false', 2, 0.5, null],
      ['true', 2, 1, 1],
    ]);
    expect(body.data).toMatchObject({
      sample_ratio: { p_value: 1, mismatch: false },
      ineligible_players: 3,
      percentage: 50,
      percentages: [{ percentage: 50, players: 4 }],
      reason: null,
    });
  });

  it('never mix players with different chances of true: one percentage, and others by request', async () => {
    await define(aRollout(10, 50));
    const tens = Array.from({ length: 30 }, (_, n) => exposed(n, null, 3, n < 3 ? 'true' : 'false', 1_000));
    const fifties = Array.from({ length: 20 }, (_, n) => exposed(100 + n, null, 3, n < 10 ? 'true' : 'false'));
    await write([...tens, ...fifties, bought(100, 1)]);
    const most = await get(`${RESULTS}?metric=bought`);
    expect(shownOf(most.body.data).map(([, players]) => players)).toEqual([27, 3]);
    expect(most.body.data).toMatchObject({
      percentage: 10,
      percentages: [
        { percentage: 10, players: 30 },
        { percentage: 50, players: 20 },
      ],
      sample_ratio: { p_value: 1 },
    });
    const other = await get(`${RESULTS}?metric=bought&percentage=50`);
    expect(shownOf(other.body.data)).toMatchObject([
      ['false', 10, 0, null],
      ['true', 10, 0.1, null],
    ]);
    expect(other.body.data).toMatchObject({ percentage: 50, sample_ratio: { p_value: 1 } });
    // A flag with one percentage is measured by it, however many players had another before.
    await define(aRollout(50));
    expect((await get(`${RESULTS}?metric=bought`)).body.data).toMatchObject({ percentage: 50 });
  });

  it('are empty with a reason where nothing was drawn', async () => {
    await define(aRollout(100));
    await write([exposed(1, null, 3, 'true', 0), exposed(2, null, 3, 'false', 0), bought(1, 1)]);
    const { body } = await get(`${RESULTS}?metric=bought`);
    expect(shownOf(body.data)).toEqual([
      ['false', 0, null, null],
      ['true', 0, null, null],
    ]);
    expect(body.data).toMatchObject({
      reason: 'nothing_drawn',
      percentage: null,
      percentages: [],
      ineligible_players: 2,
      sample_ratio: { p_value: null },
    });
    const query = { metrics: [{ metric: 'bought' }] };
    const posted = await bodyOf(await gateway.call(key, 'POST', RESULTS, query));
    expect(posted.data).toMatchObject({ reason: 'nothing_drawn', groups: [{ left_out_earlier: 0 }] });
  });

  it.each([
    ['', 'metric'],
    ['?metric=', 'metric'],
    ['?metric=bought&aggregate=median', 'aggregate'],
    ['?metric=bought&aggregate=sum', 'property'],
    ['?metric=bought&property=amount', 'property'],
    [`?metric=bought&aggregate=sum&property=${'a.'.repeat(16)}a`, 'property'],
    ['?metric=bought&window_days=0', 'window_days'],
    ['?metric=bought&window_days=91', 'window_days'],
    ['?metric=bought&window_days=1.5', 'window_days'],
    ['?metric=bought&version=0', 'version'],
    ['?metric=bought&version=99', 'version'],
    ['?metric=bought&period=0', 'period'],
    ['?metric=bought&period=9', 'period'],
    ['?metric=bought&period=1&version=3', 'version'],
    ['?metric=bought&percentage=100', 'percentage'],
    // Only boolean flags have percentages of `true`.
    ['?metric=bought&percentage=50', 'percentage'],
  ])('"%s" is refused, and the error names %s', async (query, path) => {
    await define(EXPERIMENT);
    const { status, body } = await get(RESULTS + query);
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body.error.details.fields.map((fault) => fault.path)).toContain(path);
  });

  it('is 404 for an unknown flag or one of another environment, and 403 for a client key', async () => {
    await define(EXPERIMENT);
    const code = async (path: string, asKey = key) => {
      const { status, body } = await get(path, asKey);
      return [status, body.error.code];
    };
    expect(await code('/v1/flags/flags/none/results?metric=x')).toEqual([404, 'FLAG_NOT_FOUND']);
    expect(await code(`${RESULTS}?metric=x`, await gateway.key({ environment: 'test' }))).toEqual([
      404,
      'FLAG_NOT_FOUND',
    ]);
    expect(await code(`${RESULTS}?metric=x`, await gateway.key({ kind: 'client' }))).toEqual([403, 'FORBIDDEN']);
  });

  it('stay as they are when the flag is archived', async () => {
    await define(EXPERIMENT);
    await write([exposed(1, 'control'), exposed(2, 'wide'), exposed(3, 'wide'), bought(2, 4)]);
    const before = await get(`${RESULTS}?metric=bought`);
    await define({ ...EXPERIMENT, archivedAt: now });
    const { status, body } = await get(`${RESULTS}?metric=bought`);
    expect(status).toBe(200);
    expect(variantsIn(body.data).map((one) => [one['variant_key'], one['players'], one['conversions']])).toEqual([
      ['control', 1, 0],
      ['wide', 2, 1],
    ]);
    expect(body.data).toEqual(before.body.data);
  });
});

const SEGMENT = {
  id: 'seg_1',
  key: 'whales',
  name: 'Whales',
  description: '',
  conditions: {},
  createdAt: 1_000,
  updatedAt: 1_000,
  version: 1,
};
const PLAYERS = '/v1/segments/segments/seg_1/players';

describe('GET /v1/segments/segments/{id}/players', () => {
  const transition = (player: number) => ({
    ...who(player),
    at: Date.UTC(2026, 0, 15, 10, 30, 0, player),
    segmentId: 'seg_1',
    segmentKey: 'whales',
  });
  const entered = (player: number, environment: 'live' | 'test' = 'live'): Fact => ({
    ...transition(player),
    environment,
    kind: 'SegmentEntered',
  });
  const exited = (player: number): Fact => ({ ...transition(player), kind: 'SegmentExited' });
  const defineSegment = (of = gateway) =>
    of.config.put({ game: 'demo', environment: 'live', kind: 'segment', key: 'seg_1' }, SEGMENT);

  it('lists the players in the segment, page by page', async () => {
    await defineSegment();
    await write([1, 2, 3, 4, 5].map((n) => entered(n)));
    await write([entered(6, 'test'), exited(2)]);
    const whole = await get(PLAYERS);
    expect(whole.status).toBe(200);
    expect(whole.body.data).toEqual({
      players: [1, 3, 4, 5].map((n) => ({
        player_id: playerId(n),
        external_id: `ext-${n}`,
        entered_at: `2026-01-15T10:30:00.00${n}Z`,
      })),
      next_cursor: null,
    });
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await get(`${PLAYERS}?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      const page: { players: { external_id: string }[]; next_cursor: string | null } = JSON.parse(
        JSON.stringify(body.data),
      );
      seen.push(...page.players.map((player) => player.external_id));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(['ext-1', 'ext-3', 'ext-4', 'ext-5']);
  });

  it('is empty for an empty segment, 404 for an unknown one, 400 for a foreign cursor, and 403 for a client key', async () => {
    await defineSegment();
    expect((await get(PLAYERS)).body.data).toEqual({ players: [], next_cursor: null });
    const code = async (path: string, asKey = key) => {
      const { status, body } = await get(path, asKey);
      return [status, body.error.code];
    };
    expect(await code('/v1/segments/segments/seg_2/players')).toEqual([404, 'NOT_FOUND']);
    expect(await code(PLAYERS, await gateway.key({ environment: 'test' }))).toEqual([404, 'NOT_FOUND']);
    expect(await code(PLAYERS, await gateway.key({ game: 'other' }))).toEqual([404, 'NOT_FOUND']);
    expect(await code(`${PLAYERS}?cursor=nonsense`)).toEqual([400, 'VALIDATION_ERROR']);
    expect(await code(`${PLAYERS}?limit=501`)).toEqual([400, 'VALIDATION_ERROR']);
    expect(await code(PLAYERS, await gateway.key({ kind: 'client' }))).toEqual([403, 'FORBIDDEN']);
  });

  it('and results are 503 while ClickHouse is unavailable', async () => {
    const address = { ...clickhouse.address, url: 'http://127.0.0.1:1' };
    const away = createAnalytics({ address, clock: systemClock, logger: silentLogger });
    const lonely = await startGateway({ analytics: away });
    await define(EXPERIMENT, lonely);
    await defineSegment(lonely);
    const itsKey = await lonely.key();
    for (const path of [PLAYERS, `${RESULTS}?metric=bought`]) {
      const { status, body } = await get(path, itsKey, lonely);
      expect([status, body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    }
    await lonely.close();
    await away.close();
  });
});
