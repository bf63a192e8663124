import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { helperSpec, tellParent } from '../helpers/helper-process.ts';
import { createHistogram, latencyOf } from '../measure/histogram.ts';
import { openLanes } from './lanes.ts';
import { BIN_MS, type LoadResult } from './load-result.ts';

/** What the open-loop generator is told at its start. */
export interface OpenLoopSpec {
  /** Where each request goes, with its path. */
  url: string;
  key: string;
  bodiesFile: string;
  requestsPerSecond: number;
  seconds: number;
  /**
   * Requests due this early are sent and must be answered, but their latencies are not told: both programs compile their
   * code for this load in that time, the generator even from nothing.
   */
  settlingSeconds: number;
  connections: number;
}

/** What it says at the end. */
export interface OpenLoopResult extends LoadResult {
  /** How late requests went out: the generator's own share of the latencies, waiting for an idle connection included. */
  lateness: LoadResult['latency'];
  /** Answers by status. */
  statuses: Record<string, number>;
}

/** How long the last answers are waited for; past the service's deadline and grace. */
const LAST_ANSWERS_MS = 8_000;
/** How often it looks what is due; answers make it look, too. */
const LOOK_MS = 1;

/**
 * An open loop: requests are due at a fixed rate, whatever the answers do. A latency counts from the moment its request
 * was due, not from when it could be sent, so a stall of the server is seen by every request it kept waiting.
 */
async function runOpenLoop(spec: OpenLoopSpec): Promise<OpenLoopResult> {
  const url = new URL(spec.url);
  const requests = requestsOf(url, spec);
  const total = Math.round(spec.requestsPerSecond * spec.seconds);
  const intervalMs = 1000 / spec.requestsPerSecond;
  const latencies = createHistogram();
  const lateness = createHistogram();
  const bins = Array.from({ length: Math.floor((spec.seconds * 1000) / BIN_MS) }, () => 0);
  const statuses: Record<string, number> = {};
  const errors: Record<string, number> = {};
  let startMs = Number.POSITIVE_INFINITY;
  const isTold = (dueMs: number): boolean => dueMs - startMs >= spec.settlingSeconds * 1000;
  let sent = 0;
  let settled = 0;

  const lanes = await openLanes<number>(url, spec.connections, {
    onAnswer(dueMs, status) {
      const nowMs = performance.now();
      if (isTold(dueMs)) latencies.record((nowMs - dueMs) * 1000);
      increment(statuses, String(status));
      settled += 1;
      sendDue(nowMs);
    },
    onFailed(dueMs, reason) {
      // It waited this long for nothing: left out, the worst moments would look the best.
      latencies.record((performance.now() - dueMs) * 1000);
      increment(errors, reason);
      settled += 1;
    },
  });

  function sendDue(nowMs: number): void {
    while (sent < total) {
      const dueMs = startMs + sent * intervalMs;
      const request = requests[sent % requests.length];
      if (dueMs > nowMs || request === undefined || !lanes.send(request, dueMs)) return;
      sent += 1;
      if (isTold(dueMs)) lateness.record((nowMs - dueMs) * 1000);
      const bin = Math.floor((nowMs - startMs) / BIN_MS);
      if (bin < bins.length) bins[bin] = (bins[bin] ?? 0) + 1;
    }
  }

  const startedMs = Date.now();
  startMs = performance.now();
  const lastMs = startMs + spec.seconds * 1000 + LAST_ANSWERS_MS;
  const isOver = () => settled >= total || performance.now() > lastMs;
  while (!isOver()) {
    sendDue(performance.now());
    await sleep(LOOK_MS);
  }
  lanes.close();
  if (sent < total) errors['never sent'] = total - sent;

  const answers = Object.entries(statuses);
  return {
    seconds: spec.seconds,
    startedMs,
    sent,
    answered: answers.reduce((sum, [, count]) => sum + count, 0),
    refused: answers.reduce((sum, [status, count]) => sum + (Number(status) >= 400 ? count : 0), 0),
    bins,
    latency: latencyOf(latencies),
    lateness: latencyOf(lateness),
    statuses,
    errors,
  };
}

/** Whole requests, ready to be written as they are. */
function requestsOf(url: URL, spec: OpenLoopSpec): Buffer[] {
  const head = [
    `POST ${url.pathname} HTTP/1.1`,
    `Host: ${url.host}`,
    'Content-Type: application/json',
    `X-API-Key: ${spec.key}`,
  ].join('\r\n');
  return readFileSync(spec.bodiesFile, 'utf8')
    .split('\n')
    .map((body) => Buffer.from(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`));
}

function increment(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

// The parent ends this process once it has the figures.
const spec: OpenLoopSpec = JSON.parse(helperSpec());
tellParent(await runOpenLoop(spec));
