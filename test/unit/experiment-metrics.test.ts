import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EXPERIMENT_METRIC_NAMES, experimentMetric } from '../../core/vocabulary/metrics/experiment-metrics.ts';

const page = readFileSync('docs/experiments.md', 'utf8');
const section = page.slice(page.indexOf('## Metric'), page.indexOf('| parameter'));

const keys = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

it('docs/experiments.md has the table of the declared metrics', () => {
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
    const { words, needs, takes, options } = experimentMetric(name);
    return [`\`${name}\``, words, keys(needs), keys([...takes, ...options])];
  });
  expect(rows).toEqual(declared);
});
