import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anExperiment } from '../../../actors/experiments/testing-experiment.ts';
import { createHoldoutTest } from '../../../actors/flags/experiment/shares.ts';
import { TABLE_NAMES } from '../../../clickhouse-schema/rows/tables/tables.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import type { HoldoutPeriod } from '../../../core/vocabulary/documents/game.ts';
import { fixedInterval } from '../../../src/analysis/comparison.ts';
import { compare } from '../../../src/analysis/pooled.ts';
import { sampleOf, seededRandom } from '../../../src/analysis/testing-samples.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { execSql, insertRows, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { type ClickhouseGateway, startClickhouseGateway } from '../../support/wire/clickhouse-gateway.ts';

/* Several experiments run at once, and a holdout keeps players out of all of them. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = systemClock.wallMs();
const SINCE = NOW - 20 * DAY_MS;
const PATH = '/v1/experiments/holdout/results';
const EXPERIMENTS = ['wide', 'deep', 'tall'] as const;

let clickhouse: TestClickhouse;
let world: ClickhouseGateway;
let gateway: Gateway;
let key: string;

beforeAll(async () => {
  world = await startClickhouseGateway();
  ({ clickhouse, gateway } = world);
  key = await gateway.key();
});
afterAll(() => world.close());
beforeEach(async () => {
  for (const table of TABLE_NAMES) await execSql(clickhouse, `TRUNCATE TABLE ${table}`);
});

const insert = (table: string, rows: readonly object[]): Promise<void> => insertRows(clickhouse, table, rows);

async function define(periods: readonly HoldoutPeriod[]): Promise<void> {
  const held = gateway.config.get(gameAddress('demo'))?.document;
  if (held === undefined) throw new Error('the game exists');
  await gateway.config.put(gameAddress('demo'), { ...held, holdoutPeriods: periods });
  for (const name of EXPERIMENTS) {
    const { variants } = anExperiment();
    const experiment = anExperiment({
      key: name,
      flagKey: `flag_${name}`,
      phases: [{ phase: 1, since: SINCE, variants }],
    });
    await gateway.config.put({ game: 'demo', environment: 'live', kind: 'experiment', key: name }, experiment);
  }
}
const period = (some: Partial<HoldoutPeriod> = {}): HoldoutPeriod => ({
  period: 1,
  since: SINCE,
  until: null,
  percentage: 50,
  ...some,
});

const playerId = (n: number): string => `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`;
const who = (n: number) => ({ player_id: playerId(n), external_id: `p${n}` });

interface Met {
  player: number;
  experiment?: string;
  variant: string;
  at?: number;
  period?: number;
  attribution?: string;
}
let sequence = 0;
const met = ({ player, experiment = 'wide', variant, at = NOW - 3 * DAY_MS, period: phase = 1, ...some }: Met) => ({
  flag_key: experiment === '' ? 'flag_wide' : `flag_${experiment}`,
  flag_version: 1,
  experiment,
  period: phase,
  variant_key: variant,
  value: '"x"',
  reason: 'percentage_rollout',
  stratum: variant === 'holdout' || variant === 'dropped' ? 0 : 10_000,
  attribution: 'served',
  ...who(player),
  received_at: at,
  facts_sequence: (sequence += 1),
  ...some,
});
const bought = (player: number, at = NOW - 2 * DAY_MS, amount = 1) => ({
  event_id: `e-${(sequence += 1)}`,
  event_name: 'bought',
  ...who(player),
  properties: JSON.stringify({ amount }),
  timestamp: at,
  received_at: at,
  facts_sequence: sequence,
});

interface Answer extends Record<string, unknown> {
  variants: { players: number; conversions: number; mean: number; lift: number; p_value: number; ci_low: number }[];
  sample_ratio: { p_value: number; mismatch: boolean };
  excluded_players: number;
  left_out_earlier: number;
}
async function results(query = 'metric=bought'): Promise<{ status: number; data: Answer; error: unknown }> {
  const response = await gateway.call(key, 'GET', `${PATH}?${query}`);
  const { data, error } = await bodyOf(response);
  const read: Answer = JSON.parse(JSON.stringify(data ?? null));
  return { status: response.status, data: read, error };
}
const span = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n);

describe('GET /v1/experiments/holdout/results', () => {
  it('has the figures computed by hand, each player once, whatever it met and how often', async () => {
    await define([period()]);
    // 10 of 100 players who are held out buy, and 20 of 100 others.
    await insert('flag_exposures', [
      ...span(0, 100).map((n) => met({ player: n, variant: 'holdout' })),
      ...span(100, 200).map((n) => met({ player: n, variant: n % 2 === 0 ? 'a' : 'b' })),
      // Each of them meets another experiment later; some have a row more after the flag was disabled.
      ...span(0, 100).map((n) => met({ player: n, experiment: 'deep', variant: 'holdout', at: NOW - DAY_MS })),
      ...span(0, 40).map((n) => met({ player: n, variant: 'holdout', period: 2, at: NOW - DAY_MS })),
      ...span(100, 200).map((n) => met({ player: n, experiment: 'deep', variant: 'b', at: NOW - DAY_MS })),
      ...span(100, 120).map((n) => met({ player: n, variant: 'dropped', at: NOW - DAY_MS })),
      // By the rules of a flag, in the test environment, and of a flag that has no experiment.
      met({ player: 300, experiment: '', variant: 'a' }),
      { ...met({ player: 301, variant: 'a' }), environment: 'test' },
      { ...met({ player: 302, variant: 'a' }), flag_key: 'other' },
    ]);
    await insert(
      'events',
      [...span(0, 10), ...span(100, 120)].map((n) => bought(n)),
    );
    const { status, data } = await results();
    expect(status).toBe(200);
    expect(data).toMatchObject({
      period: 1,
      periods: [{ period: 1, since: new Date(SINCE).toISOString(), until: null, percentage: 50 }],
      control: 'holdout',
      reason: null,
      metric: 'bought',
      confidence: 0.95,
      variants: [
        { variant_key: 'holdout', players: 100, conversions: 10, mean: 0.1, lift: null },
        { variant_key: 'rest', players: 100, conversions: 20, mean: 0.2, lift: 1 },
      ],
      sequential: [{ decision: null }, { decision: 'undecided' }],
      sample_ratio: { p_value: 1, mismatch: false },
      excluded_players: 0,
      left_out_earlier: 0,
    });
    // As in the results of an experiment (experiment-results.test.ts).
    expect(data.variants[1]?.p_value).toBeCloseTo(0.047756049855, 10);
    expect(data.variants[1]?.ci_low).toBeCloseTo(0.0073379811367, 10);
  });

  it('leaves out of both sides who met an experiment before, who is on both, and testers', async () => {
    await define([
      period({ period: 1, since: SINCE - 30 * DAY_MS, until: SINCE }),
      period({ period: 2, percentage: 10 }),
    ]);
    const before = SINCE - DAY_MS;
    await insert('flag_exposures', [
      met({ player: 1, variant: 'holdout' }),
      met({ player: 2, variant: 'a' }),
      // Held out before and now; released; newly held out; in the first minute, of nodes that lag.
      met({ player: 3, variant: 'holdout', at: before }),
      met({ player: 3, experiment: 'deep', variant: 'holdout' }),
      met({ player: 4, variant: 'holdout', at: before }),
      met({ player: 4, experiment: 'deep', variant: 'a' }),
      met({ player: 5, variant: 'a', at: before }),
      met({ player: 5, experiment: 'deep', variant: 'holdout' }),
      met({ player: 6, variant: 'b', at: SINCE + 59_999 }),
      met({ player: 6, experiment: 'deep', variant: 'b' }),
      // Before only: it is in the earlier period.
      met({ player: 7, variant: 'b', at: before }),
      // On both sides by a client that shows an old value.
      met({ player: 8, variant: 'holdout' }),
      met({ player: 8, variant: 'a', attribution: 'mismatch' }),
      // With an override of a flag that has experiments; of another flag; with one that was removed.
      ...[9, 10, 11].map((player) => met({ player, variant: 'holdout' })),
      met({ player: 12, variant: 'a' }),
    ]);
    const override = (player: number, some: object = {}) => ({
      flag_key: 'flag_tall',
      ...who(player),
      value: '"a"',
      received_at: NOW,
      removed: 0,
      version: 1,
      ...some,
    });
    await insert('flag_override_states', [
      override(9),
      override(10, { flag_key: 'other' }),
      override(11),
      override(11, { removed: 1, version: 2 }),
    ]);
    await insert('test_players', [{ player_id: playerId(12), external_id: 'p12', version: 1 }]);
    const { data } = await results();
    expect(data).toMatchObject({ period: 2, excluded_players: 6, left_out_earlier: 4, mismatched_players: 1 });
    expect(data.variants.map(({ players }) => players)).toEqual([3, 1]);
    const earlier = await results('metric=bought&period=1');
    expect(earlier.data).toMatchObject({ period: 1, excluded_players: 0 });
    expect(earlier.data.variants.map(({ players }) => players)).toEqual([2, 2]);
  });

  it('equals an own count of three experiments with a planted lift, and finds no lift of what was not changed', async () => {
    const random = seededRandom(31);
    const isHeld = createHoldoutTest();
    const holdout = { percentage: 30, salt: 'h' };
    await define([period({ percentage: 30 })]);
    const players = span(0, 3_000).map((n) => {
      const held = isHeld(holdout, playerId(n));
      const exposures = EXPERIMENTS.flatMap((experiment) =>
        random() < 0.4
          ? [
              met({
                player: n,
                experiment,
                variant: held ? 'holdout' : 'ab'.charAt(Math.floor(2 * random())),
                at: timeOf(random),
              }),
            ]
          : [],
      );
      // Players of experiments buy twice as often, and log in alike.
      const purchases = span(0, 6).flatMap(() =>
        random() < (held ? 0.2 : 0.4) ? [{ ...bought(n, timeOf(random), Math.ceil(50 * random())) }] : [],
      );
      const logins = span(0, 3).map(() => ({ ...bought(n, timeOf(random)), event_name: 'login' }));
      return { n, held, exposures, events: [...purchases, ...logins] };
    });
    await insert(
      'flag_exposures',
      players.flatMap(({ exposures }) => exposures),
    );
    await insert(
      'events',
      players.flatMap(({ events }) => events),
    );
    for (const [query, name, isSum] of [
      ['metric=bought&aggregate=sum&property=amount&window_days=5', 'bought', true],
      ['metric=login&aggregate=count&window_days=5', 'login', false],
    ] as const) {
      const values = players.flatMap(({ held, exposures, events }) => {
        const first = Math.min(...exposures.map(({ received_at: at }) => at));
        if (!Number.isFinite(first)) return [];
        const own = events.filter(
          (event) => event.event_name === name && event.received_at > first && event.received_at < first + 5 * DAY_MS,
        );
        const amounts = own.map(({ properties }): number => (isSum ? JSON.parse(properties).amount : 1));
        return [{ held, value: amounts.reduce((sum, amount) => sum + amount, 0) }];
      });
      const [control, treatment] = [true, false].map((held) =>
        sampleOf(values.filter((one) => one.held === held).map(({ value }) => value)),
      );
      if (control === undefined || treatment === undefined) throw new Error('both are there');
      const compared = compare(control, treatment);
      if (typeof compared === 'string') throw new Error(compared);
      const wanted = fixedInterval(compared, 0.05);
      const { data } = await results(query);
      expect(data.variants.map(({ players: count, conversions }) => [count, conversions])).toEqual(
        [control, treatment].map((sample) => [sample.players, sample.conversions]),
      );
      expect(data.variants[0]?.mean).toBeCloseTo(control.mean, 9);
      expect(data.variants[1]?.lift).toBeCloseTo(treatment.mean / control.mean - 1, 9);
      expect(data.variants[1]?.ci_low).toBeCloseTo(wanted.low ?? 0, 8);
      expect(data.variants[1]?.p_value).toBeCloseTo(wanted.pValue ?? 0, 8);
      expect((data.variants[1]?.p_value ?? 0) < 0.001).toBe(isSum);
      expect(data.sample_ratio.mismatch).toBe(false);
    }
  });

  it('counts players of the chosen age only, and ends with its period', async () => {
    await define([period({ until: NOW - 2.5 * DAY_MS }), period({ period: 2, since: NOW - 2.5 * DAY_MS })]);
    await insert('flag_exposures', [
      ...span(0, 4).map((n) => met({ player: n, variant: 'holdout' })),
      ...span(4, 10).map((n) => met({ player: n, variant: 'a', at: NOW - (n < 7 ? 3 : 5) * DAY_MS })),
      met({ player: 20, variant: 'a', at: NOW - 2 * DAY_MS }),
    ]);
    await insert('events', [...span(0, 10).map((n) => bought(n)), bought(8, NOW - 2.7 * DAY_MS)]);
    const first = await results('metric=bought&period=1');
    expect(first.data.variants.map(({ players, conversions }) => [players, conversions])).toEqual([
      [4, 0],
      [6, 1],
    ]);
    const old = await results('metric=bought&period=1&min_exposure_age_days=1');
    expect(old.data.variants.map(({ players }) => players)).toEqual([0, 3]);
  });

  it('says why there is nothing', async () => {
    await define([]);
    expect((await results()).data).toMatchObject({
      period: null,
      periods: [],
      reason: 'no_holdout',
      variants: [
        { players: 0, mean: null },
        { players: 0, lift: null, too_small: 'players' },
      ],
      sample_ratio: { p_value: null, mismatch: false },
    });
    await define([period()]);
    expect((await results()).data).toMatchObject({ period: 1, reason: 'no_exposures' });
    expect(await results('metric=bought&period=2')).toMatchObject({
      status: 400,
      error: { details: { fields: [{ path: 'period' }] } },
    });
    expect(await results('')).toMatchObject({ status: 400, error: { details: { fields: [{ path: 'metric' }] } } });
    const down = await startGateway();
    const own = await down.key();
    expect((await down.call(own, 'GET', `${PATH}?metric=bought`)).status).toBe(200);
    expect((await bodyOf(await down.call(own, 'GET', `${PATH}?metric=bought`))).data).toMatchObject({
      reason: 'no_holdout',
    });
    await down.close();
  });
});

const timeOf = (random: () => number): number => Math.floor(SINCE + HOUR_MS + random() * (NOW - SINCE - HOUR_MS));
