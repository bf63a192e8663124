import { beforeEach, describe, expect, it } from 'vitest';
import { FACTS_LIMITS } from './limits.ts';
import { createFakeClock, type FakeClock } from '../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../test/support/in-memory/silent-logger.ts';
import { encodeJson } from '../../core/codec/codec.ts';
import { factsLevels } from './facts-levels.ts';
import { watchFactsRoom } from './facts-room.ts';
import { startFactsTrimmer, trimmableBelow, trimToSize } from './facts-trimmer.ts';
import { createMemoryBroker, type MemoryBroker, type MemoryLog } from '../log/memory/log-memory.ts';
import { overrideLog } from '../log/override-log.ts';
import { sinksOf } from '../positions/sink-registry.ts';

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
    for (const partition of [0, 1])
      await note(`rebuild.${partition}`, { coveredTo: sequence, confirmedTo: 0, players: 0 });
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
    await note('rebuild.0', { coveredTo: 2, confirmedTo: 0, players: 0 });
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
      room: watchFactsRoom({ log, clock, logger: silentLogger }),
      logger: silentLogger,
    });
    await clock.advance(2 * FACTS_LIMITS.trimMs);
    expect(broker.stream('FACTS').bounds().firstSequence).toBe(9);
    const stopped = trimmer.stop();
    await clock.advance(1_000);
    await stopped;
  });

  it('holds its lease while it trims only, and trims in one of two processes', async () => {
    const reads = { a: 0, b: 0 };
    const start = (name: 'a' | 'b') => {
      const own = broker.connect(name);
      const info: typeof own.info = (stream) => {
        reads[name] += 1;
        return own.info(stream);
      };
      return startFactsTrimmer({
        log: overrideLog(own, { info }),
        clock,
        partitions: 2,
        holder: `${name}.1`,
        retentionMs: HOUR_MS,
        room: { levels: factsLevels(Infinity, FACTS_LIMITS), usedBytes: 0, onPolled: () => () => {} },
        logger: silentLogger,
      });
    };
    const trimmers = [start('a')];
    // Processes do not start at the same moment.
    await clock.advance(FACTS_LIMITS.trimMs / 4);
    trimmers.push(start('b'));
    const revision = async () => (await log.bucket('OWNERS').get('trimmer'))?.revision ?? 0;
    await clock.advance(FACTS_LIMITS.trimMs);
    const after = await revision();
    await clock.advance(FACTS_LIMITS.trimMs / 2);
    expect(await revision()).toBe(after);
    await clock.advance(5 * FACTS_LIMITS.trimMs);
    expect(await revision()).toBeGreaterThan(after);
    expect(Math.min(reads.a, reads.b)).toBe(0);
    expect(Math.max(reads.a, reads.b)).toBeGreaterThan(0);
    const stopped = Promise.all(trimmers.map((trimmer) => trimmer.stop()));
    await clock.advance(1_000);
    await stopped;
  });
});

describe('the trimmer of a FACTS that needs room', () => {
  const MAX_BYTES = 100_000;
  let clock: FakeClock;
  let broker: MemoryBroker;
  let log: MemoryLog;
  beforeEach(() => {
    clock = createFakeClock();
    broker = createMemoryBroker({ clock, streams: { FACTS: { maxBytes: MAX_BYTES } } });
    log = broker.connect('a');
  });

  const bounds = () => broker.stream('FACTS').bounds();
  async function fill(toBytes: number, sizeOf: (place: number) => number = () => 500): Promise<void> {
    for (let place = 0; bounds().sizeBytes < toBytes; place++) {
      void log.append(`facts.${place % 2}`, new Uint8Array(sizeOf(place)));
      await clock.flush();
    }
  }
  const note = (key: string, value: Record<string, unknown>) =>
    log.bucket('POSITIONS').put(key, encodeJson({ stream: bounds().created, ...value }));
  async function allAt(sequence: number): Promise<void> {
    for (const sink of sinksOf('FACTS')) void note(sink, { sequence });
    for (const partition of [0, 1])
      void note(`rebuild.${partition}`, { coveredTo: sequence, confirmedTo: 0, players: 0 });
    await clock.flush();
  }
  async function start(retentionMs = 1_000 * HOUR_MS): Promise<void> {
    const room = watchFactsRoom({ log, clock, logger: silentLogger });
    startFactsTrimmer({ log, clock, partitions: 2, holder: 'a.1', retentionMs, room, logger: silentLogger });
    await clock.advance(2 * FACTS_LIMITS.factsPollMs);
  }
  const trimTo = async (targetBytes: number) => {
    const trimmed = trimToSize({ log, partitions: 2, targetBytes, mayTrim: () => true });
    await clock.advance(1_000);
    return trimmed;
  };

  it('trims records that are younger than the retention, down to the low share of its size', async () => {
    await fill(0.95 * MAX_BYTES);
    await allAt(bounds().lastSequence);
    await start();
    const commands = MAX_BYTES * (1 - FACTS_LIMITS.factsReserveMostShare);
    expect(bounds().sizeBytes).toBeLessThan(commands * FACTS_LIMITS.factsTrimFromShare);
    expect(bounds().sizeBytes).toBeGreaterThan(commands * FACTS_LIMITS.factsTrimToShare * 0.95);
  });

  it('trims nothing for room below the high share', async () => {
    await fill(0.5 * MAX_BYTES);
    await allAt(bounds().lastSequence);
    await start();
    expect(bounds().firstSequence).toBe(1);
  });

  it('trims a FACTS that is full to the last byte', async () => {
    await fill(0.99 * MAX_BYTES);
    await allAt(bounds().lastSequence);
    const refused = log.append('facts.0', new Uint8Array(2_000));
    await clock.flush();
    expect(await refused).toMatchObject({ kind: 'refused', reason: 'full' });
    await start();
    const accepted = log.append('facts.0', new Uint8Array(2_000));
    await clock.flush();
    expect(await accepted).toMatchObject({ kind: 'acked' });
  });

  it.each(sinksOf('FACTS'))('keeps what the sink %s has not handled, whatever the size', async (sink) => {
    await fill(0.95 * MAX_BYTES);
    await allAt(bounds().lastSequence);
    void note(sink, { sequence: 4 });
    await start();
    expect(bounds().firstSequence).toBe(5);
  });

  it('keeps what a rebuild needs, whatever the size', async () => {
    await fill(0.95 * MAX_BYTES);
    await allAt(bounds().lastSequence);
    void note('rebuild.1', { coveredTo: 6, confirmedTo: 0, players: 0 });
    await start();
    expect(bounds().firstSequence).toBe(7);
  });

  it('keeps the last record of each partition, whatever the size', async () => {
    await log.append('facts.1', new Uint8Array(10));
    while (bounds().sizeBytes < 0.95 * MAX_BYTES) {
      void log.append('facts.0', new Uint8Array(500));
      await clock.flush();
    }
    await allAt(bounds().lastSequence);
    await start();
    expect(bounds().firstSequence).toBe(1);
  });

  it('removes about what is needed where the oldest records are 50 times as large', async () => {
    await fill(0.95 * MAX_BYTES, (place) => (place < 15 ? 4_000 : 80));
    await allAt(bounds().lastSequence);
    await trimTo(70_000);
    expect(bounds().sizeBytes).toBeLessThan(70_000 * 1.05);
    expect(bounds().sizeBytes).toBeGreaterThan(70_000 * 0.6);
  });

  it('removes enough where the newest records are 50 times as large', async () => {
    await fill(0.95 * MAX_BYTES, (place) => (place < 400 ? 20 : 4_000));
    await allAt(bounds().lastSequence);
    await trimTo(70_000);
    expect(bounds().sizeBytes).toBeLessThan(70_000 * 1.05);
  });
});
