import { BenchError } from '../bench.ts';
import type { Service } from '../service/service.ts';

const TIMEOUT_MS = 10_000;

async function readText({ baseUrl }: Service): Promise<string> {
  const response = await fetch(`${baseUrl}/metrics`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new BenchError(`${baseUrl}/metrics was answered ${response.status}`);
  return response.text();
}

/**
 * Reads the service's metrics.
 * @returns the sum of a metric's samples over its labels, or over the samples with one label; 0 when there is none
 */
export async function readMetrics(service: Service): Promise<(name: string, label?: string) => number> {
  const text = await readText(service);
  return (name, label) => metricSum(text, name, label);
}

/** Adds up a metric's samples in Prometheus' text format. @param label such as `outcome="delivered"` */
export function metricSum(text: string, name: string, label = ''): number {
  const sample = new RegExp(`^${name}(?:\\{([^}]*)\\})? (\\S+)`, 'gm');
  return [...text.matchAll(sample)].reduce(
    (sum, [, labels = '', value]) => (labels.includes(label) ? sum + Number(value) : sum),
    0,
  );
}

/** Answers by status so far. */
export type StatusCounts = Readonly<Record<string, number>>;

/** The answers of the events' routes; undefined when the service does not serve metrics at this address. */
export async function readStatusCounts(service: Service): Promise<StatusCounts | undefined> {
  try {
    return statusCountsOf(await readText(service));
  } catch {
    return undefined;
  }
}

/** Sums `http_requests_total` of the events' routes by its label `status`. */
export function statusCountsOf(metrics: string): StatusCounts {
  const counts: Record<string, number> = {};
  for (const match of metrics.matchAll(/^http_requests_total\{([^}]*)\} (\d+)/gm)) {
    const labels = match[1] ?? '';
    const status = /status="([^"]*)"/.exec(labels)?.[1];
    if (status === undefined || !labels.includes('route="/v1/events/events')) continue;
    counts[status] = (counts[status] ?? 0) + Number(match[2]);
  }
  return counts;
}

/** What was added between two readings; statuses that were not answered are left out. */
export function addedBetween(before: StatusCounts, after: StatusCounts): Record<string, number> {
  const added = Object.entries(after).map(([status, count]) => [status, count - (before[status] ?? 0)] as const);
  return Object.fromEntries(added.filter(([, count]) => count > 0));
}
