import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { renderDashboard } from './dashboard.ts';
import { DASHBOARDS } from './dashboards.ts';

/* `npm run dashboards` writes every dashboard to `deploy/grafana/dashboards`, where Grafana reads it. */

const FOLDER = new URL('../dashboards/', import.meta.url);

for (const name of readdirSync(FOLDER)) if (name.endsWith('.json')) rmSync(new URL(name, FOLDER));
for (const dashboard of DASHBOARDS) {
  const file = new URL(`${dashboard.uid}.json`, FOLDER);
  writeFileSync(file, renderDashboard(dashboard));
  process.stdout.write(`${fileURLToPath(file)}\n`);
}
