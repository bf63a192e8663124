import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/in-memory/fake-clock.ts';
import { encodeJson } from '../../core/codec/codec.ts';
import { createMemoryBroker } from '../log/memory/log-memory.ts';
import { readSinkAsOf } from './sink-as-of.ts';

function world() {
  const clock = createFakeClock();
  const broker = createMemoryBroker({ clock });
  const log = broker.connect('process');
  const settled = async <T>(promise: Promise<T>): Promise<T> => {
    let done = false;
    void promise.finally(() => (done = true));
    await clock.advanceUntil(() => done);
    return promise;
  };
  const append = () => settled(log.append('facts.0', Buffer.from('x')));
  const moveTo = async (sequence: number, stream = broker.stream('FACTS').bounds().created) =>
    settled(log.bucket('POSITIONS').put('clickhouse', encodeJson({ stream, sequence })));
  return { clock, log, append, moveTo, asOf: () => settled(readSinkAsOf(log, clock, 'clickhouse')) };
}

describe('how far a sink is', () => {
  it('is the time of the first record that it has not handled', async () => {
    const { clock, log, append, moveTo, asOf } = world();
    await append();
    await clock.advance(5_000);
    await append();
    await moveTo(1);
    await clock.advance(60_000);
    const second = await log.next('FACTS', 'facts.*', 2);
    expect(await asOf()).toMatchObject({ asOfMs: second?.storedAtMs, behind: 1 });
  });

  it('is the present when it has handled all, however long ago the last record came', async () => {
    const { clock, append, moveTo, asOf } = world();
    await append();
    await moveTo(1);
    await clock.advance(3_600_000);
    const askedMs = clock.wallMs();
    expect(await asOf()).toMatchObject({ asOfMs: askedMs, behind: 0 });
  });

  it('is unknown without a position, and with one in an earlier stream', async () => {
    const { append, moveTo, asOf } = world();
    await append();
    expect(await asOf()).toBeUndefined();
    await moveTo(1, '2020-01-01T00:00:00Z');
    expect(await asOf()).toBeUndefined();
  });
});
