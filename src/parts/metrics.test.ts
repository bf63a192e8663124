import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

/**
 * Every label a metric may have, and what bounds its values. No label names a tenant: no game, player, key, webhook or
 * host.
 */
const LABELS: Readonly<Record<string, string>> = {
  action: 'notify, pause, roll_back',
  route: 'the paths of our routes as patterns, and `unknown`',
  status: 'HTTP statuses that we answer, `aborted`, `streamed`',
  partition: 'at most 256, fixed for the deployment',
  reason: 'words of the code',
  outcome: 'words of the code',
  mode: 'observe, warn, enforce',
  sink: 'words of the code',
  store: 'apple, google',
  holder: 'sinks, and at most 256 partitions',
  table: 'ClickHouse tables of the migrations',
  model: 'current, challenger',
  role: 'current, challenger',
  definition: 'segment, flag, campaign',
  attribution: 'words of the code',
  bucket: "buckets of the operator's model",
  process: 'numbers of the processes of one `npm start`',
  type: 'types of the messages of Segment clients, and `other`',
  check: 'checks behind /readyz, words of the code',
  required: 'true, false',
  version: "versions of the operator's models that are in use",
};

test('every label of a metric has bounded values and names no tenant', () => {
  const metrics = createMetrics();
  const names = new Set<string>();
  for (const metric of Object.values(metrics)) {
    if (typeof metric !== 'object' || metric === null || !('labelNames' in metric)) continue;
    expect(Array.isArray(metric.labelNames)).toBe(true);
    if (Array.isArray(metric.labelNames)) for (const name of metric.labelNames) names.add(String(name));
  }
  expect(names.size).toBeGreaterThan(5);
  expect([...names].filter((name) => !Object.hasOwn(LABELS, name))).toEqual([]);
});
