import { describe, expect, test } from 'vitest';
import { LOG_LIMITS } from '../../../streams/log/limits.ts';
import type { WorkItem } from '../../../streams/log/log.ts';
import { bytes, eventually, text, type LogSuite } from './log-suite.ts';

/** The broker goes away and comes back; the client is closed. */
export function outageContract(suite: LogSuite): void {
  const { append, collect, freshKey, freshSubject, stalled, takeAll, cleanups } = suite;

  describe('when the broker goes away and comes back', () => {
    test('`connected` is false, and an append without an answer is unknown', async () => {
      await suite.harness.down();
      await eventually(() => expect(suite.log.connected).toBe(false));
      const outcome = await suite.log.append(freshSubject(), bytes('x'), { timeoutMs: 200 });
      expect(outcome).toMatchObject({ kind: 'unknown' });
      expect(await suite.log.bucket('OWNERS').put(freshKey(), bytes('x'), 0)).toMatchObject({ kind: 'unknown' });
      await suite.harness.up();
      await eventually(() => expect(suite.log.connected).toBe(true));
    });

    test('an append made meanwhile is stored once the broker is back, within its time-out', async () => {
      const subject = freshSubject();
      await suite.harness.down();
      await eventually(() => expect(suite.log.connected).toBe(false));
      const outcome = suite.log.append(subject, bytes('x'), { timeoutMs: 30_000 });
      const last = suite.log.last('FACTS', subject);
      await suite.harness.up();
      expect(await outcome).toMatchObject({ kind: 'acked' });
      await last;
    });

    test('acknowledged records are there and fences still hold', async () => {
      const subject = freshSubject();
      const first = await append(subject, 'a');
      const fence = await append(subject, 'b');
      await suite.harness.down();
      await suite.harness.up();
      expect((await suite.log.last('FACTS', subject))?.sequence).toBe(fence);
      expect(await suite.log.append(subject, bytes('c'), { expectedLastSequence: first })).toEqual({ kind: 'fenced' });
      expect(await suite.log.append(subject, bytes('c'), { expectedLastSequence: fence })).toMatchObject({
        kind: 'acked',
      });
    });

    test('readers of streams in files continue without gap or repeat', async () => {
      const subject = freshSubject();
      const from = await append(subject, '0');
      const followed = collect('FACTS', { from, subjects: [subject] });
      const idle = stalled('FACTS', { from, subjects: [subject] });
      await eventually(() => expect(followed.records).toHaveLength(1));
      await eventually(() => expect(idle.pending).toBe(1));
      for (let round = 0; round < 2; round++) {
        await suite.harness.down();
        await suite.harness.up();
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
      for (let i = 1; i < LOG_LIMITS.readerBufferRecords + 10; i++) await append(subject, String(i));
      const last = await append(subject, 'last');
      await eventually(() => expect(reader.pending).toBeGreaterThanOrEqual(LOG_LIMITS.readerBufferRecords));
      await suite.log.purgeBelow('FACTS', last);
      await suite.harness.down();
      await suite.harness.up();
      await eventually(() => expect(reader.ended).toBe('reset'));
      const texts = reader.take().map(({ data }) => text(data));
      expect(texts).toEqual(Array.from({ length: texts.length }, (_, i) => String(i)));
      expect(texts.length).toBeLessThanOrEqual(LOG_LIMITS.readerBufferRecords);
    });

    test('a memory stream is created anew: its readers end with `reset`, its writers continue', async () => {
      const subject = `requests.${suite.next()}`;
      await append(subject, 'lost');
      const before = await suite.log.info('REQUESTS');
      const { reader, texts } = collect('REQUESTS', { from: before.lastSequence, subjects: [subject] });
      const idle = stalled('REQUESTS', { from: 'new', subjects: [`requests.${suite.next()}`] });
      await idle.started;
      await eventually(() => expect(texts()).toEqual(['lost']));
      await suite.harness.down();
      await suite.harness.up();
      await eventually(() => expect(reader.ended).toBe('reset'));
      await eventually(() => expect(idle.ended).toBe('reset'));
      const after = await suite.log.info('REQUESTS');
      expect(after.created).not.toBe(before.created);
      await eventually(async () => {
        expect(await suite.log.append(subject, bytes('kept'))).toMatchObject({ kind: 'acked' });
      });
      const again = collect('REQUESTS', { from: 1, subjects: [subject] });
      await eventually(() => expect(again.texts()).toContain('kept'));
      expect(again.texts()).not.toContain('lost');
    });

    test('a watch continues and skips nothing', async () => {
      const bucket = suite.log.bucket('CONFIG');
      const [changed, deleted] = [freshKey(), freshKey()];
      await bucket.put(changed, bytes('1'));
      await bucket.put(deleted, bytes('1'));
      const latest = new Map<string, string | undefined>();
      let current = 0;
      cleanups.push(
        suite.other.bucket('CONFIG').watch({
          onEntry: ({ key, value }) => latest.set(key, text(value)),
          onCurrent: () => (current += 1),
        }),
      );
      await eventually(() => expect(current).toBe(1));
      await suite.harness.down();
      await suite.harness.up();
      await bucket.put(changed, bytes('2'));
      await bucket.delete(deleted);
      await eventually(() => {
        expect(latest.get(changed)).toBe('2');
        expect(latest.get(deleted)).toBeUndefined();
      });
      expect(current).toBe(1);
    });

    test('a work queue continues', async () => {
      const name = `w${suite.next()}`;
      const items: WorkItem[] = [];
      cleanups.push(
        suite.other.work('DELIVERIES', {
          durable: `worker-${name}`,
          subjects: [`deliveries.due.${name}`],
          ackWaitMs: 30_000,
          maxInFlight: 10,
          onItem: (item) => items.push(item),
        }),
      );
      await suite.harness.down();
      await suite.harness.up();
      await append(`deliveries.due.${name}`, 'x');
      await eventually(() => expect(items.map(({ record }) => text(record.data))).toContain('x'));
      await eventually(async () => expect(await items.at(-1)?.ack()).toBe(true));
    });

    test('subscribers get plain messages again', async () => {
      const subject = `queries.${suite.next()}`;
      const heard: string[] = [];
      cleanups.push(suite.other.subscribe(subject, (data) => heard.push(text(data) ?? '')));
      await suite.harness.down();
      await suite.harness.up();
      await eventually(() => {
        suite.log.publish(subject, bytes('x'));
        expect(heard).toContain('x');
      });
    });
  });

  describe('close', () => {
    test('can be called twice; afterwards writes are unknown and reads fail', async () => {
      const client = await suite.harness.open();
      await client.append(freshSubject(), bytes('x'));
      await client.close();
      await client.close();
      expect(client.connected).toBe(false);
      expect(await client.append(freshSubject(), bytes('x'))).toMatchObject({ kind: 'unknown' });
      await expect(client.info('FACTS')).rejects.toThrow(/closed/);
    });
  });
}
