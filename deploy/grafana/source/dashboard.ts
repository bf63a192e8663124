/*
 * Makes Grafana's JSON of a short description of a dashboard: layout, ids, data sources and variables are the same in
 * all of them. `write.ts` writes the files; Grafana reads only those.
 */

export interface Dashboard {
  /** Part of the address of the dashboard: it never changes. */
  uid: string;
  title: string;
  description: string;
  /** What the data comes from. It decides which variables the dashboard has. */
  source: 'service' | 'nats' | 'clickhouse-server' | 'tables';
  rows: readonly Row[];
  /** Reasons for empty panels beside the general ones, as Markdown list items. */
  noData?: readonly string[];
}

interface Row {
  title: string;
  panels: readonly Panel[];
}

export interface Panel {
  title: string;
  /** What a good value is, and what to do about another one. */
  description: string;
  kind?: 'timeseries' | 'stat' | 'table';
  unit?: string;
  /** Of the 24 columns of a row; all panels of a row share the width by default. */
  width?: number;
  max?: number;
  /** From this value on the figure is red. */
  red?: number;
  stacked?: boolean;
  queries: readonly Query[];
}

export interface Query {
  /** PromQL, or SQL on the dashboards of tables. */
  expr: string;
  legend?: string;
}

const COLUMNS = 24;
const PROMETHEUS = { type: 'prometheus', uid: '${datasource}' };
const CLICKHOUSE = { type: 'grafana-clickhouse-datasource', uid: '${datasource}' };
/** The choices of the variable `game`. */
export const GAMES = "SELECT DISTINCT game_id FROM events WHERE environment = 'live' ORDER BY game_id";
const JOBS = { service: 'player-analytics', nats: 'nats', 'clickhouse-server': 'clickhouse' } as const;

/** A selector of the service's metric on the cluster and nodes that the dashboard shows. */
export function on(metric: string, matchers = ''): string {
  return `${metric}{cluster=~"$cluster",instance=~"$node"${matchers === '' ? '' : `,${matchers}`}}`;
}

/** The rate of a counter over the interval that Grafana chooses, summed by labels. */
export function rate(metric: string, by = '', matchers = ''): string {
  return `sum${by === '' ? '' : ` by (${by})`} (rate(${on(metric, matchers)}[$__rate_interval]))`;
}

/** A quantile of a histogram, over all nodes that are shown, by further labels. */
export function quantile(share: number, histogram: string, by = ''): string {
  return `histogram_quantile(${share}, ${rate(`${histogram}_bucket`, by === '' ? 'le' : `le, ${by}`)})`;
}

/** The JSON of a dashboard, as text. */
export function renderDashboard(dashboard: Dashboard): string {
  const json = {
    uid: dashboard.uid,
    title: dashboard.title,
    description: dashboard.description,
    tags: ['player-analytics'],
    editable: true,
    graphTooltip: 1,
    refresh: dashboard.source === 'tables' ? '' : '30s',
    schemaVersion: 39,
    time: { from: dashboard.source === 'tables' ? 'now-30d' : 'now-6h', to: 'now' },
    timezone: dashboard.source === 'tables' ? 'utc' : 'browser',
    annotations: { list: [] },
    links: [
      {
        type: 'dashboards',
        title: 'Player analytics',
        tags: ['player-analytics'],
        asDropdown: true,
        keepTime: true,
        includeVars: true,
      },
    ],
    templating: { list: variablesOf(dashboard) },
    panels: panelsOf(dashboard),
  };
  return `${JSON.stringify(json, null, 2)}\n`;
}

function variablesOf({ source }: Dashboard): object[] {
  if (source === 'tables') {
    return [
      dataSourceVariable('grafana-clickhouse-datasource'),
      {
        name: 'game',
        label: 'Game',
        type: 'query',
        datasource: CLICKHOUSE,
        query: GAMES,
        refresh: 1,
      },
    ];
  }
  const job = JOBS[source];
  const labels = (name: string, label: string, query: string): object => ({
    name,
    label,
    type: 'query',
    datasource: PROMETHEUS,
    query: { query, refId: name },
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    // A Prometheus that sets no label `cluster` has series without it, which `.*` matches too.
    allValue: '.*',
    current: { selected: true, text: ['All'], value: ['$__all'] },
  });
  return [
    dataSourceVariable('prometheus'),
    labels('cluster', 'Cluster', `label_values(up{job="${job}"}, cluster)`),
    labels('node', 'Node', `label_values(up{job="${job}",cluster=~"$cluster"}, instance)`),
  ];
}

function dataSourceVariable(query: string): object {
  return { name: 'datasource', label: 'Data source', type: 'datasource', query, refresh: 1 };
}

function panelsOf(dashboard: Dashboard): object[] {
  const panels: object[] = [];
  const nextId = (): number => panels.length + 1;
  let y = 0;
  for (const row of dashboard.rows) {
    panels.push({
      id: nextId(),
      type: 'row',
      title: row.title,
      collapsed: false,
      panels: [],
      gridPos: at(0, y, 24, 1),
    });
    y += 1;
    let x = 0;
    let height = 0;
    for (const panel of row.panels) {
      const width = panel.width ?? Math.max(6, Math.floor(COLUMNS / row.panels.length));
      if (x + width > COLUMNS) [x, y, height] = [0, y + height, 0];
      const own = panel.kind === 'stat' ? 4 : 8;
      panels.push(renderPanel(panel, dashboard, nextId(), at(x, y, width, own)));
      x += width;
      height = Math.max(height, own);
    }
    y += height;
  }
  const content = noDataText(dashboard);
  const options = { mode: 'markdown', content };
  panels.push({ id: nextId(), type: 'text', title: 'No data?', gridPos: at(0, y, 24, 6), options });
  return panels;
}

const at = (x: number, y: number, w: number, h: number): object => ({ x, y, w, h });

function renderPanel(panel: Panel, { source }: Dashboard, id: number, gridPos: object): object {
  const { title, description, kind = 'timeseries', unit = 'short', max, red, stacked = false } = panel;
  const datasource = source === 'tables' ? CLICKHOUSE : PROMETHEUS;
  const steps = [{ color: 'green', value: null }, ...(red === undefined ? [] : [{ color: 'red', value: red }])];
  const custom = { fillOpacity: stacked ? 30 : 8, stacking: { mode: stacked ? 'normal' : 'none', group: 'A' } };
  return {
    id,
    type: kind,
    title,
    description,
    datasource,
    gridPos,
    fieldConfig: {
      defaults: {
        unit,
        // A figure that begins above zero makes small changes look large.
        ...(kind === 'timeseries' ? { min: 0, custom } : {}),
        ...(max === undefined ? {} : { max }),
        ...(kind === 'table' ? {} : { thresholds: { mode: 'absolute', steps } }),
      },
      overrides: [],
    },
    options: optionsOf(kind),
    targets: panel.queries.map((query, place) => {
      const target = { refId: String.fromCharCode(65 + place), datasource };
      if (source === 'tables') return { ...target, ...sqlTarget(kind, query.expr) };
      return { ...target, expr: query.expr, legendFormat: query.legend ?? '__auto', range: true };
    }),
  };
}

function sqlTarget(kind: NonNullable<Panel['kind']>, rawSql: string): object {
  const isSeries = kind === 'timeseries';
  return { editorType: 'sql', queryType: isSeries ? 'timeseries' : 'table', format: isSeries ? 0 : 1, rawSql };
}

function optionsOf(kind: NonNullable<Panel['kind']>): object {
  if (kind === 'table') return { showHeader: true };
  if (kind === 'stat') return { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'value', graphMode: 'area' };
  return { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } };
}

const GENERAL = {
  service: [
    'Prometheus must scrape `METRICS_PORT` of every process with the job `player-analytics`: see `up` in Prometheus.',
    '`Cluster` is the label `cluster` of that job, and `Node` its label `instance`. Choose `All` for both.',
    'Some metrics appear with their first value: an error that never happened has none.',
  ],
  nats: [
    'Each nats-server needs a prometheus-nats-exporter beside it, with `-varz -jsz=streams`, scraped as the job `nats`.',
    'The broker of `npm start` has no monitoring port: this page is for clusters.',
  ],
  'clickhouse-server': [
    'A ClickHouse server must serve its metrics (`deploy/prometheus/clickhouse-metrics.xml`), scraped as the job ' +
      '`clickhouse`.',
    'The embedded ClickHouse of `npm start` serves none: this page is for clusters.',
  ],
  tables: [
    'The data source is ClickHouse, plugin `grafana-clickhouse-datasource`, with a user that may only read.',
    'All panels show live data of the game chosen above; the test environment is not here.',
    'Days are UTC days of `received_at`. Rows arrive 1 to 2 seconds after the event.',
  ],
} as const;

function noDataText({ source, noData = [] }: Dashboard): string {
  const items = [...GENERAL[source], ...noData].map((item) => `- ${item}`);
  return [...items, '', '`docs/monitoring.md` explains every metric, and how to install these files.'].join('\n');
}
