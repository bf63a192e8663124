import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fuzzClickhouse } from '../../../fuzz/clickhouse-gate.ts';
import { startClickhouse, type TestClickhouse } from '../../../support/servers/clickhouse.ts';

/* A short run of `npm run fuzz`. A failure prints the statements; the same seed makes them again. */

let clickhouse: TestClickhouse;
beforeAll(async () => {
  clickhouse = await startClickhouse();
});
afterAll(() => clickhouse.close());

describe('seeded attacks on the embedded ClickHouse', () => {
  it('read no file, write none, connect to nothing and end nothing', async () => {
    const report = await fuzzClickhouse(clickhouse, { seed: 20_261_122, statements: 3_000 });
    expect(report.problems).toEqual([]);
    // Enough of them must reach the engine: a fuzzer that only meets the gate's refusals tests half of it.
    expect((report.answers.get('ok') ?? 0) / report.statements).toBeGreaterThan(0.05);
  }, 300_000);
});
