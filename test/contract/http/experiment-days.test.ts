import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anExperiment } from '../../../actors/experiments/testing-experiment.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { dateOf, dayIn, startOfDayIn } from '../../../core/kernel/zoned-days.ts';
import type { ExperimentDocument } from '../../../core/vocabulary/documents/experiments.ts';
import { fixedInterval } from '../../../src/analysis/comparison.ts';
import { comparePooled, phaseWeight } from '../../../src/analysis/pooled.ts';
import { sampleOf, seededRandom } from '../../../src/analysis/testing-samples.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import type { Gateway } from '../../support/in-memory/http-gateway.ts';
import { insertRows } from '../../support/servers/clickhouse.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { type ClickhouseGateway, startClickhouseGateway } from '../../support/wire/clickhouse-gateway.ts';

/*
 * The lift over time, on rows in ClickHouse: an experiment of two phases by player, and one by guild. What it says of a
 * day is what the results say of an experiment that stopped at the end of this day.
 */

const ZONE = 'Asia/Tokyo';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = systemClock.wallMs();
const TODAY = dayIn(ZONE, NOW);
const DAYS = 9;
const START = startOfDayIn(ZONE, TODAY - DAYS + 1) + 5 * HOUR_MS;
const REWEIGHT = START + 4 * DAY_MS;
const WINDOW_DAYS = 3;

const HALVES = [
  { key: 'false', weight: 50 },
  { key: 'true', weight: 50 },
];
const THIRDS = [
  { key: 'false', weight: 2 },
  { key: 'true', weight: 1 },
];
const WIDE = anExperiment({
  key: 'wide',
  variants: THIRDS,
  primary: { aggregate: 'conversion', metric: 'bought' },
  state: 'running',
  phases: [
    { phase: 1, since: START, variants: HALVES },
    { phase: 2, since: REWEIGHT, variants: THIRDS },
  ],
  startedAt: START,
});
const GUILDS = anExperiment({
  ...WIDE,
  key: 'guilds',
  flagKey: 'xp',
  bucketBy: 'attribute:guild',
  phases: [{ phase: 1, since: START, variants: HALVES }],
});

const random = seededRandom(31);
const between = (from: number, to: number): number => Math.floor(from + random() * (to - from));
const PLAYERS = Array.from({ length: 900 }, (_, n) => {
  const at = between(START, NOW - HOUR_MS);
  const phase = at < REWEIGHT ? 1 : 2;
  const guild = 2 + Math.floor(n / 6);
  const isTreated = phase === 1 ? random() < 0.5 : random() < 1 / 3;
  const events = Array.from({ length: between(0, 8) }, () => ({
    name: random() < 0.6 ? 'bought' : 'opened',
    at: between(at - DAY_MS, Math.min(NOW, at + 5 * DAY_MS)),
    amount: between(1, 60) * (isTreated ? 2 : 1),
  }));
  return { id: `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`, at, phase, guild, isTreated, events };
});

let world: ClickhouseGateway;
let gateway: Gateway;
let key: string;

const insert = (table: string, rows: readonly object[]): Promise<void> => insertRows(world.clickhouse, table, rows);

beforeAll(async () => {
  world = await startClickhouseGateway();
  ({ gateway } = world);
  key = await gateway.key();
  const game = gateway.config.get(gameAddress('demo'))?.document;
  if (game === undefined) throw new Error('the game exists');
  await gateway.config.put(gameAddress('demo'), { ...game, timeZone: ZONE });
  const drawn = { flag_version: 1, reason: 'percentage_rollout', attribution: 'served' };
  let sequence = 0;
  const rows = PLAYERS.flatMap(({ id, at, phase, guild, isTreated }) =>
    [WIDE, GUILDS].map(({ key: experiment, flagKey }) => {
      const ofGuild = experiment === 'guilds';
      const variant = String(ofGuild ? guild % 2 === 0 : isTreated);
      const draw = ofGuild
        ? { period: 1, cluster: guild, stratum: 2 ** 31 + 5_000 }
        : { period: phase, stratum: 5_000 };
      const seen = { variant_key: variant, value: variant, player_id: id, external_id: id };
      return {
        ...drawn,
        ...draw,
        experiment,
        flag_key: flagKey,
        ...seen,
        received_at: at,
        facts_sequence: (sequence += 1),
      };
    }),
  );
  // The first two met both variants: without a shared draw they are left out.
  await insert('flag_exposures', [
    ...rows,
    ...rows.slice(0, 4).map((row) => ({
      ...row,
      variant_key: row.variant_key === 'true' ? 'false' : 'true',
      received_at: row.received_at + 1,
      facts_sequence: (sequence += 1),
    })),
  ]);
  const made = PLAYERS.flatMap(({ id, events }) => events.map((event) => ({ id, ...event })));
  const origin = (at: number) => ({ received_at: at, facts_sequence: (sequence += 1) });
  await insert(
    'events',
    made.map(({ id, name, at, amount }, n) => ({
      event_id: `e-${n}`,
      event_name: name,
      player_id: id,
      properties: JSON.stringify({ amount }),
      timestamp: at,
      ...origin(at),
    })),
  );
  const some = made.filter((_, n) => n % 4 === 0);
  const bought = { counts: 1, kind: 'purchase', product_id: 'gems', currency: 'EUR', recorded_by: 'server' };
  await insert('purchases', [
    ...some.map(({ id, at, amount }, n) => ({
      ...bought,
      player_id: id,
      amount,
      transaction_id: `t-${n}`,
      ...origin(at),
    })),
    // Every tenth is refunded a day later.
    ...some.flatMap(({ id, at, amount }, n) =>
      n % 10 === 0
        ? [
            {
              ...bought,
              counts: 0,
              kind: 'refund',
              refund_id: `r-${n}`,
              player_id: id,
              amount: -amount,
              transaction_id: `t-${n}`,
              ...origin(at + DAY_MS),
            },
          ]
        : [],
    ),
  ]);
  await insert(
    'sessions',
    some.map(({ id, at }, n) => ({
      player_id: id,
      session_id: `s-${n}`,
      start_time: at,
      end_time: at + 60_000,
      happened_at: at,
      duration_seconds: 60,
      ...origin(at + 60_000),
    })),
  );
});
afterAll(() => world.close());

const define = (experiment: ExperimentDocument, some: Partial<ExperimentDocument> = {}) =>
  gateway.config.put(
    { game: 'demo', environment: 'live', kind: 'experiment', key: experiment.key },
    { ...experiment, ...some },
  );

interface Shown {
  variants: { players: number; mean: number; lift: number; ci_low: number; p_value: number; clusters: number | null }[];
  sequential: object[];
}
interface Answer extends Shown {
  reason: string | null;
  days: (Shown & { day: string })[];
}
async function ask(path: string): Promise<{ status: number; data: Answer; error: unknown }> {
  const response = await gateway.call(key, 'GET', `/v1/experiments/experiments/${path}`);
  const { data, error } = await bodyOf(response);
  const read: Answer = JSON.parse(JSON.stringify(data ?? null));
  return { status: response.status, data: read, error };
}

/** With numbers of nine digits: sums of other orders differ in the last ones. */
const figuresOf = ({ variants, sequential }: Shown): unknown =>
  JSON.parse(
    JSON.stringify({ variants, sequential }, (_, value: unknown) =>
      typeof value === 'number' ? Number(value.toPrecision(9)) : value,
    ),
  );

/** The results of the experiment if it had stopped at the end of a day. */
async function stoppedAfter(experiment: ExperimentDocument, day: number, query: string): Promise<unknown> {
  await define(experiment, { state: 'stopped', stoppedAt: Math.min(NOW, startOfDayIn(ZONE, day + 1)) });
  const { data } = await ask(`${experiment.key}/results?${query}`);
  await define(experiment);
  return figuresOf(data);
}

const METRICS = [
  'metric=bought',
  'metric=bought&aggregate=sum&property=amount',
  'metric=bought&aggregate=mean&property=amount',
  'metric=bought&aggregate=ratio&per_metric=opened',
  'aggregate=revenue',
  'aggregate=payer',
  'aggregate=sessions',
].map((metric) => `${metric}&window_days=${WINDOW_DAYS}`);

describe('GET /v1/experiments/experiments/{key}/results/days', () => {
  it('equals an own count at the end of each day', async () => {
    await define(WIDE);
    const { status, data } = await ask(`wide/results/days?${METRICS[1]}`);
    expect([status, data.reason]).toEqual([200, null]);
    const days = Array.from({ length: DAYS }, (_, n) => TODAY - DAYS + 1 + n);
    expect(data.days.map(({ day }) => day)).toEqual(days.map(dateOf));
    let lifts = 0;
    for (const [place, day] of days.entries()) {
      const end = startOfDayIn(ZONE, day + 1);
      // The first two players met both variants.
      const came = PLAYERS.slice(2).filter(({ at }) => at < end);
      const valueOf = ({ at, events }: (typeof PLAYERS)[number]): number =>
        events
          .filter((one) => one.name === 'bought' && one.at > at && one.at < Math.min(end, at + WINDOW_DAYS * DAY_MS))
          .reduce((sum, { amount }) => sum + amount, 0);
      const samples = [1, 2].map((phase) =>
        [false, true].map((treated) =>
          sampleOf(came.filter((one) => one.phase === phase && one.isTreated === treated).map(valueOf)),
        ),
      );
      const counts = [0, 1].map((arm) => samples.reduce((sum, of) => sum + (of[arm]?.players ?? 0), 0));
      expect(data.days[place]?.variants.map(({ players }) => players)).toEqual(counts);
      const compared = comparePooled(
        samples.flatMap(([control, treatment]) =>
          control === undefined || treatment === undefined || Math.min(control.players, treatment.players) < 2
            ? []
            : [{ control, treatment, weight: phaseWeight([control.players, treatment.players]) }],
        ),
      );
      if (typeof compared === 'string') continue;
      lifts += 1;
      const [, treated] = data.days[place]?.variants ?? [];
      const { low, pValue } = fixedInterval(compared, 0.05);
      expect(treated?.lift).toBeCloseTo(compared.treatment.mean / compared.control.mean - 1, 9);
      expect(treated?.ci_low ?? null).toEqual(low === null ? null : expect.closeTo(low, 8));
      expect(treated?.p_value).toBeCloseTo(pValue ?? -1, 8);
    }
    expect(lifts).toBeGreaterThan(6);
  });

  it.each(METRICS)('is on the last day what results are, and on others what they were: %s', async (query) => {
    await define(WIDE);
    const { data } = await ask(`wide/results/days?${query}`);
    expect(figuresOf(data.days.at(-1) ?? data)).toEqual(figuresOf((await ask(`wide/results?${query}`)).data));
    const then = await stoppedAfter(WIDE, TODAY - DAYS + 1 + 6, query);
    expect(figuresOf(data.days[6] ?? data)).toEqual(then);
  });

  it('compares the players of one phase if it is asked to', async () => {
    await define(WIDE);
    const query = `${METRICS[1]}&phase=2`;
    const { days } = (await ask(`wide/results/days?${query}`)).data;
    const [first, last] = [days[0], days.at(-1)];
    if (first === undefined || last === undefined) throw new Error('there are days');
    expect(first.variants.map(({ players }) => players)).toEqual([0, 0]);
    expect(figuresOf(last)).toEqual(figuresOf((await ask(`wide/results?${query}`)).data));
  });

  it.each([METRICS[3], METRICS[4]])('takes players of a guild for one: %s', async (query = '') => {
    await define(GUILDS);
    const { data } = await ask(`guilds/results/days?${query}`);
    const [control] = data.days.at(-1)?.variants ?? [];
    expect(control?.clusters).toBeGreaterThan(50);
    expect(control?.clusters).toBeLessThan((control?.players ?? 0) / 4);
    expect(figuresOf(data.days.at(-1) ?? data)).toEqual(figuresOf((await ask(`guilds/results?${query}`)).data));
    const then = await stoppedAfter(GUILDS, TODAY - DAYS + 1 + 5, query);
    expect(figuresOf(data.days[5] ?? data)).toEqual(then);
  });

  it('has the latest 90 days, with what was before on the first, and the days until it stopped', async () => {
    const since = NOW - 120 * DAY_MS;
    const phases = [{ phase: 1, since, variants: HALVES }, ...WIDE.phases.slice(1)];
    await define(WIDE, { startedAt: since, phases });
    const all = (await ask(`wide/results/days?${METRICS[0]}`)).data.days;
    expect([all.length, all[0]?.day, all.at(-1)?.day]).toEqual([90, dateOf(TODAY - 89), dateOf(TODAY)]);
    const old = { ...PLAYERS[0], at: NOW - 100 * DAY_MS };
    const exposure = {
      flag_key: 'shop',
      flag_version: 1,
      experiment: 'wide',
      period: 1,
      variant_key: 'true',
      value: 'true',
    };
    const more = {
      reason: 'percentage_rollout',
      stratum: 5_000,
      attribution: 'served',
      player_id: `${old.id?.slice(0, -4)}9999`,
    };
    await insert('flag_exposures', [{ ...exposure, ...more, received_at: old.at, facts_sequence: 1 }]);
    const [first] = (await ask(`wide/results/days?${METRICS[0]}`)).data.days;
    expect(first?.variants.map(({ players }) => players)).toEqual([0, 1]);
    await define(WIDE, { state: 'stopped', stoppedAt: startOfDayIn(ZONE, TODAY - 2) });
    const stopped = (await ask(`wide/results/days?${METRICS[0]}`)).data.days;
    expect([stopped.length, stopped.at(-1)?.day]).toEqual([DAYS - 3, dateOf(TODAY - 3)]);
    await define(WIDE, { state: 'draft', startedAt: null, phases: [] });
    expect((await ask('wide/results/days')).data).toMatchObject({ reason: 'not_started', days: [] });
  });

  it.each([
    ['aggregate=retention&day=1', 'aggregate', '`retention` is not given by day'],
    ['aggregate=quantile', 'aggregate', '`quantile` is not given by day'],
    ['aggregate=revenue&winsorize=0.99', 'winsorize', 'each day would have another cap'],
    ['aggregate=revenue&cuped=true', 'cuped', 'each day would have another θ'],
    ['phase=3', 'phase', 'matches no phase'],
  ])('refuses %s', async (query, path, message) => {
    await define(WIDE);
    const { status, error } = await ask(`wide/results/days?${query}`);
    expect([status, error]).toMatchObject([400, { details: { fields: [{ path }] } }]);
    expect(JSON.stringify(error)).toContain(message);
  });
});
