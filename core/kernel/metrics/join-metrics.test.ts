import { expect, test } from 'vitest';
import { joinMetrics } from './join-metrics.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';

test('each metric has one HELP and one TYPE, followed by the samples of all processes', async () => {
  const [first, second] = [createMetrics({ process: '1' }), createMetrics({ process: '2' })];
  first.ownedPartitions.set(3);
  second.ownedPartitions.set(4);
  second.httpRequests.child('/v1/events/events', '200')();
  const joined = joinMetrics([await first.ownText(), await second.ownText()]);
  const lines = joined.split('\n');
  const at = lines.indexOf('# TYPE owner_partitions gauge');
  expect(lines.slice(at - 1, at + 3)).toEqual([
    '# HELP owner_partitions Partitions that this process owns.',
    '# TYPE owner_partitions gauge',
    'owner_partitions{process="1"} 3',
    'owner_partitions{process="2"} 4',
  ]);
  const types = lines.filter((line) => line.startsWith('# TYPE '));
  expect(new Set(types).size).toBe(types.length);
  expect(lines).toContain('http_requests_total{route="/v1/events/events",status="200",process="2"} 1');
  const samples = lines.filter((line) => line !== '' && !line.startsWith('#'));
  expect(new Set(samples.map((line) => line.split(' ')[0])).size).toBe(samples.length);
});

test('the text of one process stays as it is', async () => {
  const metrics = createMetrics();
  metrics.ownedPartitions.set(2);
  const text = await metrics.ownText();
  const linesOf = (some: string) => some.split('\n').filter((line) => line !== '');
  expect(linesOf(joinMetrics([text]))).toEqual(linesOf(text));
});
