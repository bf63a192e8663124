import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openConnections, postRequests } from './connections.ts';
import { createHistogram, latencyOf } from '../figures/histogram.ts';
import { BIN_MS, type LoadResult } from './load-result.ts';
import { increment, sum, type Latency } from '../figures/statistics.ts';
import { defineWorker } from '../service/worker.ts';

export interface OpenLoopSpec {
  /** Where each request goes, with its path. */
  url: string;
  key: string;
  bodiesFile: string;
  requestsPerSecond: number;
  seconds: number;
  /**
   * Requests due this early are sent and must be answered, but their latencies are left out: generator and server
   * compile their code for this load meanwhile.
   */
  settlingSeconds: number;
  connections: number;
}

export interface OpenLoopResult extends LoadResult {
  /** How late requests went out, waiting for an idle connection included: the generator's share of the latencies. */
  lateness: Latency;
  /** Answers by status. */
  statuses: Record<string, number>;
}

/** How long the generators wait for the last answers: longer than the service's deadline and grace. */
export const LAST_ANSWERS_MS = 8_000;
/** How often the generators check what is due; they check after each answer, too. */
export const CHECK_MS = 1;

/** The open-loop generator, in a process of its own. */
export const openLoop = defineWorker(import.meta.url, (spec: OpenLoopSpec) => ({ run: () => run(spec) }));

/**
 * Requests are due at a fixed rate, whatever the answers do. A latency counts from the moment its request was due, not
 * from when it could be sent: a stall of the server is seen by every request that it delays.
 */
async function run(spec: OpenLoopSpec): Promise<OpenLoopResult> {
  const url = new URL(spec.url);
  const requests = readFileSync(spec.bodiesFile, 'utf8')
    .split('\n')
    .map(postRequests(url, spec.key, url.pathname));
  const total = Math.round(spec.requestsPerSecond * spec.seconds);
  const intervalMs = 1000 / spec.requestsPerSecond;
  const latencies = createHistogram();
  const lateness = createHistogram();
  const bins = Array.from({ length: Math.floor((spec.seconds * 1000) / BIN_MS) }, () => 0);
  const statuses: Record<string, number> = {};
  const errors: Record<string, number> = {};
  let startMs = Number.POSITIVE_INFINITY;
  const counts = (dueMs: number): boolean => dueMs - startMs >= spec.settlingSeconds * 1000;
  let sent = 0;
  let completed = 0;

  const connections = await openConnections<number>(url, spec.connections, {
    onAnswer(dueMs, status) {
      const nowMs = performance.now();
      if (counts(dueMs)) latencies.record((nowMs - dueMs) * 1000);
      increment(statuses, String(status));
      completed += 1;
      sendDue(nowMs);
    },
    onFailed(dueMs, reason) {
      // It waited this long in vain. Left out, the worst moments would look the best.
      latencies.record((performance.now() - dueMs) * 1000);
      increment(errors, reason);
      completed += 1;
    },
  });

  function sendDue(nowMs: number): void {
    while (sent < total) {
      const dueMs = startMs + sent * intervalMs;
      const request = requests[sent % requests.length];
      if (dueMs > nowMs || request === undefined || !connections.send(request, dueMs)) return;
      sent += 1;
      if (counts(dueMs)) lateness.record((nowMs - dueMs) * 1000);
      const bin = Math.floor((nowMs - startMs) / BIN_MS);
      if (bin < bins.length) bins[bin] = (bins[bin] ?? 0) + 1;
    }
  }

  const startedMs = Date.now();
  startMs = performance.now();
  const lastMs = startMs + spec.seconds * 1000 + LAST_ANSWERS_MS;
  const isOver = () => completed >= total || performance.now() > lastMs;
  while (!isOver()) {
    sendDue(performance.now());
    await sleep(CHECK_MS);
  }
  connections.close();
  if (sent < total) errors['never sent'] = total - sent;

  const refused = Object.entries(statuses).filter(([status]) => Number(status) >= 400);
  return {
    seconds: spec.seconds,
    startedMs,
    sent,
    answered: sum(Object.values(statuses)),
    refused: sum(refused.map(([, count]) => count)),
    bins,
    latency: latencyOf(latencies),
    lateness: latencyOf(lateness),
    statuses,
    errors,
  };
}
