import { beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../src/kernel/limits.ts';
import { createFakeClock, type FakeClock } from '../test/support/fake-clock.ts';
import { silentLogger } from '../test/support/silent-logger.ts';
import { encodeJson } from './codec.ts';
import { startFactsTrimmer, trimmableBelow } from './facts-trimmer.ts';
import { createMemoryBroker, type MemoryBroker, type MemoryLog } from './log/log-memory.ts';
import { sinksOf } from './sinks/sink-registry.ts';

const HOUR_MS = 3_600_000;

describe('the trimmer of FACTS', () => {
  let clock: FakeClock;
  let broker: MemoryBroker;
  let log: MemoryLog;
  beforeEach(async () => {
    clock = createFakeClock();
    broker = createMemoryBroker({ clock });
    log = broker.connect('a');
    // One record an hour, the two partitions in turn: sequences 1 to 10, the last one an hour ago.
    for (let i = 0; i < 10; i++) {
      await log.append(`facts.${i % 2}`, new Uint8Array([1]));
      await clock.advance(HOUR_MS);
    }
  });

  const below = (retentionMs: number) => trimmableBelow({ log, clock, partitions: 2, retentionMs });
  const note = (key: string, value: Record<string, unknown>, stream = broker.stream('FACTS').bounds().created) =>
    log.bucket('POSITIONS').put(key, encodeJson({ stream, ...value }));
  async function allAt(sequence: number): Promise<void> {
    for (const sink of sinksOf('FACTS')) await note(sink, { sequence });
    for (const partition of [0, 1]) await note(`rebuild.${partition}`, { coveredTo: sequence });
  }

  it('trims nothing while a position is missing', async () => {
    await allAt(10);
    await log.bucket('POSITIONS').delete('rebuild.1');
    expect(await below(0)).toBe(1);
  });

  it('reads the sinks of FACTS from the registry, which keeps stored names', () => {
    expect(sinksOf('FACTS')).toEqual(expect.arrayContaining(['clickhouse', 'webhooks']));
  });

  it.each(sinksOf('FACTS'))('keeps every record that the sink %s has not handled', async (sink) => {
    await allAt(10);
    await note(sink, { sequence: 4 });
    expect(await below(0)).toBe(5);
    await log.bucket('POSITIONS').delete(sink);
    expect(await below(0)).toBe(1);
  });

  it('trims nothing when a position belongs to another FACTS', async () => {
    await allAt(10);
    await note('webhooks', { sequence: 10 }, 'another');
    expect(await below(0)).toBe(1);
  });

  it('stops at the lowest rebuild mark', async () => {
    await allAt(10);
    await note('rebuild.0', { coveredTo: 2 });
    expect(await below(0)).toBe(3);
  });

  it('keeps each partition’s last record', async () => {
    await allAt(10);
    expect(await below(0)).toBe(9);
  });

  it('keeps records younger than the retention', async () => {
    await allAt(10);
    expect(await below(5.5 * HOUR_MS)).toBe(6);
    expect(await below(100 * HOUR_MS)).toBe(1);
  });

  it('purges FACTS at its interval', async () => {
    await allAt(10);
    const trimmer = startFactsTrimmer({
      log,
      clock,
      partitions: 2,
      holder: 'a.1',
      retentionMs: HOUR_MS,
      logger: silentLogger,
    });
    await clock.advance(2 * LIMITS.trimMs);
    expect(broker.stream('FACTS').bounds().firstSequence).toBe(9);
    const stopped = trimmer.stop();
    await clock.advance(1_000);
    await stopped;
  });
});
