import { readFileSync } from 'node:fs';
import { postRequests } from './connections.ts';
import { createHistogram, latencyOf } from '../figures/histogram.ts';
import { BIN_MS, type LoadResult } from './load-result.ts';
import { atRate } from './pace.ts';
import { openScheduler } from './scheduler.ts';
import { createTally } from './tally.ts';
import { times, type Latency } from '../figures/statistics.ts';
import { defineWorker } from '../service/worker.ts';

export interface OpenLoopSpec {
  /** Where each request goes, with its path. */
  url: string;
  key: string;
  bodiesFile: string;
  requestsPerSecond: number;
  seconds: number;
  /** Requests due this early are sent and must be answered, but their latencies are left out. */
  settlingSeconds: number;
  connections: number;
}

export interface OpenLoopResult extends LoadResult {
  /** How late requests went out: the generator's share of the latencies. */
  lateness: Latency;
  /** Answers by status. */
  statuses: Record<string, number>;
}

/** The open-loop generator, in a process of its own: requests are due at a fixed rate, whatever the answers do. */
export const openLoop = defineWorker(import.meta.url, (spec: OpenLoopSpec) => ({ run: () => run(spec) }));

async function run(spec: OpenLoopSpec): Promise<OpenLoopResult> {
  const { requestsPerSecond, seconds } = spec;
  const url = new URL(spec.url);
  const requests = readFileSync(spec.bodiesFile, 'utf8')
    .split('\n')
    .map(postRequests(url, spec.key, url.pathname));
  const bins = times(Math.floor((seconds * 1000) / BIN_MS), () => 0);
  const lateness = createHistogram();
  let tally = createTally(0);
  let startMs = 0;
  let sent = 0;

  const scheduler = await openScheduler<{ dueMs: number; request: Buffer }>(url, spec.connections, {
    requestOf: ({ request }) => request,
    onSent(job) {
      tally.onSent(job);
      sent += 1;
      const bin = Math.floor((performance.now() - startMs) / BIN_MS);
      if (bin < bins.length) bins[bin] = (bins[bin] ?? 0) + 1;
    },
    onAnswered: (job, status) => tally.onAnswered(job, status),
    onFailed: (job, reason) => tally.onFailed(job, reason),
  });

  const startedMs = Date.now();
  startMs = performance.now();
  tally = createTally(startMs + spec.settlingSeconds * 1000, lateness);
  const pace = atRate(Math.round(requestsPerSecond * seconds), requestsPerSecond, (index, dueMs) => {
    const request = requests[index % requests.length];
    if (request !== undefined) scheduler.due({ dueMs: startMs + dueMs, request });
  });
  await scheduler.run(startMs, [pace]);
  scheduler.close();
  return { ...tally.outcomes(), seconds, startedMs, sent, bins, lateness: latencyOf(lateness) };
}
