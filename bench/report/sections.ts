import { latencyAt, type Latency } from '../measure/latency.ts';
import { figure, type Row } from './table.ts';

/** A part of a report under its title; nothing at all when there is nothing to show. */
export function section(title: string, text: string): string {
  return text === '' ? '' : `\n${title}\n${text}\n`;
}

/** p50, p99, p99.9 and the largest, in milliseconds. */
export function latencyRow(name: string, of: Latency): Row {
  return [name, ...[0.5, 0.99, 0.999].map((share) => figure(latencyAt(of, share))), figure(of.maxMs)];
}
