import { expect, test } from 'vitest';
import { addedBetween, statusCountsOf } from './status-counts.ts';

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

test('only what was added is told', () => {
  expect(addedBetween({ '200': 5, '503': 1 }, { '200': 9, '429': 2, '503': 1 })).toEqual({ '200': 4, '429': 2 });
});
