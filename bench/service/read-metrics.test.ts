import { expect, test } from 'vitest';
import { metricSum } from './read-metrics.ts';

const METRICS = [
  '# HELP owner_hot_players Players held in memory, by partition.',
  '# TYPE owner_hot_players gauge',
  'owner_hot_players{partition="0"} 40',
  'owner_hot_players{partition="1"} 2.5e3',
  'owner_hot_players_more{partition="1"} 7',
  'sse_readers 3',
].join('\n');

test('a metric is summed over its labels, and one that is not there is 0', () => {
  expect(metricSum(METRICS, 'owner_hot_players')).toBe(2_540);
  expect(metricSum(METRICS, 'sse_readers')).toBe(3);
  expect(metricSum(METRICS, 'sink_lag_records')).toBe(0);
});

test('of a metric with labels the samples of one can be asked for', () => {
  expect(metricSum(METRICS, 'owner_hot_players', 'partition="1"')).toBe(2_500);
  expect(metricSum(METRICS, 'owner_hot_players', 'partition="2"')).toBe(0);
});
