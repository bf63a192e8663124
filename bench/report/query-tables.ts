import { latencyAt, type Latency } from '../measure/latency.ts';
import type { QueriesFigures } from '../queries/queries.ts';
import { section } from './sections.ts';
import { figure, table, type Row } from './table.ts';

/** Queries of events beside the references. */
export function queryTables({ table: filled, references, kinds }: QueriesFigures): string {
  const mib = (bytes: number) => `${figure(bytes / 2 ** 20)} MiB`;
  return [
    section(
      'The table',
      table(
        ['rows', 'parts', 'on disk', 'of it properties', 'of it projections', 'filled', 'then merged'],
        [
          [
            figure(filled.rows),
            figure(filled.parts),
            mib(filled.sizeBytes),
            mib(filled.propertiesBytes),
            mib(filled.projectionBytes),
            `${figure(filled.fillSeconds)} s`,
            `${figure(filled.settleSeconds)} s`,
          ],
        ],
      ),
    ),
    section(
      'One query at a time, ms (the kinds in turn; rows read and events: means of a page)',
      table(
        ['', 'p50', 'p95', 'p99', 'max', 'rows read', 'events'],
        [
          ...references.map(({ name, latency }) => latencyRow(name, latency)),
          ...kinds.map((kind) => [...latencyRow(kind.name, kind.latency), figure(kind.rowsRead), figure(kind.events)]),
        ],
      ),
    ),
  ].join('\n');
}

function latencyRow(name: string, of: Latency): Row {
  return [name, ...[0.5, 0.95, 0.99].map((share) => figure(latencyAt(of, share))), figure(of.maxMs)];
}
