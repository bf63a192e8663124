import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { exporterMetrics } from '../../support/browser/monitoring-files.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

// Asks the engine itself: the embedded ClickHouse shows nobody its system tables.
test('the engine has the metrics of ClickHouse that the dashboard reads', () => {
  const select =
    "SELECT concat('ClickHouseMetrics_', metric) FROM system.metrics UNION ALL " +
    "SELECT concat('ClickHouseProfileEvents_', event) FROM system.events SETTINGS system_events_show_zero_values = 1";
  const script = `process.stdout.write(require('chdb').query(${JSON.stringify(select)}, 'TabSeparated'))`;
  const output = execFileSync(process.execPath, ['-e', script], { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 24 });
  const found = new Set(output.split('\n'));
  const named = [...exporterMetrics().keys()].filter((name) => name.startsWith('ClickHouse'));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !found.has(name))).toEqual([]);
});
