import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderDashboard } from '../../deploy/grafana/source/dashboard.ts';
import { DASHBOARDS } from '../../deploy/grafana/source/dashboards.ts';
import { systemClock } from '../../core/kernel/clock.ts';
import { createMetrics } from '../../src/parts/metrics.ts';
import { linkFault, rowsUnder, codeIn, sectionsOf } from '../support/documentation.ts';
import {
  alertsOf,
  expressions,
  exporterMetrics,
  panelsOf,
  PROMETHEUS_FOLDER,
} from '../support/browser/monitoring-files.ts';
import { selectorsOf } from '../support/browser/promql.ts';

/* Holds dashboards and alerts to the metrics of the service, to the runbook, and to the form that Grafana reads. */

const FOLDER = fileURLToPath(new URL('../../deploy/grafana/', import.meta.url));
/** Labels that Prometheus gives every series of a target, and the one of several processes of `npm start`. */
const TARGET_LABELS = ['cluster', 'instance', 'job', 'process'];
/** The series of a histogram, with their labels. */
const HISTOGRAM = [
  ['bucket', ['le']],
  ['sum', []],
  ['count', []],
] as const;
const alerts = alertsOf();
const known = await knownMetrics();

/** Every metric with its own labels. */
async function knownMetrics(): Promise<Map<string, readonly string[]>> {
  const metrics = createMetrics();
  metrics.collectProcess(systemClock);
  metrics.collectThread(systemClock);
  const labels = new Map<string, readonly string[]>();
  for (const metric of Object.values(metrics)) {
    if (typeof metric !== 'object' || metric === null || !('labelNames' in metric) || !('name' in metric)) continue;
    if (Array.isArray(metric.labelNames)) labels.set(String(metric.name), metric.labelNames.map(String));
  }
  const found = new Map<string, readonly string[]>([['up', []], ...exporterMetrics()]);
  for (const [, name = '', type] of (await metrics.text()).matchAll(/^# TYPE (\S+) (\S+)/gm)) {
    const own = labels.get(name) ?? [];
    if (type !== 'histogram') found.set(name, own);
    else for (const [suffix, more] of HISTOGRAM) found.set(`${name}_${suffix}`, [...own, ...more]);
  }
  return found;
}

describe('expressions of panels and alerts', () => {
  it('read only metrics that exist', () => {
    const unknown = expressions().flatMap(({ place, expr }) =>
      selectorsOf(expr).flatMap(({ metric }) => (known.has(metric) ? [] : [`${place}: ${metric}`])),
    );
    expect(unknown).toEqual([]);
    expect(expressions().length).toBeGreaterThan(100);
  });

  it('use only labels that their metrics have', () => {
    const faults = expressions().flatMap(({ place, expr, legend }) => {
      const selectors = selectorsOf(expr);
      const own = ({ metric }: { metric: string }): string[] => [...TARGET_LABELS, ...(known.get(metric) ?? [])];
      const used = selectors.flatMap((selector) =>
        [...selector.labels, ...selector.grouping].filter((label) => !own(selector).includes(label)),
      );
      // What an aggregation leaves out, a legend cannot show.
      const kept = selectors.flatMap((selector) => (selector.grouping.length > 0 ? selector.grouping : own(selector)));
      const shown = legend.filter((label) => !kept.includes(label));
      return [...used, ...shown].map((label) => `${place}: ${label}`);
    });
    expect(faults).toEqual([]);
  });

  it('would be refused with a fault in them', () => {
    expect(() => selectorsOf('sum(rate(up[5m])')).toThrow('no PromQL');
    expect(() => selectorsOf('vector(1)')).toThrow('reads nothing');
    expect(selectorsOf('sum by (a) (rate(m{b="1"}[$__rate_interval])) / on (a) n')).toEqual([
      { metric: 'm', labels: ['b'], grouping: ['a'] },
      { metric: 'n', labels: [], grouping: [] },
    ]);
  });
});

describe('the dashboards', () => {
  it('are what `npm run dashboards` writes', () => {
    const files = readdirSync(join(FOLDER, 'dashboards')).toSorted();
    expect(files).toEqual(DASHBOARDS.map(({ uid }) => `${uid}.json`).toSorted());
    for (const dashboard of DASHBOARDS) {
      const written = readFileSync(join(FOLDER, 'dashboards', `${dashboard.uid}.json`), 'utf8');
      expect(written === renderDashboard(dashboard), `${dashboard.uid} is up to date`).toBe(true);
    }
  });

  it.each(DASHBOARDS.map((dashboard) => [dashboard.uid, dashboard] as const))('%s has the agreed form', (uid, one) => {
    // An address of Grafana has at most 40 characters of a uid.
    expect(uid).toMatch(/^pa-[a-z-]{3,37}$/);
    const json: Rendered = JSON.parse(renderDashboard(one));
    const variables = json.templating.list.map(({ name }) => name);
    expect(variables).toEqual(one.source === 'tables' ? ['datasource', 'game'] : ['datasource', 'cluster', 'node']);
    expect(json.panels.at(-1)).toMatchObject({ type: 'text', title: 'No data?' });
    expect(new Set(json.panels.map(({ id }) => id)).size).toBe(json.panels.length);
    for (const { description } of panelsOf(one)) expect(description).toMatch(/\.$/);
    const cells = json.panels.flatMap(({ gridPos: { x, y, w, h } }) => {
      expect(x + w).toBeLessThanOrEqual(24);
      return Array.from({ length: w * h }, (_, place) => `${x + (place % w)},${y + Math.floor(place / w)}`);
    });
    expect(new Set(cells).size, 'panels lie beside each other').toBe(cells.length);
  });

  it('ask the data source that provisioning makes', () => {
    const sources: Provisioned = parse(readFileSync(join(FOLDER, 'provisioning/datasources/sources.yml'), 'utf8'));
    const types = new Set(sources.datasources.map(({ type }) => type));
    const used = DASHBOARDS.flatMap((dashboard) => {
      const json: Rendered = JSON.parse(renderDashboard(dashboard));
      return json.templating.list.filter(({ type }) => type === 'datasource').map(({ query }) => query);
    });
    expect(new Set(used)).toEqual(types);
  });
});

interface Rendered {
  templating: { list: { name: string; type: string; query: unknown }[] };
  panels: { id: number; type: string; title: string; gridPos: { x: number; y: number; w: number; h: number } }[];
}

interface Provisioned {
  datasources: { type: string; uid: string }[];
}

describe('the alerts', () => {
  it('have a severity, a name of their own, and wait unless they are notices', () => {
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
    for (const { alert, labels, for: wait } of alerts) {
      expect(['critical', 'warning', 'info'], alert).toContain(labels.severity);
      if (labels.severity !== 'info') expect(wait, alert).toMatch(/^\d+m$/);
    }
  });

  it('have a runbook entry with its four parts', () => {
    const faults = alerts.map(({ annotations: { runbook_url: link } }) => linkFault('README.md', link));
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
    const sections = sectionsOf('docs/operations.md');
    for (const { alert } of alerts) {
      const parts = [...(sections.get(alert) ?? '').matchAll(/^- \*\*(.+?)\*\*/gm)].map(([, part]) => part);
      expect(parts, alert).toEqual(['Symptom.', 'Meaning.', 'Look at.', 'Do.']);
    }
  });

  it('are the ones that docs/monitoring.md lists, each with its fault', () => {
    const documented = rowsUnder('docs/monitoring.md', 'Alerts').map(([name, severity]) => [codeIn(name)[0], severity]);
    expect(documented).toEqual(alerts.map(({ alert, labels }) => [alert, labels.severity]));
  });

  it('have a test in which they fire, and one in which they stay quiet', () => {
    const file: RuleTests = parse(readFileSync(join(PROMETHEUS_FOLDER, 'alerts.test.yml'), 'utf8'));
    const cases = file.tests.flatMap((one) => one.alert_rule_test);
    for (const { alert } of alerts) {
      const own = cases.filter(({ alertname }) => alertname === alert);
      expect(
        own.some(({ exp_alerts: fired }) => fired.length > 0),
        `${alert} fires`,
      ).toBe(true);
      expect(
        own.some(({ exp_alerts: fired }) => fired.length === 0),
        `${alert} stays quiet`,
      ).toBe(true);
    }
  });
});

interface RuleTests {
  tests: { name: string; alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
}
