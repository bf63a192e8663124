import { describe, expect, test } from 'vitest';
import { LOG_LIMITS } from '../../../streams/log/limits.ts';
import { OWNER_LIMITS } from '../../../actors/runtime/limits.ts';
import type { AppendOutcome } from '../../../streams/log/log.ts';
import { FACTS_BYTES, MIB, bytes, eventually, sequenceOf, text, type LogSuite } from './log-suite.ts';

/** Appending, and what a client reads of a stream without following it. */
export function appendContract(suite: LogSuite): void {
  const { append, collect, freshKey, freshSubject } = suite;

  describe('append', () => {
    test('acknowledges with growing sequences', async () => {
      const subject = freshSubject();
      const first = await append(subject, 'a');
      expect(await append(subject, 'b')).toBeGreaterThan(first);
    });

    test('with a fence stores only after exactly that record of the subject', async () => {
      const subject = freshSubject();
      const first = sequenceOf(await suite.log.append(subject, bytes('a'), { expectedLastSequence: 0 }));
      expect(await suite.log.append(subject, bytes('b'), { expectedLastSequence: 0 })).toEqual({ kind: 'fenced' });
      expect(await suite.log.append(subject, bytes('b'), { expectedLastSequence: first + 1 })).toEqual({
        kind: 'fenced',
      });
      await append(freshSubject(), 'another subject does not matter');
      const second = sequenceOf(await suite.log.append(subject, bytes('b'), { expectedLastSequence: first }));
      expect((await suite.log.last('FACTS', subject))?.sequence).toBe(second);
    });

    test('lets one of two writers with the same fence through', async () => {
      const subject = freshSubject();
      const fence = await append(subject, 'start');
      const outcomes = await Promise.all(
        [suite.log, suite.other].map((client) => client.append(subject, bytes('x'), { expectedLastSequence: fence })),
      );
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['acked', 'fenced']);
    });

    test('answers a repeated message id with the first sequence and stores nothing', async () => {
      const subject = freshSubject();
      const messageId = `id-${subject}`;
      const first = await suite.log.append(subject, bytes('a'), { messageId });
      const again = await suite.other.append(subject, bytes('a'), { messageId });
      expect(first).toMatchObject({ kind: 'acked', duplicate: false });
      expect(again).toEqual({ kind: 'acked', sequence: sequenceOf(first), duplicate: true });
    });

    test('checks the fence before the message id', async () => {
      const subject = freshSubject();
      const options = { messageId: `id-${subject}`, expectedLastSequence: 0 };
      expect(await suite.log.append(subject, bytes('a'), options)).toMatchObject({ kind: 'acked' });
      expect(await suite.log.append(subject, bytes('a'), options)).toEqual({ kind: 'fenced' });
    });

    test('refuses a record that is too large', async () => {
      const data = new Uint8Array(LOG_LIMITS.brokerPayloadBytes + 1);
      const outcome = await suite.log.append(freshSubject(), data);
      expect(outcome).toMatchObject({ kind: 'refused', reason: 'too_large' });
    });

    test('accepts a record of the largest commit', async () => {
      const subject = freshSubject();
      const data = new Uint8Array(OWNER_LIMITS.commitBytes).fill(7);
      await suite.log.append(subject, data);
      const last = await suite.log.last('FACTS', subject);
      expect(Buffer.compare(last?.data ?? new Uint8Array(), data)).toBe(0);
    });

    test('refuses when the stream is full, still checks the fence, and accepts again after a purge', async () => {
      const subject = freshSubject();
      const outcomes: AppendOutcome[] = [];
      for (let i = 0; i <= FACTS_BYTES / MIB && outcomes.at(-1)?.kind !== 'refused'; i++) {
        outcomes.push(await suite.log.append(subject, new Uint8Array(MIB)));
      }
      expect(outcomes.at(-1)).toMatchObject({ kind: 'refused', reason: 'full' });
      const large = new Uint8Array(MIB);
      expect(await suite.log.append(subject, large, { expectedLastSequence: 1 })).toEqual({ kind: 'fenced' });
      const { lastSequence } = await suite.log.info('FACTS');
      await suite.log.purgeBelow('FACTS', lastSequence + 1);
      expect(await suite.log.append(subject, large)).toMatchObject({ kind: 'acked' });
    });
  });

  describe('last, next and info', () => {
    test('give the records of one subject and the bounds of the stream', async () => {
      const subject = freshSubject();
      expect(await suite.log.last('FACTS', subject)).toBeUndefined();
      expect(await suite.log.next('FACTS', subject, 1)).toBeUndefined();
      const first = await append(subject, 'a');
      const elsewhere = await append(freshSubject(), 'x');
      const second = await append(subject, 'b');

      const next = await suite.log.next('FACTS', subject, first + 1);
      expect(next).toMatchObject({ subject, sequence: second });
      expect(text(next?.data)).toBe('b');
      expect((await suite.log.next('FACTS', subject, first))?.sequence).toBe(first);
      expect(await suite.log.next('FACTS', subject, second + 1)).toBeUndefined();
      expect((await suite.log.last('FACTS', subject))?.sequence).toBe(second);

      const bounds = await suite.log.info('FACTS');
      expect(bounds.lastSequence).toBe(second);
      expect(bounds.maxBytes).toBe(FACTS_BYTES);
      expect(bounds.firstSequence).toBeLessThanOrEqual(elsewhere);
      expect(bounds.sizeBytes).toBeGreaterThan(0);
      expect(bounds.records).toBe(second + 1 - bounds.firstSequence);
      expect(bounds.created).toBe((await suite.other.info('FACTS')).created);
    });

    test('find the next record of any subject that matches', async () => {
      const first = await append(freshSubject(), 'a');
      const second = await append(freshSubject(), 'b');
      expect((await suite.log.next('FACTS', 'facts.*', first))?.sequence).toBe(first);
      expect((await suite.log.next('FACTS', 'facts.*', first + 1))?.sequence).toBe(second);
      expect(await suite.log.next('FACTS', 'facts.*', second + 1)).toBeUndefined();
      expect(await suite.log.next('FACTS', 'facts.none.*', 1)).toBeUndefined();
    });

    test('count the subjects that hold records', async () => {
      const webhook = freshKey().replaceAll('.', '_');
      const count = () => suite.log.countSubjects('DELIVERIES', `deliveries.at.${webhook}.*.*`);
      expect(await count()).toBe(0);
      const atMs = Date.now() + 600_000;
      const schedule = { atMs, target: `deliveries.due.${webhook}` };
      for (const subject of ['one.1', 'one.2', 'two.1', 'two.1']) {
        await suite.log.append(`deliveries.at.${webhook}.${subject}`, bytes('x'), { schedule });
      }
      await suite.log.append(`deliveries.at.${webhook}-not.one.1`, bytes('x'), { schedule });
      expect(await count()).toBe(3);
      expect(await suite.log.countSubjects('DELIVERIES', `deliveries.at.${webhook}.one.1`)).toBe(1);
    });

    test('count the records of each subject', async () => {
      const name = freshKey().replaceAll('.', '_');
      for (const subject of ['a', 'b', 'b']) await suite.log.append(`deliveries.due.${name}-${subject}`, bytes('x'));
      const counts = await suite.log.countBySubject('DELIVERIES', 'deliveries.due.*');
      const own = [...counts].filter(([subject]) => subject.includes(name)).toSorted(([a], [b]) => a.localeCompare(b));
      expect(own).toEqual([
        [`deliveries.due.${name}-a`, 1],
        [`deliveries.due.${name}-b`, 2],
      ]);
      expect((await suite.log.countBySubject('DELIVERIES', `deliveries.due.${name}`)).size).toBe(0);
    });

    test('an emptied stream has its first record after its last, and its subjects are free again', async () => {
      const subject = freshSubject();
      const last = await append(subject, 'a');
      await suite.log.purgeBelow('FACTS', last + 1);
      expect(await suite.log.info('FACTS')).toMatchObject({ firstSequence: last + 1, lastSequence: last });
      expect(await suite.log.append(subject, bytes('b'), { expectedLastSequence: 0 })).toMatchObject({ kind: 'acked' });
    });

    test('give the same time of storage in every way of reading a record', async () => {
      const subject = freshSubject();
      const sequence = await append(subject, 'a');
      const { records } = collect('FACTS', { from: sequence });
      await eventually(() => expect(records).toHaveLength(1));
      const storedAtMs = records[0]?.storedAtMs ?? 0;
      expect(Math.abs(Date.now() - storedAtMs)).toBeLessThan(60_000);
      expect((await suite.log.last('FACTS', subject))?.storedAtMs).toBe(storedAtMs);
      expect((await suite.log.next('FACTS', subject, sequence))?.storedAtMs).toBe(storedAtMs);
    });
  });
}
