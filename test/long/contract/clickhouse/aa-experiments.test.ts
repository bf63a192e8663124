import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAnalytics, type Analytics } from '../../../../clickhouse-schema/queries/analytics.ts';
import type { MeasuredVariant } from '../../../../clickhouse-schema/queries/experiments/experiment-readout.ts';
import type { ExperimentQuery } from '../../../../clickhouse-schema/queries/experiments/experiment-query.ts';
import { createRowBatch } from '../../../../clickhouse-schema/rows/row-batch.ts';
import { playerIdOf } from '../../../../actors/flags/evaluate/testing-flag.ts';
import { seededRandom } from '../../../../src/analysis/testing-samples.ts';
import { systemClock } from '../../../../core/kernel/clock.ts';
import { createClickhouseTarget } from '../../../../streams/sinks/clickhouse/block-target.ts';
import { aCommit } from '../../../../streams/sinks/testing-commits.ts';
import { measureFacts } from '../../../experiments/measure-facts.ts';
import { periodQueries } from '../../../experiments/results-of.ts';
import { simulateExperiment, START_MS } from '../../../experiments/simulate-experiment.ts';
import { execSql, insertRows, rowsOf, runSql, type TestClickhouse } from '../../../support/servers/clickhouse.ts';
import { startWithTables } from '../../../support/wire/made-tables.ts';
import { silentLogger } from '../../../support/in-memory/silent-logger.ts';

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

it('measures simulated experiments as their facts say: every period, conversions and counts', async () => {
  const target = createClickhouseTarget(clickhouse.address);
  let periods = 0;
  let excluded = 0;
  for (const seed of [2, 3, 12, 20, 38, 41]) {
    const experiment = simulateExperiment(seed, 100);
    for (const table of ['events', 'purchases', 'flag_exposures', 'flag_mixed_players']) {
      await execSql(clickhouse, `TRUNCATE TABLE ${table}`);
    }
    const batch = createRowBatch();
    const sequences = Map.groupBy(experiment.log, (placed) => placed.sequence);
    for (const [sequence, placed] of sequences) {
      batch.add(aCommit(placed.map(({ fact }) => fact)), { stream: '2026-01-01T00:00:00Z', sequence });
    }
    for (const { table, bytes } of batch.blocks()) {
      expect(await target.insert(table, bytes, `${table}/${seed}/${bytes.length}`)).toEqual({ kind: 'inserted' });
    }
    for (const kind of ['conversion', 'revenue', 'count'] as const) {
      for (const query of periodQueries(experiment, { kind })) {
        const result = await analytics.experiment(query);
        if (result.kind === 'unavailable') throw new Error('ClickHouse did not answer');
        const expected = measureFacts(experiment.log, query);
        expect(inOrder(result.value, (moment) => moment)).toEqual(inOrder(expected, nearly));
        periods += 1;
        excluded += expected.reduce((sum, one) => (one.excluded ? sum + one.players : sum), 0);
        const counted = expected.filter(({ excluded, arrived }) => !excluded && arrived);
        const figures = counted.map(({ variant, players, conversions, mean }) => [variant, players, conversions, mean]);
        if (kind !== 'count') continue;
        const players = expected.flatMap((one) =>
          one.stratum > 0 && !one.excluded ? [[one.stratum, one.variant, one.players]] : [],
        );
        // The view does not know when an earlier period ended: it has exposures that came after that.
        if (query.untilMs > experiment.endMs) {
          expect((await retained(query)).toSorted(byPlace)).toEqual(players.toSorted(byPlace));
        }
        expect((await readOut(query, kind)).toSorted(byName)).toEqual(figures.toSorted(byName));
      }
    }
  }
  expect([periods > 12, excluded > 20]).toEqual([true, true]);
  await target.close();
}, 240_000);

const byName = ([one]: readonly unknown[], [other]: readonly unknown[]): number =>
  String(one) < String(other) ? -1 : 1;

/** The counted players of each variant with any, by the view. */
async function readOut(query: ExperimentQuery, kind: string): Promise<unknown[][]> {
  const { flagKey, variants, windowDays, sinceMs, untilMs, fromVersion } = query;
  const [row] = await rowsOf<{ period: number }>(
    clickhouse,
    `SELECT max(period) AS period FROM flag_exposures WHERE flag_version = ${fromVersion}`,
  );
  const found = await rowsOf<{ variant_key: string; players: string; conversions: string; mean: number }>(
    clickhouse,
    `SELECT variant_key, players, conversions, sum / players AS mean
      FROM experiment_readout(game = 'demo', flag = '${flagKey}',
      experiment = '', period = ${row?.period ?? 0}, since = '${timeText(sinceMs)}', until = '${timeText(untilMs)}',
      variants = ${listText(variants)}, metrics = ['${kind}:${query.metric}'],
      window_days = ${windowDays}, covariate_days = 14)
      WHERE players > 0`,
  );
  return found.map(({ variant_key: variant, players, conversions, mean }) => [
    variant,
    Number(players),
    Number(conversions),
    mean,
  ]);
}

/** The players of each variant with any, by the view of their retention. */
async function retained({ fromVersion }: ExperimentQuery): Promise<unknown[][]> {
  const found = await rowsOf<{ stratum: number; variant_key: string; n: string }>(
    clickhouse,
    `SELECT stratum, variant_key, sum(players) AS n FROM retention_by_variant
      WHERE period = (SELECT max(period) FROM flag_exposures WHERE flag_version = ${fromVersion})
      GROUP BY stratum, variant_key`,
  );
  return found.map(({ stratum, variant_key: variant, n }) => [stratum, variant, Number(n)]);
}

const byPlace = (one: readonly unknown[], other: readonly unknown[]): number =>
  JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;

const timeText = (ms: number): string => new Date(ms).toISOString().slice(0, -1).replace('T', ' ');
const listText = (values: readonly (string | number)[]): string =>
  `[${values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join(', ')}]`;

const DAY_MS = 86_400_000;

/** Players who are exposed once, and their events `day` days from then. */
function drawPlayers(count: number) {
  const random = seededRandom(7);
  return Array.from({ length: count }, (_, n) => {
    const variant = ['control', 'blue', 'red'][Math.floor(random() * 3)] ?? '';
    const eagerness = random() * 3;
    const exposedMs = START_MS + Math.floor(random() * 3 * DAY_MS);
    const events = Array.from({ length: Math.floor(random() * 12) }, () => ({
      name: random() < 0.5 ? 'win:big' : 'spend',
      atMs: exposedMs + Math.round((random() * 20 - 10) * DAY_MS),
      gold: Math.floor(100 * eagerness * random()) / 8,
    }));
    return { id: playerIdOf(90_000 + n), variant, exposedMs, events };
  });
}

type Drawn = ReturnType<typeof drawPlayers>[number];

it('sums several metrics of an experiment, after the exposure and before it', async () => {
  const players = drawPlayers(400);
  for (const table of ['events', 'flag_exposures', 'flag_mixed_players'])
    await execSql(clickhouse, `TRUNCATE TABLE ${table}`);
  const scope = { game_id: 'demo', environment: 'live' };
  const rows = {
    flag_exposures: players.map(({ id, variant, exposedMs }, n) => ({
      ...scope,
      flag_key: 'shop',
      flag_version: 4,
      period: 2,
      variant_key: variant,
      value: '"x"',
      reason: 'percentage_rollout',
      stratum: 10_000,
      player_id: id,
      received_at: exposedMs,
      facts_sequence: n + 1,
    })),
    events: players.flatMap(({ id, events }) =>
      events.map(({ name, atMs, gold }, place) => ({
        ...scope,
        event_id: `${id}-${place}`,
        event_name: name,
        player_id: id,
        properties: JSON.stringify({ cost: { gold }, text: '12' }),
        timestamp: atMs,
        received_at: atMs,
        facts_sequence: 1_000 + place,
      })),
    ),
  };
  for (const [table, values] of Object.entries(rows)) {
    await insertRows(clickhouse, table, values);
  }
  const variants = ['control', 'blue', 'red'];
  const metrics = ['conversion:win:big', 'count:spend', 'sum:cost.gold:spend'];
  const found = await rowsOf<Record<string, string | number | null>>(
    clickhouse,
    `SELECT * FROM experiment_readout(game = 'demo', flag = 'shop', experiment = '', period = 2, since = '${timeText(START_MS)}',
      until = '2100-01-01 00:00:00', variants = ${listText(variants)},
      metrics = ${listText(metrics)}, window_days = 7, covariate_days = 6)`,
  );
  expect(found).toHaveLength(9);
  for (const metric of metrics) {
    const [kind = '', ...rest] = metric.split(':');
    const name = rest.slice(kind === 'sum' ? 1 : 0).join(':');
    const counted = ({ events, exposedMs }: Drawn, fromDays: number, toDays: number) =>
      events.filter((event) => {
        const after = event.atMs - exposedMs;
        return event.name === name && after >= fromDays * DAY_MS && after < toDays * DAY_MS;
      });
    const valueOf = (events: Drawn['events']): number => {
      if (kind === 'sum') return events.reduce((sum, { gold }) => sum + gold, 0);
      return kind === 'count' ? events.length : Math.min(1, events.length);
    };
    const pairs = players.map((player) => {
      const after = counted(player, 0, 7);
      const converted = Math.min(1, after.length);
      return { variant: player.variant, converted, y: valueOf(after), x: valueOf(counted(player, -6, 0)) };
    });
    for (const variant of variants) {
      const own = pairs.filter((pair) => pair.variant === variant);
      const total = (part: (pair: { x: number; y: number; converted: number }) => number): number =>
        own.reduce((sum, pair) => sum + part(pair), 0);
      const row = found.find((one) => one['metric'] === metric && one['variant_key'] === variant) ?? {};
      const counts = [row['players'], row['excluded_players'], row['arrived'], row['exposures'], row['conversions']];
      expect(counts.map(Number)).toEqual([own.length, 0, own.length, own.length, total(({ converted }) => converted)]);
      const sums: Record<string, number> = {
        sum: total(({ y }) => y),
        sum_of_squares: total(({ y }) => y * y),
        covariate_sum: total(({ x }) => x),
        covariate_sum_of_squares: total(({ x }) => x * x),
        covariate_product_sum: total(({ x, y }) => x * y),
      };
      for (const [column, sum] of Object.entries(sums)) {
        expect(Number(row[column]), `${metric} ${column}`).toBeCloseTo(sum, 6);
      }
    }
  }
});

it.each(['ratio:win', 'retention', 'payer:win', 'count'])('has no figures of %s', async (metric) => {
  const { text } = await runSql(
    clickhouse,
    `SELECT * FROM experiment_readout(game = 'demo', flag = 'shop', experiment = '', period = 2, since = '2026-01-01 00:00:00',
      until = '2100-01-01 00:00:00', variants = ['a'], metrics = ['${metric}'], window_days = 7, covariate_days = 6)`,
  );
  expect(text).toContain('A metric of experiment_readout is');
});

/** In one order. @param momentOf a moment of the metric as it is compared */
function inOrder(measured: readonly MeasuredVariant[], momentOf: (moment: number) => unknown) {
  const place = ({ variant, stratum, earlier, excluded, arrived }: MeasuredVariant) =>
    JSON.stringify([variant, stratum, earlier, excluded, arrived]);
  return measured
    .toSorted((one, other) => (place(one) < place(other) ? -1 : 1))
    .map(({ sum, mean, variance, skewness, kurtosis, ...counts }) => ({
      ...counts,
      moments: [sum, mean, variance, skewness, kurtosis].map(momentOf),
    }));
}

/** Sums of doubles in another order differ in the last digits. */
const nearly = (moment: number): unknown => (Number.isNaN(moment) ? moment : expect.closeTo(moment, 6));
