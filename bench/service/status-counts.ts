import type { Service } from './service.ts';

/** Answers by status so far, over all routes. */
export type StatusCounts = Readonly<Record<string, number>>;

/** Asks the service's own metrics; undefined when it does not serve them where it serves the rest. */
export async function readStatusCounts(service: Service): Promise<StatusCounts | undefined> {
  try {
    const response = await fetch(`${service.baseUrl}/metrics`, { signal: AbortSignal.timeout(5_000) });
    return response.ok ? statusCountsOf(await response.text()) : undefined;
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

/** What was added between two readings; statuses that did not come are left out. */
export function addedBetween(before: StatusCounts, after: StatusCounts): Record<string, number> {
  const added = Object.entries(after).map(([status, count]) => [status, count - (before[status] ?? 0)] as const);
  return Object.fromEntries(added.filter(([, count]) => count > 0));
}
