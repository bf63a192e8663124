import { beforeEach, describe, expect, it } from 'vitest';
import { CLOCK_LIMITS } from './limits.ts';
import { createMetrics } from '../src/parts/metrics.ts';
import { createFakeClock, type FakeClock, type FakeNode } from '../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../test/support/in-memory/silent-logger.ts';
import { type BrokerClock, watchBrokerClock } from './broker-clock.ts';
import { createMemoryBroker } from './log/memory/log-memory.ts';

describe("a process's clock", () => {
  let clock: FakeClock;
  let node: FakeNode;
  let latencyMs: number;
  let watched: BrokerClock;
  const metrics = createMetrics();
  beforeEach(() => {
    clock = createFakeClock();
    node = clock.node();
    latencyMs = 1;
    const broker = createMemoryBroker({ clock, faults: { latencyMs: () => latencyMs } });
    watched = watchBrokerClock({
      bucket: broker.connect('a').bucket('OWNERS'),
      clock: node,
      logger: silentLogger,
      metrics,
    });
  });

  const rounds = (count: number) => clock.advance(count * (CLOCK_LIMITS.clockCheckMs + 10 * latencyMs));

  it.each([
    [6_000, 'the clock is at least 5999 ms ahead'],
    [-6_000, 'the clock is at least 5997 ms behind'],
  ])('that is off by %i ms is wrong within two measurements, until it is right again', async (offMs, fault) => {
    await rounds(2);
    expect(watched.fault()).toBeUndefined();
    node.jumpWall(offMs);
    await rounds(2);
    expect(watched.fault()).toBe(fault);
    expect(await metrics.text()).toMatch(
      offMs > 0 ? /clock_offset_seconds 6\.00\d\n/ : /clock_offset_seconds -5\.99\d\n/,
    );
    node.jumpWall(-offMs);
    await rounds(2);
    expect(watched.fault()).toBeUndefined();
    watched.stop();
  });

  it('is not called wrong because the broker answers slowly', async () => {
    latencyMs = 1_500;
    await rounds(5);
    expect(watched.fault()).toBeUndefined();
    const { least, most } = watched.aheadMs ?? { least: 0, most: 0 };
    expect([least <= 0, most >= 0]).toEqual([true, true]);
    watched.stop();
  });

  it('is right within the tolerance, and a jump that all clocks make together changes nothing', async () => {
    node.jumpWall(CLOCK_LIMITS.clockToleranceMs - 100);
    await rounds(3);
    clock.jumpWall(86_400_000);
    await rounds(3);
    expect(watched.fault()).toBeUndefined();
    watched.stop();
  });
});
