import { beforeEach, describe, expect, it } from 'vitest';
import { FACTS_LIMITS } from '../../facts/limits.ts';
import { createFakeClock, type FakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../../test/support/in-memory/silent-logger.ts';
import { encodeJson } from '../../../core/codec/codec.ts';
import { createMemoryBroker, type MemoryBroker, type MemoryLog } from '../../log/memory/log-memory.ts';
import { sinksOf, type SinkName } from '../../positions/sink-registry.ts';
import { createRecordsTrimmer } from './trim-records.ts';

describe('the trimmer of RECORDS', () => {
  let clock: FakeClock;
  let broker: MemoryBroker;
  let log: MemoryLog;
  beforeEach(async () => {
    clock = createFakeClock();
    broker = createMemoryBroker({ clock });
    log = broker.connect();
    for (let i = 0; i < 10; i++) void log.append('records.scores.n-1', new Uint8Array([1]));
    await clock.advance(10);
  });
  const first = () => broker.stream('RECORDS').bounds().firstSequence;
  const store = (sink: SinkName, sequence: number) =>
    log
      .bucket('POSITIONS')
      .put(sink, encodeJson({ stream: broker.stream('RECORDS').bounds().created, sequence }))
      .then(() => clock.advance(10));

  it('trims at its interval up to the last record handled, also after a failure', async () => {
    let fails = false;
    const purgeBelow: typeof log.purgeBelow = (stream, sequence) =>
      fails ? Promise.reject(new Error('away')) : log.purgeBelow(stream, sequence);
    const trim = createRecordsTrimmer({ log: { ...log, purgeBelow }, clock, logger: silentLogger });
    const handled = async (sequence: number, thenMs: number) => {
      await store('clickhouse-records', sequence);
      trim();
      await clock.advance(thenMs);
    };
    await handled(3, 10);
    expect(first()).toBe(3);
    await handled(5, FACTS_LIMITS.trimMs);
    expect(first()).toBe(3);
    fails = true;
    await handled(6, FACTS_LIMITS.trimMs);
    fails = false;
    await handled(7, 10);
    expect(first()).toBe(7);
  });

  it.each(sinksOf('RECORDS'))('keeps every record that the sink %s has not handled', async (sink) => {
    for (const each of sinksOf('RECORDS')) await store(each, each === sink ? 4 : 10);
    createRecordsTrimmer({ log, clock, logger: silentLogger })();
    await clock.advance(10);
    expect(first()).toBe(4);
  });
});
