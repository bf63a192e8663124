import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { DASHBOARDS } from '../../../deploy/grafana/source/dashboards.ts';
import { GAMES, type Dashboard, type Panel } from '../../../deploy/grafana/source/dashboard.ts';
import { codeIn, rowsUnder } from '../documentation.ts';
import { selectorsOf } from './promql.ts';

/* What `deploy/grafana` and `deploy/prometheus` hold, for the tests. */

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
export const PROMETHEUS_FOLDER = join(ROOT, 'deploy/prometheus');

export interface Alert {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}

export function alertsOf(): Alert[] {
  const file: { groups: { rules: Alert[] }[] } = parse(readFileSync(join(PROMETHEUS_FOLDER, 'alerts.yml'), 'utf8'));
  return file.groups.flatMap(({ rules }) => rules);
}

export function panelsOf({ rows }: Dashboard): Panel[] {
  return rows.flatMap(({ panels }) => panels);
}

/** Every expression of PromQL, with the place that names it and the labels of its legend. */
export function expressions(): { place: string; expr: string; legend: readonly string[] }[] {
  const ofPanels = DASHBOARDS.filter(({ source }) => source !== 'tables').flatMap((dashboard) =>
    panelsOf(dashboard).flatMap(({ title, queries }) =>
      queries.map(({ expr, legend = '' }) => ({
        place: `${dashboard.uid}: ${title}`,
        expr,
        legend: [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name),
      })),
    ),
  );
  const ofAlerts = alertsOf().map(({ alert, expr, annotations }) => ({
    place: alert,
    expr,
    legend: [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, name = '']) => name),
  }));
  return [...ofPanels, ...ofAlerts];
}

/** The metrics that the exporters of NATS and ClickHouse show, as docs/monitoring.md lists them, with their labels. */
export function exporterMetrics(): ReadonlyMap<string, readonly string[]> {
  const rows = ['NATS', 'ClickHouse'].flatMap((heading) => rowsUnder('docs/monitoring.md', heading));
  return new Map(rows.map(([name, labels]) => [codeIn(name)[0] ?? '', codeIn(labels)]));
}

/** Metrics of the service that panels and alerts read: not those of exporters, of Prometheus itself, or of Node. */
export function serviceMetricsInUse(): string[] {
  const exporters = exporterMetrics();
  const all = expressions().flatMap(({ expr }) => selectorsOf(expr).map(({ metric }) => metric));
  return [...new Set(all)].filter((name) => name !== 'up' && !exporters.has(name)).toSorted();
}

/** A panel's SQL as ClickHouse gets it of Grafana's plugin. */
function withoutMacros(sql: string): string {
  return sql
    .replaceAll('${game:sqlstring}', "'demo'")
    .replaceAll(/\$__dateFilter\((\w+)\)/g, "$1 >= toDate('2026-01-01') AND $1 <= toDate('2100-01-01')")
    .replaceAll(/\$__timeFilter\((\w+)\)/g, '$1 >= toDateTime(1767225600) AND $1 <= toDateTime(4102444800)');
}

/** The SQL of every panel of tables, and of the variable `game`, without macros. */
export function panelStatements(): { place: string; sql: string }[] {
  return DASHBOARDS.filter(({ source }) => source === 'tables').flatMap((dashboard) => [
    { place: `${dashboard.uid}: Variable game`, sql: GAMES },
    ...panelsOf(dashboard).flatMap(({ title, queries }) =>
      queries.map(({ expr }) => ({ place: `${dashboard.uid}: ${title}`, sql: withoutMacros(expr) })),
    ),
  ]);
}
