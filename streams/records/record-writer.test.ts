import { asyncProperty, array, assert as check, constantFrom, integer } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JETSTREAM_LIMITS } from '../log/jetstream/limits.ts';
import { LOG_LIMITS } from '../log/limits.ts';
import { RECORD_LIMITS } from './limits.ts';
import { createFakeClock } from '../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../test/support/in-memory/silent-logger.ts';
import { decodeModelReference, decodeScores } from '../../core/codec/codec.ts';
import { createMemoryBroker, type MemoryBrokerOptions } from '../log/memory/log-memory.ts';
import type { WriteFault } from '../log/memory/connection.ts';
import { createRecordWriter } from './record-writer.ts';
import { aScore } from './testing-scores.ts';

function createWorld(options: Omit<MemoryBrokerOptions, 'clock'> = {}) {
  const clock = createFakeClock();
  const broker = createMemoryBroker({ clock, ...options });
  const log = broker.connect('scorer');
  const writer = createRecordWriter({ log, clock, node: 'n-1', writer: 'n-1-a', logger: silentLogger });

  /** The messages of RECORDS. */
  async function messages(): Promise<string[][]> {
    const reader = broker.connect('reader').read('RECORDS', { from: 1, onWaiting: () => {} });
    await clock.advance(10);
    const taken = reader.take(100_000).map(({ data }) => decodeScores(data).map((record) => record.recordId));
    reader.stop();
    return taken;
  }

  /** Waits for the outcomes of all appends, for any duration. */
  async function settled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
    let done: T[] | undefined;
    void Promise.all(promises).then((values) => (done = values));
    await clock.advanceUntil(() => done !== undefined, 60_000, 50);
    return done ?? [];
  }

  return { clock, broker, log, writer, messages, settled };
}

const REFERENCE = {
  modelVersion: '388c64d4a551',
  loadedAt: Date.UTC(2026, 0, 1),
  measures: [{ measure: 'score', edges: [0.5], shares: [0.75, 0.25] }],
};
const idsOf = (...numbers: number[]): string[] => numbers.map((n) => aScore(n).recordId);

describe('the record writer', () => {
  it('sends records of one turn as one message, and resolves when they are stored', async () => {
    const world = createWorld();
    const given = [world.writer.append([aScore(1), aScore(2)]), world.writer.append([aScore(3)])];
    expect(await world.settled(given)).toEqual(['stored', 'stored']);
    expect(await world.messages()).toEqual([idsOf(1, 2, 3)]);
    expect(await world.writer.append([])).toBe('stored');
  });

  it('sends records given during two appends as the next message', async () => {
    const world = createWorld({ faults: { latencyMs: () => 5 } });
    const first = world.writer.append([aScore(1)]);
    await world.clock.advance(1);
    const second = world.writer.append([aScore(2)]);
    await world.clock.advance(1);
    const later = [world.writer.append([aScore(3)]), world.writer.append([aScore(4)])];
    expect(await world.settled([first, second, ...later])).toEqual(['stored', 'stored', 'stored', 'stored']);
    expect(await world.messages()).toEqual([idsOf(1), idsOf(2), idsOf(3, 4)]);
  });

  it('cuts at the bound of a message, between callers', async () => {
    const world = createWorld();
    const many = (from: number, count: number) => Array.from({ length: count }, (_, i) => aScore(from + i));
    const half = RECORD_LIMITS.recordsPerMessage / 2 + 1;
    const outcomes = await world.settled([world.writer.append(many(0, half)), world.writer.append(many(half, half))]);
    expect(outcomes).toEqual(['stored', 'stored']);
    expect((await world.messages()).map((ids) => ids.length)).toEqual([half, half]);
  });

  it('stores a message once although it was sent again without an answer', async () => {
    const fates: WriteFault[] = ['lose_ack', 'lose_request'];
    const world = createWorld({ faults: { onAppend: () => fates.shift() ?? 'deliver' } });
    expect(await world.settled([world.writer.append([aScore(1)])])).toEqual(['stored']);
    expect(fates).toEqual([]);
    expect(await world.messages()).toEqual([idsOf(1)]);
  });

  it('is unavailable at the deadline, also for later records, and continues when the broker is back', async () => {
    const world = createWorld();
    world.log.disconnect();
    const first = world.writer.append([aScore(1)]);
    await world.clock.advance(1_000);
    const second = world.writer.append([aScore(2)]);
    const startMs = world.clock.monotonicMs();
    expect(await world.settled([first, second])).toEqual(['unavailable', 'unavailable']);
    expect(world.clock.monotonicMs() - startMs).toBeLessThanOrEqual(
      RECORD_LIMITS.recordDeadlineMs + JETSTREAM_LIMITS.logRetryMaxMs + 50,
    );
    world.log.reconnect();
    expect(await world.settled([world.writer.append([aScore(3)])])).toEqual(['stored']);
    expect((await world.messages()).at(-1)).toEqual(idsOf(3));
  });

  it('is unavailable at once when RECORDS is full and when too many records wait', async () => {
    const world = createWorld({ streams: { RECORDS: { maxBytes: 100 } } });
    const startMs = world.clock.monotonicMs();
    expect(await world.settled([world.writer.append([aScore(1)])])).toEqual(['unavailable']);
    expect(world.clock.monotonicMs() - startMs).toBeLessThanOrEqual(100);
    const full = createWorld();
    full.log.disconnect();
    const waiting = full.writer.append(Array.from({ length: RECORD_LIMITS.recordsPending }, (_, n) => aScore(n)));
    expect(await full.writer.append([aScore(0)])).toBe('unavailable');
    expect(await full.settled([waiting])).toEqual(['unavailable']);
  });

  it('resolves every append before it is closed, and refuses later ones', async () => {
    const world = createWorld({ faults: { latencyMs: () => 5 } });
    const outcomes: string[] = [];
    const given = world.writer.append([aScore(1)]).then((outcome) => outcomes.push(outcome));
    const closed = world.writer.close().then(() => outcomes.push('closed'));
    await world.settled<unknown>([given, closed]);
    expect(outcomes).toEqual(['stored', 'closed']);
    expect(await world.writer.append([aScore(2)])).toBe('unavailable');
  });

  it('records a model once, repeated until it is stored', async () => {
    const fates: WriteFault[] = ['lose_ack', 'lose_request'];
    const world = createWorld({ faults: { onAppend: () => fates.shift() ?? 'deliver' } });
    world.writer.recordModel(REFERENCE);
    await world.clock.advanceUntil(() => fates.length === 0, 60_000, 50);
    await world.clock.advance(LOG_LIMITS.logRequestMs);
    const reader = world.broker.connect('reader').read('RECORDS', { from: 1, onWaiting: () => {} });
    await world.clock.advance(10);
    const received = reader.take().map(({ subject, data }) => [subject, decodeModelReference(data)]);
    expect(received).toEqual([['records.models.n-1', REFERENCE]]);
    reader.stop();
  });

  it('is unavailable on a closed log', async () => {
    const world = createWorld();
    await world.log.close();
    expect(await world.settled([world.writer.append([aScore(1)])])).toEqual(['unavailable']);
  });

  it('stores every record reported as stored, and none twice, under any fault of its messages', async () => {
    const fates = constantFrom<WriteFault>(
      'deliver',
      'lose_ack',
      'lose_request',
      'duplicate',
      { ackDelayMs: 3_000 },
      { requestDelayMs: 3_000 },
    );
    const gaps = array(integer({ min: 0, max: 1_500 }), { minLength: 1, maxLength: 12 });
    await check(
      asyncProperty(array(fates, { maxLength: 30 }), gaps, async (script, delays) => {
        const fatesLeft = [...script];
        const world = createWorld({ faults: { onAppend: () => fatesLeft.shift() ?? 'deliver', latencyMs: () => 2 } });
        const given: Promise<string>[] = [];
        for (const [n, delayMs] of delays.entries()) {
          given.push(world.writer.append([aScore(2 * n), aScore(2 * n + 1)]));
          await world.clock.advance(delayMs);
        }
        const outcomes = await world.settled(given);
        const stored = (await world.messages()).flat();
        expect(new Set(stored).size).toBe(stored.length);
        for (const [n, outcome] of outcomes.entries()) {
          if (outcome === 'stored') expect(stored).toEqual(expect.arrayContaining(idsOf(2 * n, 2 * n + 1)));
        }
      }),
      { numRuns: 40 },
    );
  });
});
