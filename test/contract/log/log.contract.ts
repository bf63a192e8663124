import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { LIMITS } from '../../../src/kernel/limits.ts';
import type { AppendOutcome, Bucket, BucketEntry, Log, LogRecord, Reader, WorkItem } from '../../../streams/log/log.ts';
import type { ReadOptions, Stop } from '../../../streams/log/log.ts';
import type { StreamName } from '../../../streams/stream-definitions.ts';

/** One form of the log, as the suite needs it. FACTS holds `FACTS_BYTES` at most. */
export interface LogHarness {
  /** Another client of the same broker. */
  open(): Promise<Log>;
  /** Kills the broker, as with `kill -9`: streams in memory are lost. */
  down(): Promise<void>;
  up(): Promise<void>;
  close(): Promise<void>;
}

export const FACTS_BYTES = 24 * 1024 * 1024;
const MIB = 1024 * 1024;
const text = (data: Uint8Array | undefined) => (data === undefined ? undefined : Buffer.from(data).toString('utf8'));
const bytes = (value: string) => Buffer.from(value, 'utf8');
/** Waits for a condition; real brokers take a moment, a restarted one a few seconds. */
const eventually = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 5 });

function sequenceOf(outcome: AppendOutcome): number {
  if (outcome.kind !== 'acked') throw new Error(`not acked: ${JSON.stringify(outcome)}`);
  return outcome.sequence;
}

/** Everything in `streams/log/log.ts` that a caller may rely on, whatever the form. */
export function logContract(form: string, makeHarness: () => Promise<LogHarness>): void {
  describe(`the log (${form})`, () => {
    let harness: LogHarness;
    let log: Log;
    let other: Log;
    const cleanups: Stop[] = [];
    let count = 0;

    beforeAll(async () => {
      harness = await makeHarness();
      log = await harness.open();
      other = await harness.open();
    });
    afterEach(() => {
      for (const stop of cleanups.splice(0)) stop();
    });
    afterAll(async () => {
      await harness?.close();
    });

    /** A subject of FACTS that no other test uses. */
    const freshSubject = () => `facts.${(count += 1)}`;
    const freshKey = () => `game.live.test.key-${(count += 1)}`;
    const append = async (subject: string, value: string, client = log) =>
      sequenceOf(await client.append(subject, bytes(value)));

    /** Opens a reader that collects whatever it is given. */
    function collect(stream: StreamName, options: Omit<ReadOptions, 'onWaiting'>) {
      const records: LogRecord[] = [];
      let calls = 0;
      const reader: Reader = other.read(stream, {
        ...options,
        onWaiting: () => {
          calls += 1;
          records.push(...reader.take());
        },
      });
      cleanups.push(() => reader.stop());
      return { reader, records, texts: () => records.map(({ data }) => text(data)), calls: () => calls };
    }

    /** Opens a reader from which only the test takes records. */
    function stalled(stream: StreamName, options: Omit<ReadOptions, 'onWaiting'>): Reader {
      const reader = other.read(stream, { ...options, onWaiting: () => {} });
      cleanups.push(() => reader.stop());
      return reader;
    }

    async function takeAll(reader: Reader, wanted: number): Promise<LogRecord[]> {
      const records: LogRecord[] = [];
      await eventually(() => {
        records.push(...reader.take());
        expect(records.length).toBeGreaterThanOrEqual(wanted);
      });
      return records;
    }

    describe('append', () => {
      test('acknowledges with growing sequences', async () => {
        const subject = freshSubject();
        const first = await append(subject, 'a');
        expect(await append(subject, 'b')).toBeGreaterThan(first);
      });

      test('with a fence stores only after exactly that record of the subject', async () => {
        const subject = freshSubject();
        const first = sequenceOf(await log.append(subject, bytes('a'), { expectedLastSequence: 0 }));
        expect(await log.append(subject, bytes('b'), { expectedLastSequence: 0 })).toEqual({ kind: 'fenced' });
        expect(await log.append(subject, bytes('b'), { expectedLastSequence: first + 1 })).toEqual({ kind: 'fenced' });
        await append(freshSubject(), 'another subject does not matter');
        const second = sequenceOf(await log.append(subject, bytes('b'), { expectedLastSequence: first }));
        expect((await log.last('FACTS', subject))?.sequence).toBe(second);
      });

      test('lets one of two writers with the same fence through', async () => {
        const subject = freshSubject();
        const fence = await append(subject, 'start');
        const outcomes = await Promise.all(
          [log, other].map((client) => client.append(subject, bytes('x'), { expectedLastSequence: fence })),
        );
        expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['acked', 'fenced']);
      });

      test('answers a repeated message id with the first sequence and stores nothing', async () => {
        const subject = freshSubject();
        const messageId = `id-${subject}`;
        const first = await log.append(subject, bytes('a'), { messageId });
        const again = await other.append(subject, bytes('a'), { messageId });
        expect(first).toMatchObject({ kind: 'acked', duplicate: false });
        expect(again).toEqual({ kind: 'acked', sequence: sequenceOf(first), duplicate: true });
      });

      test('checks the fence before the message id', async () => {
        const subject = freshSubject();
        const options = { messageId: `id-${subject}`, expectedLastSequence: 0 };
        expect(await log.append(subject, bytes('a'), options)).toMatchObject({ kind: 'acked' });
        expect(await log.append(subject, bytes('a'), options)).toEqual({ kind: 'fenced' });
      });

      test('refuses a record that is too large', async () => {
        const data = new Uint8Array(LIMITS.brokerPayloadBytes + 1);
        const outcome = await log.append(freshSubject(), data);
        expect(outcome).toMatchObject({ kind: 'refused', reason: 'too_large' });
      });

      test('accepts a record of the largest commit', async () => {
        const subject = freshSubject();
        const data = new Uint8Array(LIMITS.commitBytes).fill(7);
        await log.append(subject, data);
        const last = await log.last('FACTS', subject);
        expect(Buffer.compare(last?.data ?? new Uint8Array(), data)).toBe(0);
      });

      test('refuses when the stream is full, still checks the fence, and accepts again after a purge', async () => {
        const subject = freshSubject();
        const outcomes: AppendOutcome[] = [];
        for (let i = 0; i <= FACTS_BYTES / MIB && outcomes.at(-1)?.kind !== 'refused'; i++) {
          outcomes.push(await log.append(subject, new Uint8Array(MIB)));
        }
        expect(outcomes.at(-1)).toMatchObject({ kind: 'refused', reason: 'full' });
        const large = new Uint8Array(MIB);
        expect(await log.append(subject, large, { expectedLastSequence: 1 })).toEqual({ kind: 'fenced' });
        const { lastSequence } = await log.info('FACTS');
        await log.purgeBelow('FACTS', lastSequence + 1);
        expect(await log.append(subject, large)).toMatchObject({ kind: 'acked' });
      });
    });

    describe('last, next and info', () => {
      test('give the records of one subject and the bounds of the stream', async () => {
        const subject = freshSubject();
        expect(await log.last('FACTS', subject)).toBeUndefined();
        expect(await log.next('FACTS', subject, 1)).toBeUndefined();
        const first = await append(subject, 'a');
        const elsewhere = await append(freshSubject(), 'x');
        const second = await append(subject, 'b');

        const next = await log.next('FACTS', subject, first + 1);
        expect(next).toMatchObject({ subject, sequence: second });
        expect(text(next?.data)).toBe('b');
        expect((await log.next('FACTS', subject, first))?.sequence).toBe(first);
        expect(await log.next('FACTS', subject, second + 1)).toBeUndefined();
        expect((await log.last('FACTS', subject))?.sequence).toBe(second);

        const bounds = await log.info('FACTS');
        expect(bounds.lastSequence).toBe(second);
        expect(bounds.maxBytes).toBe(FACTS_BYTES);
        expect(bounds.firstSequence).toBeLessThanOrEqual(elsewhere);
        expect(bounds.sizeBytes).toBeGreaterThan(0);
        expect(bounds.records).toBe(second + 1 - bounds.firstSequence);
        expect(bounds.created).toBe((await other.info('FACTS')).created);
      });

      test('find the next record of any subject that matches', async () => {
        const first = await append(freshSubject(), 'a');
        const second = await append(freshSubject(), 'b');
        expect((await log.next('FACTS', 'facts.*', first))?.sequence).toBe(first);
        expect((await log.next('FACTS', 'facts.*', first + 1))?.sequence).toBe(second);
        expect(await log.next('FACTS', 'facts.*', second + 1)).toBeUndefined();
        expect(await log.next('FACTS', 'facts.none.*', 1)).toBeUndefined();
      });

      test('count the subjects that hold records', async () => {
        const webhook = freshKey().replaceAll('.', '_');
        const count = () => log.countSubjects('DELIVERIES', `deliveries.at.${webhook}.*.*`);
        expect(await count()).toBe(0);
        const atMs = Date.now() + 600_000;
        const schedule = { atMs, target: `deliveries.due.${webhook}` };
        for (const subject of ['one.1', 'one.2', 'two.1', 'two.1']) {
          await log.append(`deliveries.at.${webhook}.${subject}`, bytes('x'), { schedule });
        }
        await log.append(`deliveries.at.${webhook}-not.one.1`, bytes('x'), { schedule });
        expect(await count()).toBe(3);
        expect(await log.countSubjects('DELIVERIES', `deliveries.at.${webhook}.one.1`)).toBe(1);
      });

      test('count the records of each subject', async () => {
        const name = freshKey().replaceAll('.', '_');
        for (const subject of ['a', 'b', 'b']) await log.append(`deliveries.due.${name}-${subject}`, bytes('x'));
        const counts = await log.countBySubject('DELIVERIES', 'deliveries.due.*');
        const own = [...counts]
          .filter(([subject]) => subject.includes(name))
          .toSorted(([a], [b]) => a.localeCompare(b));
        expect(own).toEqual([
          [`deliveries.due.${name}-a`, 1],
          [`deliveries.due.${name}-b`, 2],
        ]);
        expect((await log.countBySubject('DELIVERIES', `deliveries.due.${name}`)).size).toBe(0);
      });

      test('an emptied stream has its first record after its last, and its subjects are free again', async () => {
        const subject = freshSubject();
        const last = await append(subject, 'a');
        await log.purgeBelow('FACTS', last + 1);
        expect(await log.info('FACTS')).toMatchObject({ firstSequence: last + 1, lastSequence: last });
        expect(await log.append(subject, bytes('b'), { expectedLastSequence: 0 })).toMatchObject({ kind: 'acked' });
      });

      test('give the same time of storage in every way of reading a record', async () => {
        const subject = freshSubject();
        const sequence = await append(subject, 'a');
        const { records } = collect('FACTS', { from: sequence });
        await eventually(() => expect(records).toHaveLength(1));
        const storedAtMs = records[0]?.storedAtMs ?? 0;
        expect(Math.abs(Date.now() - storedAtMs)).toBeLessThan(60_000);
        expect((await log.last('FACTS', subject))?.storedAtMs).toBe(storedAtMs);
        expect((await log.next('FACTS', subject, sequence))?.storedAtMs).toBe(storedAtMs);
      });
    });

    describe('read', () => {
      test('delivers stored records and then follows new ones, in order and whole', async () => {
        const subject = freshSubject();
        const first = await append(subject, '0');
        for (let i = 1; i < 20; i++) await append(subject, String(i));
        const { records, texts } = collect('FACTS', { from: first, subjects: [subject] });
        await eventually(() => expect(records).toHaveLength(20));
        await Promise.all(Array.from({ length: 400 }, (_, i) => log.append(subject, bytes(String(20 + i)))));
        await eventually(() => expect(records).toHaveLength(420));
        expect(texts()).toEqual(Array.from({ length: 420 }, (_, i) => String(i)));
        expect(records[0]).toMatchObject({ subject, sequence: first });
      });

      test('delivers only the requested subjects; wildcards are allowed', async () => {
        const [one, two, three] = [freshSubject(), freshSubject(), freshSubject()];
        const from = await append(one, 'a');
        await append(two, 'b');
        await append(three, 'c');
        const some = collect('FACTS', { from, subjects: [one, three] });
        const all = collect('FACTS', { from, subjects: ['facts.*'] });
        await eventually(() => expect(some.texts()).toEqual(['a', 'c']));
        await eventually(() => expect(all.texts()).toEqual(['a', 'b', 'c']));
      });

      test('from `new` delivers records stored after it has started', async () => {
        const subject = freshSubject();
        await append(subject, 'before');
        const { reader, texts } = collect('FACTS', { from: 'new', subjects: [subject] });
        await reader.started;
        await append(subject, 'after');
        await eventually(() => expect(texts()).toEqual(['after']));
      });

      test('wakes an idle reader at once, not at the next poll', async () => {
        const subject = freshSubject();
        const { reader, records } = collect('FACTS', { from: 'new', subjects: [subject] });
        await reader.started;
        const delaysMs: number[] = [];
        for (let i = 1; i <= 20; i++) {
          const sentMs = performance.now();
          await append(subject, 'x');
          await eventually(() => expect(records).toHaveLength(i));
          delaysMs.push(performance.now() - sentMs);
        }
        // A few milliseconds; a poll comes after 30 s.
        expect(delaysMs.sort((a, b) => a - b)[10]).toBeLessThan(1_000);
      });

      test('take is bounded by records and by bytes, and returns at least one record', async () => {
        const subject = freshSubject();
        const from = await append(subject, 'aaaaaaaaaa');
        await append(subject, 'bbbbbbbbbb');
        await append(subject, 'cccccccccc');
        const reader = stalled('FACTS', { from, subjects: [subject] });
        const taken: Array<Array<string | undefined>> = [];
        const take = (...limits: [number?, number?]) =>
          eventually(() => {
            const records = reader.take(...limits);
            expect(records.length).toBeGreaterThan(0);
            taken.push(records.map(({ data }) => text(data)));
          });
        await eventually(() => expect(reader.pending).toBe(3));
        await take(1);
        await take(10, 1);
        await take(10, 1);
        expect(taken).toEqual([['aaaaaaaaaa'], ['bbbbbbbbbb'], ['cccccccccc']]);
        expect(reader.take()).toEqual([]);
        expect(reader.pending).toBe(0);
      });

      test('holds a bounded buffer while the caller takes nothing, and loses nothing', async () => {
        const subject = freshSubject();
        const total = LIMITS.readerBufferRecords * 3 + 7;
        const from = await append(subject, '0');
        await Promise.all(Array.from({ length: total - 1 }, (_, i) => log.append(subject, bytes(String(i + 1)))));
        const reader = stalled('FACTS', { from, subjects: [subject] });
        await eventually(() => expect(reader.pending).toBe(total));
        let most = 0;
        const records: LogRecord[] = [];
        await eventually(() => {
          const taken = reader.take();
          most = Math.max(most, taken.length);
          records.push(...taken);
          expect([records.length, reader.ended]).toEqual([total, undefined]);
        });
        expect(most).toBeLessThanOrEqual(LIMITS.readerBufferRecords);
        expect(records.map(({ data }) => text(data))).toEqual(Array.from({ length: total }, (_, i) => String(i)));
      });

      test('holds a bounded number of bytes', async () => {
        const subject = freshSubject();
        await log.purgeBelow('FACTS', (await log.info('FACTS')).lastSequence + 1);
        const from = sequenceOf(await log.append(subject, new Uint8Array(3 * MIB)));
        for (let i = 1; i < 7; i++) await log.append(subject, new Uint8Array(3 * MIB));
        const reader = stalled('FACTS', { from, subjects: [subject] });
        let most = 0;
        const records: LogRecord[] = [];
        await eventually(() => {
          const taken = reader.take();
          most = Math.max(
            most,
            taken.reduce((sum, { data }) => sum + data.length, 0),
          );
          records.push(...taken);
          expect(records).toHaveLength(7);
        });
        expect(most).toBeLessThanOrEqual(LIMITS.readerBufferBytes + 3 * MIB);
      });

      test('ends with `reset` where its first record is no longer held, and where it was never stored', async () => {
        const subject = freshSubject();
        const first = await append(subject, 'a');
        const last = await append(subject, 'b');
        await log.purgeBelow('FACTS', last);
        const trimmed = collect('FACTS', { from: first, subjects: [subject] });
        const ahead = collect('FACTS', { from: last + 1000 });
        await eventually(() => expect(trimmed.reader.ended).toBe('reset'));
        await eventually(() => expect(ahead.reader.ended).toBe('reset'));
        await eventually(() => expect(trimmed.calls()).toBeGreaterThan(0));
        await trimmed.reader.started;
        expect(trimmed.records).toEqual([]);
        expect(ahead.records).toEqual([]);
      });

      test('ends with `reset` if records were trimmed while it was paused', async () => {
        const subject = freshSubject();
        const from = await append(subject, '0');
        const reader = stalled('FACTS', { from, subjects: [subject] });
        await reader.started;
        const total = LIMITS.readerBufferRecords * 2;
        for (let i = 1; i < total; i++) await append(subject, String(i));
        const last = await append(subject, 'last');
        await eventually(() => expect(reader.pending).toBe(total + 1));
        await log.purgeBelow('FACTS', last);
        const records: LogRecord[] = [];
        await eventually(() => {
          records.push(...reader.take());
          expect(reader.ended).toBe('reset');
        });
        records.push(...reader.take());
        const texts = records.map(({ data }) => text(data));
        expect(texts).toEqual(Array.from({ length: texts.length }, (_, i) => String(i)));
      });

      test('continues if only delivered records were trimmed', async () => {
        const subject = freshSubject();
        const from = await append(subject, 'a');
        const { texts } = collect('FACTS', { from, subjects: [subject] });
        await eventually(() => expect(texts()).toEqual(['a']));
        const { lastSequence } = await log.info('FACTS');
        await log.purgeBelow('FACTS', lastSequence + 1);
        await append(subject, 'b');
        await eventually(() => expect(texts()).toEqual(['a', 'b']));
      });

      test('a stopped reader delivers nothing', async () => {
        const subject = freshSubject();
        const { reader, records, calls } = collect('FACTS', { from: 'new', subjects: [subject] });
        await reader.started;
        reader.stop();
        reader.stop();
        const callsBefore = calls();
        const witness = collect('FACTS', { from: await append(subject, 'x'), subjects: [subject] });
        await eventually(() => expect(witness.records).toHaveLength(1));
        expect(reader.ended).toBe('stopped');
        expect(records).toEqual([]);
        expect(calls()).toBe(callsBefore);
      });
    });

    describe('work', () => {
      /** Opens a worker on `deliveries.due.<name>` that collects its items for the test. */
      function work(name: string, client: Log, options: { ackWaitMs?: number; maxInFlight?: number } = {}) {
        const items: WorkItem[] = [];
        const stop = client.work('DELIVERIES', {
          durable: `worker-${name}`,
          subjects: [`deliveries.due.${name}`],
          ackWaitMs: options.ackWaitMs ?? 30_000,
          maxInFlight: options.maxInFlight ?? 100,
          onItem: (item) => items.push(item),
        });
        cleanups.push(stop);
        return { items, stop, texts: () => items.map(({ record }) => text(record.data)) };
      }

      test('hands each record to one worker, and never again after its acknowledgement', async () => {
        const name = `w${(count += 1)}`;
        const workers = [work(name, log), work(name, other)];
        for (let i = 0; i < 30; i++) await append(`deliveries.due.${name}`, String(i));
        const items = () => workers.flatMap((worker) => worker.items);
        await eventually(() => expect(items()).toHaveLength(30));
        expect(new Set(items().map(({ record }) => record.sequence)).size).toBe(30);
        expect(items().every(({ handedOut }) => handedOut === 1)).toBe(true);
        for (const item of items()) expect(await item.ack()).toBe(true);
        expect(await log.last('DELIVERIES', `deliveries.due.${name}`)).toBeUndefined();
      });

      test('hands out an unacknowledged record again after `ackWaitMs`, with its count', async () => {
        const name = `w${(count += 1)}`;
        const { items } = work(name, log, { ackWaitMs: 200 });
        await append(`deliveries.due.${name}`, 'x');
        await eventually(() => expect(items.map(({ handedOut }) => handedOut)).toEqual([1, 2]));
        expect(await items[1]?.ack()).toBe(true);
      });

      test('hands out a record again after the requested delay', async () => {
        const name = `w${(count += 1)}`;
        const { items } = work(name, log);
        await append(`deliveries.due.${name}`, 'x');
        await eventually(() => expect(items).toHaveLength(1));
        const beganMs = performance.now();
        items[0]?.retryIn(300);
        await eventually(() => expect(items).toHaveLength(2));
        expect(performance.now() - beganMs).toBeGreaterThanOrEqual(280);
        expect(items[1]?.handedOut).toBe(2);
        await items[1]?.ack();
      });

      test('hands out at most `maxInFlight` records', async () => {
        const name = `w${(count += 1)}`;
        const { items } = work(name, log, { maxInFlight: 3 });
        for (let i = 0; i < 8; i++) await append(`deliveries.due.${name}`, String(i));
        await eventually(() => expect(items).toHaveLength(3));
        for (let done = 0; done < 8; done++) {
          await eventually(() => expect(items.length).toBeGreaterThan(done));
          expect(items.length).toBeLessThanOrEqual(done + 3);
          await items[done]?.ack();
        }
        expect(items).toHaveLength(8);
      });

      test('a stopped worker gets no more records', async () => {
        const name = `w${(count += 1)}`;
        const left = work(name, log);
        left.stop();
        const stays = work(name, other);
        await append(`deliveries.due.${name}`, 'x');
        await eventually(() => expect(stays.texts()).toEqual(['x']));
        expect(left.items).toEqual([]);
        await stays.items[0]?.ack();
      });

      test('a scheduled record is handed out at its time, not before', async () => {
        const name = `w${(count += 1)}`;
        const target = `deliveries.due.${name}`;
        const { items, texts } = work(name, log);
        const atMs = Date.now() + 1_000;
        const schedule = { atMs, target };
        const at = (id: string) => `deliveries.at.${name}.${id}.1`;
        await log.append(at('later'), bytes('replaced'), { schedule: { atMs: atMs - 800, target: `${target}-gone` } });
        expect(await log.append(at('later'), bytes('later'), { schedule })).toMatchObject({ kind: 'acked' });
        await log.append(at('past'), bytes('past'), { schedule: { atMs: atMs - 60_000, target } });
        await eventually(() => expect(texts()).toEqual(['past']));
        await eventually(() => expect(texts()).toEqual(['past', 'later']));
        expect(Date.now()).toBeGreaterThanOrEqual(atMs);
        expect(items[1]?.record.subject).toBe(target);
        for (const item of items) await item.ack();
        expect(await log.last('DELIVERIES', at('later'))).toBeUndefined();
        expect(await log.last('DELIVERIES', `${target}-gone`)).toBeUndefined();
      });
    });

    describe('bucket', () => {
      let bucket: Bucket;
      beforeAll(() => {
        bucket = log.bucket('CONFIG');
      });

      test('writes only over the revision named; 0 means absent', async () => {
        const key = freshKey();
        expect(await bucket.get(key)).toBeUndefined();
        const first = await bucket.put(key, bytes('a'), 0);
        expect(first).toMatchObject({ kind: 'written' });
        expect(await bucket.put(key, bytes('b'), 0)).toEqual({ kind: 'conflict' });
        const entry = await other.bucket('CONFIG').get(key);
        expect(text(entry?.value)).toBe('a');
        const second = await bucket.put(key, bytes('b'), entry?.revision);
        expect(second).toMatchObject({ kind: 'written' });
        expect(await bucket.put(key, bytes('c'), entry?.revision)).toEqual({ kind: 'conflict' });
        expect(await bucket.put(key, bytes('d'))).toMatchObject({ kind: 'written' });
        expect(text((await bucket.get(key))?.value)).toBe('d');
      });

      test('a deleted key is absent, and can be made again under revision 0', async () => {
        const key = freshKey();
        await bucket.put(key, bytes('a'));
        expect(await bucket.delete(key, 1)).toEqual({ kind: 'conflict' });
        const entry = await bucket.get(key);
        expect(await bucket.delete(key, entry?.revision)).toMatchObject({ kind: 'written' });
        expect(await bucket.get(key)).toBeUndefined();
        expect(await bucket.put(key, bytes('again'), 0)).toMatchObject({ kind: 'written' });
        expect(await bucket.put(key, bytes('twice'), 0)).toEqual({ kind: 'conflict' });
      });

      test('one of many contenders for a revision wins', async () => {
        const key = freshKey();
        const outcomes = await Promise.all(
          Array.from({ length: 10 }, (_, i) =>
            (i % 2 === 0 ? log : other).bucket('OWNERS').put(key, bytes(String(i)), 0),
          ),
        );
        expect(outcomes.filter(({ kind }) => kind === 'written')).toHaveLength(1);
        expect(outcomes.filter(({ kind }) => kind === 'conflict')).toHaveLength(9);
      });

      test('an empty value is a value', async () => {
        const key = freshKey();
        await bucket.put(key, new Uint8Array());
        expect((await bucket.get(key))?.value).toHaveLength(0);
      });

      test('a watch delivers every entry, reports when it is current, and then delivers changes in order', async () => {
        const [kept, gone, later] = [freshKey(), freshKey(), freshKey()];
        await bucket.put(kept, bytes('1'));
        await bucket.put(gone, bytes('1'));
        const seen: BucketEntry[] = [];
        let current = 0;
        cleanups.push(
          other.bucket('CONFIG').watch({ onEntry: (entry) => seen.push(entry), onCurrent: () => (current += 1) }),
        );
        await eventually(() => expect(current).toBe(1));
        expect(seen.map(({ key }) => key)).toEqual(expect.arrayContaining([kept, gone]));

        seen.length = 0;
        // Each change is awaited, as one that the next replaces may be skipped.
        expect(await bucket.put(later, bytes('1'))).toMatchObject({ kind: 'written' });
        await eventually(() => expect(seen).toHaveLength(1));
        expect(await bucket.put(later, bytes('2'))).toMatchObject({ kind: 'written' });
        await eventually(() => expect(seen).toHaveLength(2));
        expect(await bucket.delete(gone)).toMatchObject({ kind: 'written' });
        await eventually(() => expect(seen).toHaveLength(3));
        expect(seen.map(({ key, value }) => [key, text(value)])).toEqual([
          [later, '1'],
          [later, '2'],
          [gone, undefined],
        ]);
        const revisions = seen.map(({ revision }) => revision);
        expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
        expect(current).toBe(1);
      });

      test('a watch delivers the last of many changes of a key, and may skip those it replaced', async () => {
        const [key, end] = [freshKey(), freshKey()];
        const seen: BucketEntry[] = [];
        let current = 0;
        cleanups.push(
          other.bucket('CONFIG').watch({ onEntry: (entry) => seen.push(entry), onCurrent: () => (current += 1) }),
        );
        await eventually(() => expect(current).toBe(1));
        const outcomes = await Promise.all(Array.from({ length: 100 }, () => bucket.put(key, bytes('x'))));
        const written = outcomes.map((outcome) => (outcome.kind === 'written' ? outcome.revision : 0));
        await bucket.put(end, bytes('x'));
        await eventually(() => expect(seen.at(-1)?.key).toBe(end));
        const revisions = seen.filter((entry) => entry.key === key).map(({ revision }) => revision);
        expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
        expect(new Set(revisions).size).toBe(revisions.length);
        expect(written).toEqual(expect.arrayContaining(revisions));
        expect(revisions.at(-1)).toBe(Math.max(...written));
      });

      test('a watch of an empty bucket is current at once; a stopped one is silent', async () => {
        const seen: BucketEntry[] = [];
        let current = 0;
        const stop = other
          .bucket('POSITIONS')
          .watch({ onEntry: (entry) => seen.push(entry), onCurrent: () => (current += 1) });
        await eventually(() => expect(current).toBe(1));
        stop();
        const witness: BucketEntry[] = [];
        cleanups.push(
          other.bucket('POSITIONS').watch({ onEntry: (entry) => witness.push(entry), onCurrent: () => {} }),
        );
        await log.bucket('POSITIONS').put(freshKey(), bytes('x'));
        await eventually(() => expect(witness).toHaveLength(1));
        expect(seen).toEqual([]);
      });
    });

    describe('plain messages', () => {
      test('reach every subscriber, and one of each group', async () => {
        const subject = `queries.${(count += 1)}`;
        const heard = { alone: [] as string[], a: [] as string[], b: [] as string[] };
        const listen = (client: Log, into: string[], group?: string) =>
          cleanups.push(client.subscribe(subject, (data, from) => into.push(`${from} ${text(data)}`), group));
        listen(log, heard.alone);
        listen(log, heard.a, 'group');
        listen(other, heard.b, 'group');
        // A subscription is known to the broker once something sent after it came back.
        await eventually(() => {
          other.publish(subject, bytes('ready'));
          expect(heard.alone.length).toBeGreaterThan(0);
          expect(heard.a.length + heard.b.length).toBeGreaterThan(0);
        });
        // What was sent while the subscriptions were made may have reached one of them and not another.
        const numbered = (messages: readonly string[]) => messages.filter((message) => !message.endsWith('ready'));
        const sent = Array.from({ length: 20 }, (_, i) => `${subject} ${i}`);
        for (let i = 0; i < 20; i++) other.publish(subject, bytes(String(i)));
        await eventually(() => expect(numbered(heard.alone)).toEqual(sent));
        const inGroup = () => numbered([...heard.a, ...heard.b]).toSorted();
        await eventually(() => expect(inGroup()).toEqual(sent.toSorted()));
      });

      test('do not reach a stopped subscriber', async () => {
        const subject = `queries.${(count += 1)}`;
        const heard: string[] = [];
        const stop = log.subscribe(subject, () => heard.push('stopped'));
        stop();
        cleanups.push(log.subscribe(subject, () => heard.push('listening')));
        await eventually(() => {
          other.publish(subject, bytes('x'));
          expect(heard).toContain('listening');
        });
        expect(heard).not.toContain('stopped');
      });
    });

    describe('when the broker goes away and comes back', () => {
      test('`connected` is false, and an append without an answer is unknown', async () => {
        await harness.down();
        await eventually(() => expect(log.connected).toBe(false));
        const outcome = await log.append(freshSubject(), bytes('x'), { timeoutMs: 200 });
        expect(outcome).toMatchObject({ kind: 'unknown' });
        expect(await log.bucket('OWNERS').put(freshKey(), bytes('x'), 0)).toMatchObject({ kind: 'unknown' });
        await harness.up();
        await eventually(() => expect(log.connected).toBe(true));
      });

      test('an append made meanwhile is stored once the broker is back, within its time-out', async () => {
        const subject = freshSubject();
        await harness.down();
        await eventually(() => expect(log.connected).toBe(false));
        const outcome = log.append(subject, bytes('x'), { timeoutMs: 30_000 });
        const last = log.last('FACTS', subject);
        await harness.up();
        expect(await outcome).toMatchObject({ kind: 'acked' });
        await last;
      });

      test('acknowledged records are there and fences still hold', async () => {
        const subject = freshSubject();
        const first = await append(subject, 'a');
        const fence = await append(subject, 'b');
        await harness.down();
        await harness.up();
        expect((await log.last('FACTS', subject))?.sequence).toBe(fence);
        expect(await log.append(subject, bytes('c'), { expectedLastSequence: first })).toEqual({ kind: 'fenced' });
        expect(await log.append(subject, bytes('c'), { expectedLastSequence: fence })).toMatchObject({ kind: 'acked' });
      });

      test('readers of streams in files continue without gap or repeat', async () => {
        const subject = freshSubject();
        const from = await append(subject, '0');
        const followed = collect('FACTS', { from, subjects: [subject] });
        const idle = stalled('FACTS', { from, subjects: [subject] });
        await eventually(() => expect(followed.records).toHaveLength(1));
        await eventually(() => expect(idle.pending).toBe(1));
        for (let round = 0; round < 2; round++) {
          await harness.down();
          await harness.up();
          for (let i = 0; i < 5; i++) await append(subject, String(1 + round * 5 + i));
        }
        const expected = Array.from({ length: 11 }, (_, i) => String(i));
        await eventually(() => expect(followed.texts()).toEqual(expected));
        const late = await takeAll(idle, 11);
        expect(late.map(({ data }) => text(data))).toEqual(expected);
      });

      test('a reader whose next record was trimmed meanwhile ends with `reset`', async () => {
        const subject = freshSubject();
        const from = await append(subject, '0');
        const reader = stalled('FACTS', { from, subjects: [subject] });
        for (let i = 1; i < LIMITS.readerBufferRecords + 10; i++) await append(subject, String(i));
        const last = await append(subject, 'last');
        await eventually(() => expect(reader.pending).toBeGreaterThanOrEqual(LIMITS.readerBufferRecords));
        await log.purgeBelow('FACTS', last);
        await harness.down();
        await harness.up();
        await eventually(() => expect(reader.ended).toBe('reset'));
        const texts = reader.take().map(({ data }) => text(data));
        expect(texts).toEqual(Array.from({ length: texts.length }, (_, i) => String(i)));
        expect(texts.length).toBeLessThanOrEqual(LIMITS.readerBufferRecords);
      });

      test('a memory stream is created anew: its readers end with `reset`, its writers continue', async () => {
        const subject = `requests.${(count += 1)}`;
        await append(subject, 'lost');
        const before = await log.info('REQUESTS');
        const { reader, texts } = collect('REQUESTS', { from: before.lastSequence, subjects: [subject] });
        const idle = stalled('REQUESTS', { from: 'new', subjects: [`requests.${(count += 1)}`] });
        await idle.started;
        await eventually(() => expect(texts()).toEqual(['lost']));
        await harness.down();
        await harness.up();
        await eventually(() => expect(reader.ended).toBe('reset'));
        await eventually(() => expect(idle.ended).toBe('reset'));
        const after = await log.info('REQUESTS');
        expect(after.created).not.toBe(before.created);
        await eventually(async () => {
          expect(await log.append(subject, bytes('kept'))).toMatchObject({ kind: 'acked' });
        });
        const again = collect('REQUESTS', { from: 1, subjects: [subject] });
        await eventually(() => expect(again.texts()).toContain('kept'));
        expect(again.texts()).not.toContain('lost');
      });

      test('a watch continues and skips nothing', async () => {
        const bucket = log.bucket('CONFIG');
        const [changed, deleted] = [freshKey(), freshKey()];
        await bucket.put(changed, bytes('1'));
        await bucket.put(deleted, bytes('1'));
        const latest = new Map<string, string | undefined>();
        let current = 0;
        cleanups.push(
          other.bucket('CONFIG').watch({
            onEntry: ({ key, value }) => latest.set(key, text(value)),
            onCurrent: () => (current += 1),
          }),
        );
        await eventually(() => expect(current).toBe(1));
        await harness.down();
        await harness.up();
        await bucket.put(changed, bytes('2'));
        await bucket.delete(deleted);
        await eventually(() => {
          expect(latest.get(changed)).toBe('2');
          expect(latest.get(deleted)).toBeUndefined();
        });
        expect(current).toBe(1);
      });

      test('a work queue continues', async () => {
        const name = `w${(count += 1)}`;
        const items: WorkItem[] = [];
        cleanups.push(
          other.work('DELIVERIES', {
            durable: `worker-${name}`,
            subjects: [`deliveries.due.${name}`],
            ackWaitMs: 30_000,
            maxInFlight: 10,
            onItem: (item) => items.push(item),
          }),
        );
        await harness.down();
        await harness.up();
        await append(`deliveries.due.${name}`, 'x');
        await eventually(() => expect(items.map(({ record }) => text(record.data))).toContain('x'));
        await eventually(async () => expect(await items.at(-1)?.ack()).toBe(true));
      });

      test('subscribers get plain messages again', async () => {
        const subject = `queries.${(count += 1)}`;
        const heard: string[] = [];
        cleanups.push(other.subscribe(subject, (data) => heard.push(text(data) ?? '')));
        await harness.down();
        await harness.up();
        await eventually(() => {
          log.publish(subject, bytes('x'));
          expect(heard).toContain('x');
        });
      });
    });

    describe('close', () => {
      test('can be called twice; afterwards writes are unknown and reads fail', async () => {
        const client = await harness.open();
        await client.append(freshSubject(), bytes('x'));
        await client.close();
        await client.close();
        expect(client.connected).toBe(false);
        expect(await client.append(freshSubject(), bytes('x'))).toMatchObject({ kind: 'unknown' });
        await expect(client.info('FACTS')).rejects.toThrow(/closed/);
      });
    });
  });
}
