import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anExperiment } from '../../../actors/experiments/testing-experiment.ts';
import { TABLE_NAMES } from '../../../clickhouse-schema/rows/tables/tables.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import type { ExperimentDocument, ExperimentPhase } from '../../../core/vocabulary/documents/experiments.ts';
import type { Fact } from '../../../core/vocabulary/facts/facts.ts';
import type { FlagExposed } from '../../../core/vocabulary/facts/flag-facts.ts';
import { aTrackedEvent } from '../../../streams/sinks/testing-commits.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { execSql } from '../../support/servers/clickhouse.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { type ClickhouseGateway, startClickhouseGateway } from '../../support/wire/clickhouse-gateway.ts';

let world: ClickhouseGateway;
let gateway: Gateway;
let key: string;

beforeAll(async () => {
  world = await startClickhouseGateway();
  ({ gateway } = world);
  key = await gateway.key();
});
afterAll(() => world.close());
beforeEach(async () => {
  for (const table of TABLE_NAMES) await execSql(world.clickhouse, `TRUNCATE TABLE ${table}`);
});

const HOUR_MS = 3_600_000;
const now = systemClock.wallMs();
const DAY = new Date(now - 2 * HOUR_MS).toISOString().slice(0, 10);
const PATH = '/v1/experiments/experiments/wide/results';
const write = (facts: readonly Fact[]) => world.write(facts);

async function results(query = '', of = gateway): Promise<{ status: number; data: Answer; error: unknown }> {
  const response = await of.call(key, 'GET', PATH + query);
  const { data, error } = await bodyOf(response);
  const read: Answer = JSON.parse(JSON.stringify(data ?? null));
  return { status: response.status, data: read, error };
}

interface ShownVariant {
  variant_key: string;
  players: number;
  mean: number | null;
  lift: number | null;
  p_value: number | null;
  p_adjusted: number | null;
  ci_low: number | null;
}
interface Answer extends Record<string, unknown> {
  variants: ShownVariant[];
  phases: { phase: number; variants: ShownVariant[]; held_out_players: number; excluded_players: number }[];
  sample_ratio_by_day: { day: string; phase: number; mismatch: boolean; reason: string | null }[];
  guardrails: { verdict: string; variants: { verdict: string; low: number; high: number }[] }[];
}

const playerId = (n: number): string => `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`;
const who = (player: number) =>
  ({ game: 'demo', environment: 'live', entityId: playerId(player), externalId: `ext-${player}` }) as const;

/** An exposure by the experiment; what is shown does not matter. */
const exposed = (player: number, variant: string, phase = 1, some: Partial<FlagExposed> = {}): FlagExposed => ({
  ...who(player),
  kind: 'FlagExposed',
  at: now - 2 * HOUR_MS,
  flagKey: 'shop',
  flagVersion: 3,
  period: phase,
  attribution: 'served',
  variantKey: variant,
  value: '"x"',
  reason: 'percentage_rollout',
  ...(variant === 'holdout' || variant === 'dropped' ? {} : { stratum: 10_000 + phase }),
  trial: { experiment: 'wide', phase, variant },
  ...some,
});
/** An exposure by the rules of the flag. */
function unassigned(player: number): FlagExposed {
  const { trial: _, ...fact } = exposed(player, 'wide');
  return fact;
}
const bought = (player: number, amount = 1, at = now - HOUR_MS) =>
  aTrackedEvent({ ...who(player), eventName: 'bought', at, properties: JSON.stringify({ amount }) });
const span = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n);

const HALVES = [
  { key: 'control', weight: 50 },
  { key: 'wide', weight: 50 },
];
const phases = (...shares: ExperimentPhase['variants'][]): ExperimentPhase[] =>
  shares.map((variants, place) => ({ phase: place + 1, since: now - (20 - place) * HOUR_MS, variants }));

const RUNNING = anExperiment({
  key: 'wide',
  flagKey: 'shop',
  variants: HALVES,
  primary: { aggregate: 'conversion', metric: 'bought' },
  state: 'running',
  phases: phases(HALVES),
  startedAt: now - 20 * HOUR_MS,
  version: 4,
});
const define = (some: Partial<ExperimentDocument> = {}, of = gateway) =>
  of.config.put({ game: 'demo', environment: 'live', kind: 'experiment', key: 'wide' }, { ...RUNNING, ...some });

/** 10 of 100 players of the control buy, and 20 of 100 of the other variant, in one phase. */
async function twoHundred(phase = 1, first = 0): Promise<void> {
  await write(span(0, 200).map((n) => exposed(first + n, n < 100 ? 'control' : 'wide', phase)));
  await write([...span(0, 10), ...span(100, 120)].map((n) => bought(first + n)));
}

describe('GET /v1/experiments/experiments/{key}/results', () => {
  it('has the figures of the primary metric computed by hand, and counts no player of the flag itself', async () => {
    await define();
    await twoHundred();
    // Players whom the rules of the flag serve, and those of another experiment.
    await write([
      unassigned(500),
      exposed(501, 'wide', 1, { trial: { experiment: 'other', phase: 1, variant: 'wide' } }),
      exposed(502, 'holdout'),
    ]);
    const { status, data } = await results();
    expect(status).toBe(200);
    expect(data).toMatchObject({
      experiment_key: 'wide',
      flag_key: 'shop',
      version: 4,
      state: 'running',
      mode: 'ab',
      winner: null,
      control: 'control',
      reason: null,
      phase: null,
      aggregate: 'conversion',
      metric: 'bought',
      confidence: 0.95,
      compared_in: [
        { variant_key: 'control', phases: [1] },
        { variant_key: 'wide', phases: [1] },
      ],
    });
    const [control, wide] = data.variants;
    expect(control).toMatchObject({ players: 100, mean: 0.1, lift: null, p_value: null });
    expect(wide).toMatchObject({ players: 100, mean: 0.2, lift: 1 });
    // As in the results of a flag (analytics.test.ts).
    expect(wide?.p_value).toBeCloseTo(0.047756049855, 10);
    expect(wide?.ci_low).toBeCloseTo(0.0073379811367, 10);
    expect(data.phases).toMatchObject([
      { phase: 1, weights: [{ variant_key: 'control', weight: 50 }, {}], held_out_players: 1, excluded_players: 0 },
    ]);
    expect(data.phases[0]?.variants).toEqual(data.variants);
    expect(data.sample_ratio_by_day).toMatchObject([{ day: DAY, phase: 1, players: 200, p_value: 1, mismatch: false }]);
  });

  const TENTHS = [
    { key: 'control', weight: 10 },
    { key: 'wide', weight: 90 },
  ];

  it('compares no players of different phases, and puts the phases together by their players', async () => {
    await define({ variants: TENTHS, phases: phases(HALVES, TENTHS) });
    await twoHundred();
    // In the second phase 8 of 10 players buy, and 45 of 90: put into one heap, the variant would look better.
    await write(span(0, 100).map((n) => exposed(1_000 + n, n < 10 ? 'control' : 'wide', 2)));
    await write([...span(0, 8), ...span(10, 55)].map((n) => bought(1_000 + n)));
    const { data } = await results();
    expect(data.phases.map(({ variants }) => variants.map(({ mean, lift }) => [mean, lift]))).toEqual([
      [
        [0.1, null],
        [0.2, 1],
      ],
      [
        [0.8, null],
        [0.5, expect.closeTo(-0.375, 12)],
      ],
    ]);
    // Weights 100 · 100 / 200 = 50 and 10 · 90 / 100 = 9: (50 · .1 + 9 · .8) / 59 and (50 · .2 + 9 · .5) / 59.
    const [control, wide] = data.variants;
    expect([control?.players, wide?.players]).toEqual([110, 190]);
    expect(control?.mean).toBeCloseTo(12.2 / 59, 12);
    expect(wide?.mean).toBeCloseTo(14.5 / 59, 12);
    expect(wide?.lift).toBeCloseTo(2.3 / 12.2, 12);
    const second = await results('?phase=2');
    expect(second.data.phase).toBe(2);
    expect(second.data.variants.map(({ players }) => players)).toEqual([10, 90]);
    expect(second.data.phases).toHaveLength(2);
  });

  it('is not empty while thousands are in the phase before, and a new variant is compared where it is', async () => {
    const THREE = [...HALVES, { key: 'huge', weight: 100 }];
    await define({ variants: THREE, phases: phases(HALVES, THREE) });
    await twoHundred();
    const first = (await results()).data;
    expect(first.variants.map(({ players, lift }) => [players, lift])).toEqual([
      [100, null],
      [100, 1],
      [0, null],
    ]);
    expect(first).toMatchObject({ reason: null, variants: [{}, {}, { mean: null, too_small: 'players' }] });
    await write(span(0, 40).map((n) => exposed(2_000 + n, n < 10 ? 'control' : n < 20 ? 'wide' : 'huge', 2)));
    await write([...span(0, 5), ...span(10, 15), ...span(20, 35)].map((n) => bought(2_000 + n)));
    const { data } = await results();
    expect(data).toMatchObject({
      compared_in: [{ phases: [1, 2] }, { phases: [1, 2] }, { phases: [2] }],
      variants: [{}, {}, { players: 20, mean: 0.75, lift: 0.5 }],
    });
    // Of two p-values, the smaller one is doubled.
    const [low, high] = data.variants.slice(1).toSorted((a, b) => (a.p_value ?? 1) - (b.p_value ?? 1));
    expect(low?.p_adjusted).toBeCloseTo(2 * (low?.p_value ?? 0), 12);
    expect(high?.p_adjusted).toBeCloseTo(Math.max(high?.p_value ?? 0, 2 * (low?.p_value ?? 0)), 12);
  });

  it('says why there is nothing: a draft, nobody exposed, no primary metric, an unknown phase', async () => {
    await define({ state: 'draft', phases: [], startedAt: null });
    expect((await results()).data).toMatchObject({ reason: 'not_started', phases: [], variants: [{ players: 0 }, {}] });
    await define();
    expect((await results()).data).toMatchObject({
      reason: 'no_exposures',
      variants: [{ players: 0, mean: null }, { too_small: 'players' }],
    });
    expect(await results('?phase=2')).toMatchObject({
      status: 400,
      error: { details: { fields: [{ path: 'phase' }] } },
    });
    await define({ primary: null });
    expect(await results()).toMatchObject({ status: 400, error: { details: { fields: [{ path: 'aggregate' }] } } });
    expect((await results('?aggregate=payer')).data).toMatchObject({ aggregate: 'payer', metric: null });
    expect((await gateway.call(key, 'GET', PATH.replace('wide', 'none'))).status).toBe(404);
  });

  it('names an A/A experiment, and ends with the experiment', async () => {
    await define({ mode: 'aa', state: 'stopped', stoppedAt: now - 1.5 * HOUR_MS });
    await twoHundred();
    // Bought an hour ago, half an hour after the end.
    const { data } = await results();
    expect(data).toMatchObject({ mode: 'aa', state: 'stopped' });
    expect(data.variants.map(({ players, mean }) => [players, mean])).toEqual([
      [100, 0],
      [100, 0],
    ]);
  });

  it('finds the day and phase in which players did not come in the ratio of the weights', async () => {
    await define({ phases: phases(HALVES, TENTHS), variants: TENTHS });
    await twoHundred();
    const before = { at: now - 10 * 24 * HOUR_MS };
    await define({ phases: phases(HALVES, TENTHS).map((one) => ({ ...one, since: now - 15 * 24 * HOUR_MS })) });
    await write(span(0, 300).map((n) => exposed(3_000 + n, n < 50 ? 'control' : 'wide', 1, before)));
    const { data } = await results();
    const earlier = new Date(before.at).toISOString().slice(0, 10);
    expect(data.sample_ratio_by_day).toMatchObject([
      { day: earlier, phase: 1, players: 300, mismatch: true, reason: null },
      { day: DAY, phase: 1, players: 200, mismatch: false, reason: null },
    ]);
    // Two players of one guild came together.
    await write([3_400, 3_401].map((n) => exposed(n, 'wide', 1, { ...before, cluster: 77 })));
    expect((await results()).data.sample_ratio_by_day[0]).toMatchObject({
      players: 302,
      p_value: null,
      reason: 'shared_draws',
    });
  });

  it('judges guardrails over all phases, one-sided and with the shared error rate', async () => {
    const guardrail = { worse: 'lower', margin: 0.02, action: 'roll_back' } as const;
    const spent = { aggregate: 'sum', metric: 'bought', property: 'amount' } as const;
    await define({
      guardrails: [
        { ...guardrail, metric: spent },
        { ...guardrail, metric: { aggregate: 'conversion', metric: 'opened' } },
      ],
      phases: phases(HALVES, HALVES),
    });
    await write(span(0, 2_000).map((n) => exposed(n, n < 1_000 ? 'control' : 'wide', 1 + (n % 2))));
    // All buy; the variant for a fifth less, and the phases for different amounts.
    await write(span(0, 2_000).map((n) => bought(n, (n < 1_000 ? 10 : 8) * (1 + (n % 2)) + (n % 7))));
    const { data } = await results();
    expect(data.guardrails).toMatchObject([
      { aggregate: 'sum', property: 'amount', margin: 0.02, action: 'roll_back', verdict: 'harmful' },
      { metric: 'opened', verdict: 'undecided', variants: [{ lift: null, low: null, too_small: 'values' }] },
    ]);
    const [spend] = data.guardrails[0]?.variants ?? [];
    expect(spend?.high).toBeLessThan(-0.02);
    expect(spend?.low).toBeLessThan(spend?.high ?? -1);
  });

  it('is 503 while ClickHouse is unavailable', async () => {
    const down = await startGateway();
    await define({}, down);
    const own = await down.key();
    expect((await down.call(own, 'GET', PATH)).status).toBe(503);
    await down.close();
  });
});
