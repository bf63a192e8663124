import { describe, expect, test } from 'vitest';
import { LATENCY_SHARES, type Latency } from '../figures/statistics.ts';
import { costOf, costRow, type Cost } from './cost-figures.ts';
import { costTables } from './cost-tables.ts';

/** Every share within the same time. */
const flat = (ms: number): Latency => ({ points: LATENCY_SHARES.map((share) => ({ share, ms })), maxMs: ms });

function cost(changed: Partial<Cost> = {}): Cost {
  const cpuUs = { service: 100, nats: 50, clickhouse: 20, generator: 900 };
  const defaults = { unitsPerSecond: 1_000, latency: flat(2), counted: {}, rssMiB: {}, othersCpus: 0, errors: {} };
  return { ...defaults, cpuUs, ...changed };
}

const bare = (us: number, unitsPerSecond = 1_000): Cost => cost({ cpuUs: { bare: us }, unitsPerSecond });

test('what a load used is divided by its events', () => {
  const { cpuUs, counted } = costOf({
    units: 5_000,
    unitsPerSecond: 500,
    cpuSeconds: { service: 1.5, nats: 0.25 },
    counted: { 'appends FACTS': 250, 'bytes in': 2_000_000 },
    latency: flat(1),
    rssMiB: {},
    othersCpus: 0,
    errors: {},
  });
  expect(cpuUs).toEqual({ service: 300, nats: 50 });
  expect(counted['appends FACTS']).toBeCloseTo(0.05);
  expect(counted['bytes in']).toBeCloseTo(400);
});

describe('a row', () => {
  test('adds up the three deployed processes and leaves out the generator', () => {
    expect(costRow('load', 'event', [{ bare: bare(10), service: cost() }]).cpuUsOfAll).toBe(170);
  });

  test('has medians over the rounds, of their sums and of their ratios to the bare server', () => {
    const services = [
      cost({ cpuUs: { service: 100, nats: 10 }, unitsPerSecond: 500, latency: flat(3) }),
      cost({ cpuUs: { service: 90, nats: 40 }, unitsPerSecond: 900, latency: flat(9) }),
      cost({ cpuUs: { service: 80, nats: 30 }, unitsPerSecond: 100, latency: flat(1) }),
    ];
    const row = costRow(
      'load',
      'event',
      services.map((service, index) => ({ bare: bare(index + 1, 1_000 * (index + 1)), service })),
    );
    expect(row).toMatchObject({ unitsPerSecond: 500, ofBare: 0.45, cpuUs: { service: 90, nats: 30 }, bareCpuUs: 2 });
    // Not the sum of the medians, which would be 120.
    expect(row.cpuUsOfAll).toBe(110);
    expect([row.p50Ms, row.p95Ms, row.p99Ms]).toEqual([3, 3, 3]);
  });

  test('takes the relay as the reference of deliveries', () => {
    const relay = cost({ cpuUs: { relay: 7, receiver: 5 } });
    expect(costRow('load', 'delivery', [{ bare: relay, service: cost() }]).bareCpuUs).toBe(7);
  });

  test('shows failures below its tables', () => {
    const service = cost({ errors: { refused: 3 } });
    const text = costTables([costRow('single events', 'event', [{ bare: bare(10), service }])]);
    expect(text).toContain('single events: 3 refused');
    expect(text).toMatch(/^\| single events \|/m);
  });
});
