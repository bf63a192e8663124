import { BenchError } from '../bench-error.ts';
import type { Service } from './service.ts';

const TIMEOUT_MS = 10_000;

/**
 * Reads the service's metrics.
 * @returns the sum of a metric's samples over its labels, or over those samples that carry one label; 0 when it has none
 */
export async function readMetrics({ baseUrl }: Service): Promise<(name: string, label?: string) => number> {
  const response = await fetch(`${baseUrl}/metrics`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new BenchError(`${baseUrl}/metrics was answered ${response.status}`);
  const text = await response.text();
  return (name, label) => metricSum(text, name, label);
}

/** Adds up what a metric's samples say in Prometheus' text format. @param label such as `outcome="delivered"` */
export function metricSum(text: string, name: string, label = ''): number {
  const sample = new RegExp(`^${name}(?:\\{([^}]*)\\})? (\\S+)`, 'gm');
  return [...text.matchAll(sample)].reduce(
    (sum, [, labels = '', value]) => (labels.includes(label) ? sum + Number(value) : sum),
    0,
  );
}
