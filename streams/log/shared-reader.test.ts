import { beforeEach, describe, expect, test } from 'vitest';
import { LOG_LIMITS } from './limits.ts';
import { createFakeClock, type FakeClock } from '../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../test/support/in-memory/silent-logger.ts';
import { createMemoryBroker, type MemoryBroker, type MemoryLog } from './memory/log-memory.ts';
import type { Log, Reader, ReadOptions } from './log.ts';
import { shareReader, type OpenReader } from './shared-reader.ts';

const limits = { ...LOG_LIMITS, sharedReaderRecords: 8, sharedReaderNear: 4 };

describe('a shared reader', () => {
  let clock: FakeClock;
  let broker: MemoryBroker;
  let log: MemoryLog;
  let open: OpenReader;
  /** The readers of the log that are open, by their first sequence. */
  let consumers: ReadOptions[];

  beforeEach(() => {
    clock = createFakeClock();
    broker = createMemoryBroker({ clock });
    log = broker.connect('a');
    consumers = [];
    const counted: Pick<Log, 'info' | 'read'> = {
      info: (stream) => log.info(stream),
      read(stream, options) {
        const reader = log.read(stream, options);
        consumers.push(options);
        return {
          take: (...most) => reader.take(...most),
          started: reader.started,
          get ended() {
            return reader.ended;
          },
          get pending() {
            return reader.pending;
          },
          stop() {
            reader.stop();
            consumers = consumers.filter((one) => one !== options);
          },
        };
      },
    };
    open = shareReader({ log: counted, clock, logger: silentLogger, stream: 'FACTS', limits });
  });

  async function append(from: number, to: number): Promise<void> {
    for (let value = from; value <= to; value++) {
      void log.append(`facts.${value % 3}`, Buffer.from(String(value)));
      await clock.advance(1);
    }
    await clock.advance(10);
  }

  interface TestSink {
    reader: Reader;
    taken: number[];
    /** Whether it takes records as they come. */
    takes: boolean;
    take(): void;
  }

  function sink(from = 1): TestSink {
    const self: TestSink = {
      taken: [],
      takes: true,
      take() {
        for (let records = self.reader.take(3); records.length > 0; records = self.reader.take(3)) {
          self.taken.push(...records.map(({ data }) => Number(Buffer.from(data).toString('utf8'))));
        }
      },
      reader: open({
        from,
        onWaiting() {
          if (self.takes) self.take();
        },
      }),
    };
    return self;
  }

  const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

  test('reads the stream once for all sinks that have caught up', async () => {
    await append(1, 20);
    const [one, two, three] = [sink(), sink(), sink()];
    await append(21, 60);
    for (const { taken } of [one, two, three]) expect(taken).toEqual(upTo(60));
    expect(consumers).toHaveLength(1);
    expect(one.reader.pending).toBe(0);
  });

  test('a sink that falls behind reads apart, loses nothing and joins again', async () => {
    const [fast, slow] = [sink(), sink()];
    await append(1, 10);
    expect(consumers).toHaveLength(1);
    slow.takes = false;
    await append(11, 60);
    expect(fast.taken).toEqual(upTo(60));
    expect(slow.taken).toEqual(upTo(10));
    slow.takes = true;
    slow.take();
    await clock.advance(10);
    expect(slow.taken).toEqual(upTo(60));
    await append(61, 80);
    for (const { taken } of [fast, slow]) expect(taken).toEqual(upTo(80));
    expect(consumers).toHaveLength(1);
  });

  test('a sink that takes nothing holds back no other, and a bounded number of records', async () => {
    const [fast, slow] = [sink(), sink()];
    await append(1, 10);
    slow.takes = false;
    await append(11, 200);
    expect(fast.taken).toEqual(upTo(200));
    expect(slow.reader.take()).toEqual([]);
  });

  test('a sink that stops leaves the others joined; the last one closes the consumer', async () => {
    const [one, two] = [sink(), sink()];
    await append(1, 10);
    one.reader.stop();
    await append(11, 20);
    expect([one.taken, two.taken]).toEqual([upTo(10), upTo(20)]);
    two.reader.stop();
    expect(consumers).toEqual([]);
    expect(two.reader.ended).toBe('stopped');
  });

  test('after an outage of the broker no sink misses a record or gets one twice', async () => {
    const other = broker.connect('b');
    const [one, two] = [sink(), sink()];
    await append(1, 10);
    log.disconnect();
    for (let value = 11; value <= 40; value++) void other.append('facts.0', Buffer.from(String(value)));
    await clock.advance(100);
    log.reconnect();
    await clock.advance(100);
    await append(41, 50);
    for (const { taken } of [one, two]) expect(taken).toEqual(upTo(50));
  });

  test.each(['new', 'same'] as const)(
    'each sink ends with `reset` if the stream was emptied (%s)',
    async (creation) => {
      const [one, two] = [sink(), sink()];
      await append(1, 10);
      broker.wipe('FACTS', creation);
      await append(101, 130);
      await clock.advance(2 * limits.sharedReaderReopenMs);
      for (const { reader, taken } of [one, two]) {
        expect(reader.ended).toBe('reset');
        expect(taken).toEqual(upTo(10));
      }
      const three = sink();
      await append(131, 140);
      expect(three.taken).toEqual(Array.from({ length: 40 }, (_, index) => 101 + index));
    },
  );

  test('a sink whose next record was trimmed ends with `reset`', async () => {
    const [fast, slow] = [sink(), sink()];
    await append(1, 10);
    slow.takes = false;
    await append(11, 60);
    await log.purgeBelow('FACTS', 30);
    slow.takes = true;
    slow.take();
    await clock.advance(10);
    expect(slow.reader.ended).toBe('reset');
    expect(slow.taken).toEqual(upTo(10));
    await append(61, 70);
    expect(fast.taken).toEqual(upTo(70));
  });
});
