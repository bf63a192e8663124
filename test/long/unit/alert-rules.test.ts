import { execFileSync, spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { alertsOf, PROMETHEUS_FOLDER } from '../../support/browser/monitoring-files.ts';

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

/* The expressions of alerts, run over made series. The rest of `test/unit/monitoring.test.ts` needs no Prometheus. */
test.skipIf(!hasPromtool)(
  'alerts pass the checks and tests of promtool (skipped where it is not installed)',
  () => {
    const promtool = (...line: string[]): string =>
      execFileSync('promtool', line, { cwd: PROMETHEUS_FOLDER, encoding: 'utf8' });
    expect(promtool('check', 'rules', 'alerts.yml')).toContain(`${alertsOf().length} rules found`);
    expect(promtool('check', 'config', 'prometheus.yml')).toContain('SUCCESS');
    expect(promtool('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS');
  },
  240_000,
);
