import { describe, expect, test } from 'vitest';
import type { Log, WorkItem } from '../../../streams/log/log.ts';
import { bytes, eventually, text, type LogSuite } from './log-suite.ts';

/** Work queues, and messages that are not stored. */
export function workContract(suite: LogSuite): void {
  const { append, cleanups } = suite;

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
      const name = `w${suite.next()}`;
      const workers = [work(name, suite.log), work(name, suite.other)];
      for (let i = 0; i < 30; i++) await append(`deliveries.due.${name}`, String(i));
      const items = () => workers.flatMap((worker) => worker.items);
      await eventually(() => expect(items()).toHaveLength(30));
      expect(new Set(items().map(({ record }) => record.sequence)).size).toBe(30);
      expect(items().every(({ handedOut }) => handedOut === 1)).toBe(true);
      for (const item of items()) expect(await item.ack()).toBe(true);
      expect(await suite.log.last('DELIVERIES', `deliveries.due.${name}`)).toBeUndefined();
    });

    test('hands out an unacknowledged record again after `ackWaitMs`, with its count', async () => {
      const name = `w${suite.next()}`;
      const { items } = work(name, suite.log, { ackWaitMs: 200 });
      await append(`deliveries.due.${name}`, 'x');
      await eventually(() => expect(items.map(({ handedOut }) => handedOut)).toEqual([1, 2]));
      expect(await items[1]?.ack()).toBe(true);
    });

    test('hands out a record again after the requested delay', async () => {
      const name = `w${suite.next()}`;
      const { items } = work(name, suite.log);
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
      const name = `w${suite.next()}`;
      const { items } = work(name, suite.log, { maxInFlight: 3 });
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
      const name = `w${suite.next()}`;
      const left = work(name, suite.log);
      left.stop();
      const stays = work(name, suite.other);
      await append(`deliveries.due.${name}`, 'x');
      await eventually(() => expect(stays.texts()).toEqual(['x']));
      expect(left.items).toEqual([]);
      await stays.items[0]?.ack();
    });

    test('a scheduled record is handed out at its time, not before', async () => {
      const name = `w${suite.next()}`;
      const target = `deliveries.due.${name}`;
      const { items, texts } = work(name, suite.log);
      const atMs = Date.now() + 1_000;
      const schedule = { atMs, target };
      const at = (id: string) => `deliveries.at.${name}.${id}.1`;
      await suite.log.append(at('later'), bytes('replaced'), {
        schedule: { atMs: atMs - 800, target: `${target}-gone` },
      });
      expect(await suite.log.append(at('later'), bytes('later'), { schedule })).toMatchObject({ kind: 'acked' });
      await suite.log.append(at('past'), bytes('past'), { schedule: { atMs: atMs - 60_000, target } });
      await eventually(() => expect(texts()).toEqual(['past']));
      await eventually(() => expect(texts()).toEqual(['past', 'later']));
      expect(Date.now()).toBeGreaterThanOrEqual(atMs);
      expect(items[1]?.record.subject).toBe(target);
      for (const item of items) await item.ack();
      expect(await suite.log.last('DELIVERIES', at('later'))).toBeUndefined();
      expect(await suite.log.last('DELIVERIES', `${target}-gone`)).toBeUndefined();
    });
  });

  describe('plain messages', () => {
    test('reach every subscriber, and one of each group', async () => {
      const subject = `queries.${suite.next()}`;
      const heard = { alone: [] as string[], a: [] as string[], b: [] as string[] };
      const listen = (client: Log, into: string[], group?: string) =>
        cleanups.push(client.subscribe(subject, (data, from) => into.push(`${from} ${text(data)}`), group));
      listen(suite.log, heard.alone);
      listen(suite.log, heard.a, 'group');
      listen(suite.other, heard.b, 'group');
      // A subscription is known to the broker once something sent after it came back.
      await eventually(() => {
        suite.other.publish(subject, bytes('ready'));
        expect(heard.alone.length).toBeGreaterThan(0);
        expect(heard.a.length + heard.b.length).toBeGreaterThan(0);
      });
      // What was sent while the subscriptions were made may have reached one of them and not another.
      const numbered = (messages: readonly string[]) => messages.filter((message) => !message.endsWith('ready'));
      const sent = Array.from({ length: 20 }, (_, i) => `${subject} ${i}`);
      for (let i = 0; i < 20; i++) suite.other.publish(subject, bytes(String(i)));
      await eventually(() => expect(numbered(heard.alone)).toEqual(sent));
      const inGroup = () => numbered([...heard.a, ...heard.b]).toSorted();
      await eventually(() => expect(inGroup()).toEqual(sent.toSorted()));
    });

    test('do not reach a stopped subscriber', async () => {
      const subject = `queries.${suite.next()}`;
      const heard: string[] = [];
      const stop = suite.log.subscribe(subject, () => heard.push('stopped'));
      stop();
      cleanups.push(suite.log.subscribe(subject, () => heard.push('listening')));
      await eventually(() => {
        suite.other.publish(subject, bytes('x'));
        expect(heard).toContain('listening');
      });
      expect(heard).not.toContain('stopped');
    });
  });
}
