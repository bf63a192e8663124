import { describe, expect, test } from 'vitest';
import { LOG_LIMITS } from '../../../streams/log/limits.ts';
import type { LogRecord } from '../../../streams/log/log.ts';
import { MIB, bytes, eventually, sequenceOf, text, type LogSuite } from './log-suite.ts';

/** Readers of a stream. */
export function readContract(suite: LogSuite): void {
  const { append, collect, freshSubject, stalled } = suite;

  describe('read', () => {
    test('delivers stored records and then follows new ones, in order and whole', async () => {
      const subject = freshSubject();
      const first = await append(subject, '0');
      for (let i = 1; i < 20; i++) await append(subject, String(i));
      const { records, texts } = collect('FACTS', { from: first, subjects: [subject] });
      await eventually(() => expect(records).toHaveLength(20));
      await Promise.all(Array.from({ length: 400 }, (_, i) => suite.log.append(subject, bytes(String(20 + i)))));
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
      const total = LOG_LIMITS.readerBufferRecords * 3 + 7;
      const from = await append(subject, '0');
      await Promise.all(Array.from({ length: total - 1 }, (_, i) => suite.log.append(subject, bytes(String(i + 1)))));
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
      expect(most).toBeLessThanOrEqual(LOG_LIMITS.readerBufferRecords);
      expect(records.map(({ data }) => text(data))).toEqual(Array.from({ length: total }, (_, i) => String(i)));
    });

    test('holds a bounded number of bytes', async () => {
      const subject = freshSubject();
      await suite.log.purgeBelow('FACTS', (await suite.log.info('FACTS')).lastSequence + 1);
      const from = sequenceOf(await suite.log.append(subject, new Uint8Array(3 * MIB)));
      for (let i = 1; i < 7; i++) await suite.log.append(subject, new Uint8Array(3 * MIB));
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
      expect(most).toBeLessThanOrEqual(LOG_LIMITS.readerBufferBytes + 3 * MIB);
    });

    test('while it gathers, it delivers every record in order, and the last ones soon', async () => {
      const subject = freshSubject();
      const from = await append(subject, '0');
      const { reader, texts } = collect('FACTS', { from, subjects: [subject], gatherMs: 5 });
      await reader.started;
      const total = LOG_LIMITS.readerBufferRecords * 2 + 7;
      // One after the other, so that most arrive alone; then as many at once as fill the buffer.
      for (let i = 1; i <= 100; i++) await append(subject, String(i));
      await Promise.all(Array.from({ length: total - 101 }, (_, i) => suite.log.append(subject, bytes(`${i + 101}`))));
      const wholeMs = performance.now();
      await eventually(() => expect(texts()).toHaveLength(total));
      expect(performance.now() - wholeMs).toBeLessThan(1_000);
      expect(texts()).toEqual(Array.from({ length: total }, (_, i) => String(i)));
      await append(subject, 'after a pause');
      await eventually(() => expect(texts().at(-1)).toBe('after a pause'));
    });

    test('after a known record continues if the stream holds it, and otherwise ends with `reset`', async () => {
      const subject = freshSubject();
      const from = (await append(subject, 'a')) + 1;
      await append(subject, 'b');
      const after = await suite.log.next('FACTS', subject, from - 1);
      if (after === undefined) throw new Error('the record was stored');
      const same = collect('FACTS', { from, subjects: [subject], after: { ...after, storedAtMs: 0 } });
      const other = collect('FACTS', { from, subjects: [subject], after: { ...after, data: bytes('x') } });
      await eventually(() => expect(same.texts()).toEqual(['b']));
      await eventually(() => expect(other.reader.ended).toBe('reset'));
      expect(other.records).toEqual([]);
      await suite.log.purgeBelow('FACTS', from);
      const trimmed = collect('FACTS', { from, subjects: [subject], after });
      await eventually(() => expect(trimmed.texts()).toEqual(['b']));
    });

    test('ends with `reset` where its first record is no longer held, and where it was never stored', async () => {
      const subject = freshSubject();
      const first = await append(subject, 'a');
      const last = await append(subject, 'b');
      await suite.log.purgeBelow('FACTS', last);
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
      const total = LOG_LIMITS.readerBufferRecords * 2;
      for (let i = 1; i < total; i++) await append(subject, String(i));
      const last = await append(subject, 'last');
      await eventually(() => expect(reader.pending).toBe(total + 1));
      await suite.log.purgeBelow('FACTS', last);
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
      const { lastSequence } = await suite.log.info('FACTS');
      await suite.log.purgeBelow('FACTS', lastSequence + 1);
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
}
