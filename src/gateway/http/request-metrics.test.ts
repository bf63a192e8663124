import { Counter, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { RequestCounter, RequestDurations } from './request-metrics.ts';

const BUCKETS = [0.001, 0.01, 0.1];
const DURATIONS = [0.0005, 0.001, 0.002, 0.05, 0.1, 3];

test('the text is that of prom-client’s own counter and histogram', async () => {
  const theirs = new Registry();
  const ours = new Registry();
  const counter = { name: 'requests_total', help: 'Requests.', labelNames: ['route', 'status'] as const };
  const histogram = { name: 'seconds', help: 'Durations.', labelNames: ['route'] as const, buckets: BUCKETS };

  const theirCounter = new Counter({ ...counter, registers: [theirs] });
  const theirHistogram = new Histogram({ ...histogram, registers: [theirs] });
  const ourCounter = new RequestCounter({ ...counter, registers: [ours] });
  const ourHistogram = new RequestDurations({ ...histogram, registers: [ours] });
  expect(await ours.metrics()).toBe(await theirs.metrics());

  for (const [route, status, times] of [
    ['/a', '200', 3],
    ['/a', '404', 1],
    ['/b', '200', 2],
  ] as const) {
    const count = ourCounter.child(route, status);
    for (let time = 0; time < times; time++) {
      theirCounter.labels(route, status).inc();
      count();
    }
  }
  for (const route of ['/a', '/b']) {
    const observe = ourHistogram.child(route);
    for (const seconds of DURATIONS) {
      theirHistogram.labels(route).observe(seconds);
      observe(seconds);
    }
  }
  expect(await ours.metrics()).toBe(await theirs.metrics());
});
