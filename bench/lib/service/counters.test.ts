import { writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { brokerTraffic, countedBetween, delayMs, processCounters, streamAppends, threadCounters } from './counters.ts';

test('the difference of two readings is what a load added, also of what was new in it', () => {
  expect(countedBetween({ a: 5, b: 1 }, { a: 7, b: 1, c: 4 })).toEqual({ a: 2, b: 0, c: 4 });
});

test("messages and appends are read from nats-server's monitoring", () => {
  const varz = '{"in_msgs":12,"out_msgs":34,"in_bytes":560,"out_bytes":780,"connections":3}';
  expect(brokerTraffic(varz)).toEqual({ 'messages in': 12, 'messages out': 34, 'bytes in': 560, 'bytes out': 780 });
  const streams = [
    { name: 'FACTS', config: { storage: 'file' }, state: { messages: 3, last_seq: 41 } },
    { name: 'RECORDS', config: { storage: 'file' }, state: { messages: 0, last_seq: 9 } },
    { name: 'REQUESTS', config: { storage: 'memory' }, state: { messages: 0, last_seq: 97 } },
  ];
  const jsz = JSON.stringify({ account_details: [{ name: '$G', stream_detail: streams }] });
  expect(streamAppends(jsz)).toEqual({
    'appends FACTS': 41,
    'appends RECORDS': 9,
    'appends REQUESTS': 97,
    // Streams in memory have none.
    fsyncs: 50,
  });
  expect(streamAppends('{}')).toEqual({ fsyncs: 0 });
});

test("allocations are those of both threads of the service's metrics", () => {
  const metrics = [
    'main_thread_cpu_seconds 2.5',
    'sinks_thread_cpu_seconds 0.5',
    'heap_allocated_bytes_total 1000',
    'sinks_heap_allocated_bytes_total 200',
  ].join('\n');
  expect(threadCounters(metrics)).toEqual({
    'CPU seconds of the main thread': 2.5,
    'CPU seconds of the sinks': 0.5,
    'allocated bytes': 1_200,
  });
});

test("the main thread's delay is the bound of the bucket that holds the share, of the load's samples alone", () => {
  const metrics = (counts: readonly number[]): string =>
    ['0.001', '0.005', '0.1', '+Inf']
      .map((bound, index) => `event_loop_delay_seconds_bucket{le="${bound}"} ${counts[index] ?? 0}`)
      .join('\n');
  // Before the load all were late by more than 100 ms; during it 98 of 100 were within 1 ms, and one within 100 ms.
  const [before, after] = [metrics([0, 0, 0, 50]), metrics([98, 98, 99, 150])].map(threadCounters);
  const counted = countedBetween(before ?? {}, after ?? {});
  expect([0.5, 0.99, 1].map((share) => delayMs(counted, share))).toEqual([1, 100, Infinity]);
  expect(delayMs({}, 0.99)).toBeNaN();
});

test('writes and context switches of a process are counted', async () => {
  const before = processCounters('own', process.pid);
  const added = (name: string): number => countedBetween(before, processCounters('own', process.pid))[name] ?? 0;
  for (let turn = 0; turn < 50; turn++) writeFileSync(devNull, 'x');
  expect(added('writes own')).toBeGreaterThanOrEqual(50);
  // A process that waits for a timer gives its processor up, unless the timer is due by then.
  while (added('switches own') < 5) await sleep(5);
});
