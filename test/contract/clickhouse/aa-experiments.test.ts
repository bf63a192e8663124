import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAnalytics, type Analytics, type MeasuredVariant } from '../../../clickhouse-schema/queries/analytics.ts';
import { migrate } from '../../../clickhouse-schema/migrations/migrate.ts';
import { createRowBatch } from '../../../clickhouse-schema/rows/row-batch.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createClickhouseTarget } from '../../../streams/sinks/clickhouse/block-target.ts';
import { aCommit } from '../../../streams/sinks/testing.ts';
import { measureFacts } from '../../experiments/measure-facts.ts';
import { periodQueries } from '../../experiments/results-of.ts';
import { simulateExperiment } from '../../experiments/simulate-experiment.ts';
import { runSql, startClickhouse, type TestClickhouse } from '../../support/clickhouse.ts';
import { silentLogger } from '../../support/silent-logger.ts';

let clickhouse: TestClickhouse;
let analytics: Analytics;
beforeAll(async () => {
  clickhouse = await startClickhouse();
  await migrate(clickhouse.address);
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
  for (const seed of [2, 3, 5, 8, 13, 21]) {
    const experiment = simulateExperiment(seed, 100);
    for (const table of ['events', 'flag_exposures', 'flag_mixed_players']) {
      await runSql(clickhouse, `TRUNCATE TABLE ${table}`);
    }
    const batch = createRowBatch();
    const sequences = Map.groupBy(experiment.log, (placed) => placed.sequence);
    for (const [sequence, placed] of sequences) {
      batch.add(aCommit(placed.map(({ fact }) => fact)), { stream: '2026-01-01T00:00:00Z', sequence });
    }
    for (const { table, bytes } of batch.blocks()) {
      expect(await target.insert(table, bytes, `${table}/${seed}/${bytes.length}`)).toEqual({ kind: 'inserted' });
    }
    for (const kind of ['conversion', 'count'] as const) {
      for (const query of periodQueries(experiment, { kind })) {
        const result = await analytics.experiment(query);
        if (result.kind === 'unavailable') throw new Error('ClickHouse did not answer');
        const expected = measureFacts(experiment.log, query);
        expect(rounded(result.value)).toEqual(rounded(expected));
        periods += 1;
        excluded += expected.reduce((sum, one) => (one.excluded ? sum + one.players : sum), 0);
      }
    }
  }
  expect([periods > 12, excluded > 20]).toEqual([true, true]);
  await target.close();
});

/** In one order, and without the last digits of sums. */
function rounded(measured: readonly MeasuredVariant[]) {
  const place = ({ variant, excluded, arrived }: MeasuredVariant) =>
    `${variant} ${String(excluded)} ${String(arrived)}`;
  return measured
    .toSorted((one, other) => (place(one) < place(other) ? -1 : 1))
    .map(({ mean, variance, ...counts }) => ({ ...counts, mean: mean.toFixed(9), variance: variance.toFixed(9) }));
}
