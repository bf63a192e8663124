import { beforeEach, describe, expect, test } from 'vitest';
import { LOG_LIMITS } from '../limits.ts';
import { createFakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import type { FakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { STREAMS } from '../stream-definitions.ts';
import { createMemoryBroker } from './log-memory.ts';
import type { MemoryBroker, MemoryFaults, MemoryLog } from './log-memory.ts';
import type { AppendOutcome, LogRecord, WorkItem } from '../log.ts';

/** What the memory form has beyond the port's contract: a clock that tests move, and faults. */
describe('the log in memory', () => {
  const bytes = (value: string) => Buffer.from(value, 'utf8');
  const text = ({ data }: LogRecord) => Buffer.from(data).toString('utf8');
  let clock: FakeClock;
  let faults: MemoryFaults;
  let broker: MemoryBroker;
  let log: MemoryLog;

  beforeEach(() => {
    clock = createFakeClock();
    faults = {};
    broker = createMemoryBroker({ clock, faults });
    log = broker.connect('a');
  });

  /** Moves time on by the longest a write may take, and gives what came of it. */
  async function outcomeOf(promise: Promise<AppendOutcome>): Promise<AppendOutcome> {
    await clock.advance(LOG_LIMITS.logRequestMs);
    return promise;
  }

  function held(subject: string): string[] {
    const found: string[] = [];
    const stream = broker.stream('FACTS');
    for (let record = stream.next(subject, 1); record; record = stream.next(subject, record.sequence + 1)) {
      found.push(text(record));
    }
    return found;
  }

  describe('time', () => {
    test('a message id is remembered for the duplicate window', async () => {
      const options = { messageId: 'm' };
      await log.append('requests.0', bytes('a'), options);
      await clock.advance(STREAMS.REQUESTS.duplicateWindowMs - 1);
      expect(await log.append('requests.0', bytes('a'), options)).toMatchObject({ duplicate: true });
      await clock.advance(1);
      expect(await log.append('requests.0', bytes('a'), options)).toMatchObject({ duplicate: false, sequence: 2 });
    });

    test('records age out where the stream says so, and nowhere else', async () => {
      await log.append('requests.0', bytes('a'));
      await log.append('facts.0', bytes('a'));
      await clock.advance(STREAMS.REQUESTS.maxAgeMs);
      expect(await log.last('REQUESTS', 'requests.0')).toBeUndefined();
      expect(await log.info('REQUESTS')).toMatchObject({ firstSequence: 2, lastSequence: 1, sizeBytes: 0 });
      expect(await log.last('FACTS', 'facts.0')).toBeDefined();
    });

    test('a reader that slept while its records aged out is reset; an idle one is not', async () => {
      const idle = log.read('REQUESTS', { from: 1, subjects: ['requests.9'], onWaiting: () => {} });
      const slow = log.read('REQUESTS', { from: 1, onWaiting: () => {} });
      for (let i = 0; i <= LOG_LIMITS.readerBufferRecords; i++) await log.append('requests.0', bytes(String(i)));
      await clock.advance(STREAMS.REQUESTS.maxAgeMs);
      await log.append('requests.0', bytes('new'));
      await clock.flush();
      expect(slow.ended).toBe('reset');
      expect(slow.take()).toHaveLength(LOG_LIMITS.readerBufferRecords);
      log.disconnect();
      log.reconnect();
      await clock.flush();
      expect(idle.ended).toBeUndefined();
    });

    test('schedules fire at their time', async () => {
      const target = 'deliveries.due.w';
      const schedule = { atMs: clock.wallMs() + 60_000, target };
      await log.append('deliveries.at.w.d.1', bytes('x'), { schedule });
      await clock.advance(59_999);
      expect(await log.last('DELIVERIES', target)).toBeUndefined();
      await clock.advance(1);
      expect(await log.last('DELIVERIES', target)).toMatchObject({ storedAtMs: schedule.atMs });
      expect(await log.last('DELIVERIES', 'deliveries.at.w.d.1')).toBeUndefined();
      expect(await log.append('facts.0', bytes('x'), { schedule })).toMatchObject({ kind: 'refused' });
    });

    test('work comes again after ackWaitMs, later if it says that it is still at it', async () => {
      const items: WorkItem[] = [];
      const options = { durable: 'd', subjects: ['deliveries.due.w'], ackWaitMs: 1_000, maxInFlight: 1 };
      log.work('DELIVERIES', { ...options, onItem: (item) => items.push(item) });
      await log.append('deliveries.due.w', bytes('x'));
      await clock.advance(900);
      items[0]?.working();
      await clock.advance(900);
      expect(items).toHaveLength(1);
      await clock.advance(100);
      expect(items.map(({ handedOut }) => handedOut)).toEqual([1, 2]);
      log.disconnect();
      await clock.advance(10_000);
      expect(items).toHaveLength(2);
      log.reconnect();
      await clock.flush();
      expect(items).toHaveLength(3);
      expect(await items[2]?.ack()).toBe(true);
      await clock.advance(10_000);
      expect(items).toHaveLength(3);
    });
  });

  describe('faults', () => {
    test('a lost acknowledgement is unknown, and stored', async () => {
      faults.onAppend = () => 'lose_ack';
      expect(await outcomeOf(log.append('facts.0', bytes('a')))).toMatchObject({ kind: 'unknown' });
      expect(held('facts.0')).toEqual(['a']);
    });

    test('a lost request is unknown, and not stored', async () => {
      faults.onAppend = () => 'lose_request';
      expect(await outcomeOf(log.append('facts.0', bytes('a')))).toMatchObject({ kind: 'unknown' });
      expect(held('facts.0')).toEqual([]);
    });

    test('a doubled request is stored twice, unless a fence or a message id prevents it', async () => {
      faults.onAppend = () => 'duplicate';
      await log.append('facts.0', bytes('plain'));
      await log.append('facts.1', bytes('fenced'), { expectedLastSequence: 0 });
      await log.append('facts.2', bytes('named'), { messageId: 'm' });
      await clock.flush();
      expect([held('facts.0'), held('facts.1'), held('facts.2')]).toEqual([['plain', 'plain'], ['fenced'], ['named']]);
    });

    test('a late acknowledgement is unknown; a late request is stored after what was sent later', async () => {
      faults.onAppend = () => ({ ackDelayMs: LOG_LIMITS.logRequestMs + 1 });
      expect(await outcomeOf(log.append('facts.0', bytes('late ack')))).toMatchObject({ kind: 'unknown' });
      faults.onAppend = () => ({ requestDelayMs: 100 });
      const late = log.append('facts.0', bytes('late request'));
      delete faults.onAppend;
      await log.append('facts.0', bytes('later'));
      await clock.advance(100);
      expect(await late).toMatchObject({ kind: 'acked' });
      expect(held('facts.0')).toEqual(['late ack', 'later', 'late request']);
    });

    test('a delayed request outlives its client', async () => {
      faults.onAppend = () => ({ requestDelayMs: 100 });
      void log.append('facts.0', bytes('from the dead'));
      log.kill();
      await clock.advance(100);
      expect(held('facts.0')).toEqual(['from the dead']);
    });

    test('the hooks get the client, the place and the data of each write', async () => {
      const calls: string[] = [];
      faults.onAppend = ({ client, stream, subject }) => (calls.push(`${client} ${stream} ${subject}`), 'deliver');
      faults.onBucketWrite = ({ client, bucket, key }) => (calls.push(`${client} ${bucket} ${key}`), 'deliver');
      await broker.connect('b').append('facts.3', bytes('x'));
      await log.bucket('OWNERS').put('k', bytes('x'));
      expect(calls).toEqual(['b FACTS facts.3', 'a OWNERS k']);
    });

    test('latency keeps the order of a connection, in both directions', async () => {
      const delays = [30, 1, 20, 5, 40, 2];
      faults.latencyMs = () => delays.shift() ?? 3;
      const done: number[] = [];
      const appends = Array.from({ length: 6 }, (_, i) =>
        log.append('facts.0', bytes(String(i))).then(() => done.push(i)),
      );
      await clock.advance(200);
      await Promise.all(appends);
      expect(held('facts.0')).toEqual(['0', '1', '2', '3', '4', '5']);
      expect(done).toEqual([0, 1, 2, 3, 4, 5]);
    });

    test('a broken connection loses messages in flight, or still delivers them with `deliver`', async () => {
      faults.latencyMs = () => 10;
      const lost = log.append('facts.0', bytes('lost'));
      log.disconnect('lose');
      expect(await lost).toEqual({ kind: 'unknown', message: 'disconnected' });
      log.reconnect();
      const arrived = log.append('facts.0', bytes('arrived'));
      log.disconnect('deliver');
      expect(await arrived).toMatchObject({ kind: 'unknown' });
      await clock.advance(100);
      expect(held('facts.0')).toEqual(['arrived']);
    });

    test('a killed client gets no messages, and its calls never end', async () => {
      const received: string[] = [];
      const reader = log.read('FACTS', { from: 1, onWaiting: () => received.push('reader') });
      log.subscribe('queries.0', () => received.push('message'));
      log.bucket('CONFIG').watch({ onEntry: () => received.push('entry'), onCurrent: () => {} });
      await reader.started;
      await clock.flush();
      void log.append('facts.0', bytes('x')).then(() => received.push('append'));
      void log.info('FACTS').then(() => received.push('info'));
      log.kill();
      const other = broker.connect();
      await other.append('facts.0', bytes('y'));
      await other.bucket('CONFIG').put('k', bytes('v'));
      other.publish('queries.0', bytes('z'));
      await clock.advance(60_000);
      expect(received).toEqual([]);
    });
  });

  test.each(['new', 'same'] as const)(
    'a wiped stream (%s creation) resets its readers and starts over',
    async (creation) => {
      await log.append('facts.0', bytes('a'));
      const before = await log.info('FACTS');
      const reader = log.read('FACTS', { from: 1, onWaiting: () => reader.take() });
      await reader.started;
      await clock.advance(1_000);
      log.disconnect();
      broker.wipe('FACTS', creation);
      const other = broker.connect();
      for (let i = 0; i < 3; i++) await other.append('facts.0', bytes('b'));
      log.reconnect();
      await clock.flush();
      expect(reader.ended).toBe('reset');
      const after = await log.info('FACTS');
      expect(after).toMatchObject({ firstSequence: 1, lastSequence: 3 });
      expect(after.created === before.created).toBe(creation === 'same');
    },
  );

  test('the same run gives the same result', async () => {
    async function run(): Promise<string> {
      const clock = createFakeClock();
      let seed = 7;
      const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
      const broker = createMemoryBroker({
        clock,
        faults: {
          latencyMs: () => Math.floor(random() * 20),
          onAppend: () => (random() < 0.2 ? 'lose_ack' : random() < 0.2 ? 'duplicate' : 'deliver'),
        },
      });
      const trace: string[] = [];
      const reader = broker.connect().read('FACTS', {
        from: 1,
        onWaiting: () =>
          trace.push(...reader.take().map((record) => `${record.sequence}${text(record)}@${record.storedAtMs}`)),
      });
      for (const name of ['a', 'b']) {
        const client = broker.connect(name);
        for (let i = 0; i < 20; i++)
          void client.append('facts.0', bytes(name + i)).then(({ kind }) => trace.push(kind));
      }
      await clock.advance(5_000);
      return trace.join(' ');
    }
    const first = await run();
    expect(first).toContain('unknown');
    expect(await run()).toBe(first);
  });
});
