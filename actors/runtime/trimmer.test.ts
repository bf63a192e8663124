import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock, type FakeClock } from '../../test/support/fake-clock.ts';
import { encodeJson } from '../../streams/codec.ts';
import { createMemoryBroker, type MemoryBroker, type MemoryLog } from '../../streams/log/log-memory.ts';
import { silentLogger } from '../../test/support/silent-logger.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { startTrimmer, trimmableBelow } from './trimmer.ts';

const HOUR_MS = 3_600_000;

describe('the trimmer', () => {
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
    for (const sink of ['clickhouse', 'webhooks']) await note(sink, { sequence });
    for (const partition of [0, 1]) await note(`rebuild.${partition}`, { coveredTo: sequence });
  }

  it('trims nothing while a position is missing', async () => {
    await allAt(10);
    await log.bucket('POSITIONS').delete('rebuild.1');
    expect(await below(0)).toBe(1);
  });

  it('trims nothing on the word of a position in another FACTS', async () => {
    await allAt(10);
    await note('webhooks', { sequence: 10 }, 'another');
    expect(await below(0)).toBe(1);
  });

  it.each([
    ['the slowest sink', 'clickhouse', { sequence: 4 }, 5],
    ['the lowest rebuild mark', 'rebuild.0', { coveredTo: 2 }, 3],
  ])('stops at %s', async (_what, key, value, expected) => {
    await allAt(10);
    await note(key, value);
    expect(await below(0)).toBe(expected);
  });

  it('keeps each partition’s last record', async () => {
    await allAt(10);
    expect(await below(0)).toBe(9);
  });

  it('keeps what is younger than the retention', async () => {
    await allAt(10);
    expect(await below(5.5 * HOUR_MS)).toBe(6);
    expect(await below(100 * HOUR_MS)).toBe(1);
  });

  it('purges by itself, and goes on', async () => {
    await allAt(10);
    const trimmer = startTrimmer({
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
