import { expect, test } from 'vitest';
import { addedBetween, metricSum, statusCountsOf } from './metrics.ts';

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

test('answers are counted by status over the routes that take events', () => {
  const metrics = [
    '# HELP http_requests_total HTTP requests answered, by route and status.',
    'http_requests_total{route="/v1/events/events",status="200"} 40',
    'http_requests_total{route="/v1/events/events/batch",status="200"} 2',
    'http_requests_total{route="/v1/events/events",status="503"} 1',
    'http_requests_total{route="/v1/players/players",status="201"} 9',
    'http_request_duration_seconds_count{route="/v1/events/events"} 41',
  ].join('\n');
  expect(statusCountsOf(metrics)).toEqual({ '200': 42, '503': 1 });
});

test('the report contains only what was added', () => {
  expect(addedBetween({ '200': 5, '503': 1 }, { '200': 9, '429': 2, '503': 1 })).toEqual({ '200': 4, '429': 2 });
});
