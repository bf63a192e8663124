import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  EXPERIMENT_METRIC_NAMES,
  experimentMetric,
  VIEW_METRICS,
} from '../../core/vocabulary/metrics/experiment-metrics.ts';

const page = readFileSync('docs/results.md', 'utf8');
const section = page.slice(page.indexOf('## Metric'), page.indexOf('| parameter'));

const keys = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

it('docs/results.md has the table of the declared metrics', () => {
  const rows = section
    .split('\n')
    .filter((line) => EXPERIMENT_METRIC_NAMES.some((name) => line.startsWith(`| \`${name}\``)))
    .map((line) =>
      line
        .slice(2, -2)
        .split(' | ')
        .map((cell) => cell.trim()),
    );
  const declared = EXPERIMENT_METRIC_NAMES.map((name) => {
    const { words, unit, needs, takes, options } = experimentMetric(name);
    return [`\`${name}\``, words, `\`${unit}\``, keys(needs), keys([...takes, ...options])];
  });
  expect(rows).toEqual(declared);
});

it('docs/analytics.md names the metrics of the view, and no other', () => {
  const analytics = readFileSync('docs/analytics.md', 'utf8');
  const row =
    /^\| `metrics` .*$/m.exec(analytics.slice(analytics.indexOf('`experiment_readout` is a view')))?.[0] ?? '';
  expect([...row.matchAll(/`([a-z_]+)(?::[A-Z:]+)?`/g)].slice(1).map(([, kind]) => kind)).toEqual(VIEW_METRICS);
});
