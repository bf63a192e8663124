import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs, roundToUs } from './arrivals.ts';
import { openConnections, postRequests } from './connections.ts';
import type { AcceptedEvents } from '../figures/event-delays.ts';
import { createHistogram, latencyOf } from '../figures/histogram.ts';
import { callerOf, numberedEvent, type Numbering } from './numbered-event.ts';
import { CHECK_MS, LAST_ANSWERS_MS } from './open-loop.ts';
import { increment, sum, times, type Latency } from '../figures/statistics.ts';
import { defineWorker } from '../service/worker.ts';

export interface EventLoadSpec {
  /** Without a path. */
  baseUrl: string;
  /** Several callers track single events only. */
  callers: readonly EventCaller[];
  flows: readonly EventFlow[];
  connections: number;
  firstNumber: number;
  sampledEvery: number;
  shards: number;
  padding: number;
}

export interface EventCaller {
  key: string;
  playerIds: readonly string[];
}

/** Requests of one size. */
export interface EventFlow {
  eventsPerRequest: number;
  requests: number;
  /** Left out: as fast as they are answered. */
  requestsPerSecond?: number;
}

/** Times are those of the machine's monotonic clock. */
export interface EventLoadResult {
  startedMs: number;
  endedMs: number;
  accepted: AcceptedEvents;
  /** Events that were accepted. */
  events: number;
  /** How late requests went out. */
  lateness: Latency;
  /** Failures by kind; empty when there were none. */
  errors: Record<string, number>;
}

export const EVENT_PATHS = { single: '/v1/events/events', batch: '/v1/events/events/batch' };
const LOAD_CONNECTIONS = 64;

/** A load of one caller's events on a target. Numbers start at 1: 0 is the number of probes. */
export function loadOn(
  { baseUrl, key }: { baseUrl: string; key: string },
  playerIds: readonly string[],
  flows: readonly EventFlow[],
  firstNumber: number,
  extra: Partial<Pick<EventLoadSpec, 'sampledEvery' | 'padding' | 'connections'>> = {},
): EventLoadSpec {
  const defaults = { connections: LOAD_CONNECTIONS, sampledEvery: 1, shards: 1, padding: 0 };
  return { baseUrl, callers: [{ key, playerIds }], flows, firstNumber, ...defaults, ...extra };
}

/** Tracks numbered events from a process of its own. Throws when that fails, and on the signal. */
export function runEventLoad(spec: EventLoadSpec, signal: AbortSignal): Promise<EventLoadResult> {
  return generator.use(signal, spec, (process) => process.ask('run'));
}

const generator = defineWorker(import.meta.url, (spec: EventLoadSpec) => ({ run: () => run(spec) }));

/** A request under way: the events from `first` on. */
interface Sent {
  first: number;
  count: number;
}

/** Sends numbered events at the rates of the flows, an open loop, and records when each was accepted. */
async function run(spec: EventLoadSpec): Promise<EventLoadResult> {
  const { flows, firstNumber } = spec;
  const requestOf = requests(spec);
  const total = sum(flows.map(({ requests }) => requests));
  const events = sum(flows.map(({ requests, eventsPerRequest }) => requests * eventsPerRequest));
  const atMs = times<number | null>(events, () => null);
  const unanswered: number[] = [];
  const sentOf = flows.map(() => 0);
  const lateness = createHistogram();
  const errors: Record<string, number> = {};
  let nextNumber = firstNumber;
  let completed = 0;
  let startedMs = Number.POSITIVE_INFINITY;

  const connections = await openConnections<Sent>(new URL(spec.baseUrl), spec.connections, {
    onAnswer(sent, status, body) {
      const nowMs = monotonicMs();
      completed += 1;
      if (status === 200 && isWhole(sent, body)) {
        atMs.fill(roundToUs(nowMs), sent.first - firstNumber, sent.first - firstNumber + sent.count);
      } else increment(errors, status === 200 ? 'batches not accepted whole' : `answers ${status}`);
      sendDue(nowMs);
    },
    onFailed({ first, count }, reason) {
      completed += 1;
      unanswered.push(...times(count, (turn) => first + turn));
      increment(errors, reason);
    },
  });

  function sendDue(nowMs: number): void {
    for (const [index, flow] of flows.entries()) {
      for (let sent = sentOf[index] ?? 0; sent < flow.requests && connections.hasIdle; sent++) {
        const dueMs = flow.requestsPerSecond === undefined ? nowMs : startedMs + (sent * 1000) / flow.requestsPerSecond;
        if (dueMs > nowMs) break;
        const request = { first: nextNumber, count: flow.eventsPerRequest };
        connections.send(requestOf(request), request, request.count > 1);
        nextNumber += request.count;
        lateness.record((nowMs - dueMs) * 1000);
        sentOf[index] = sent + 1;
      }
    }
  }

  startedMs = monotonicMs();
  const lastMs = startedMs + Math.max(...flows.map(lengthMs)) + LAST_ANSWERS_MS;
  const isOver = () => completed >= total || monotonicMs() > lastMs;
  while (!isOver()) {
    sendDue(monotonicMs());
    await sleep(CHECK_MS);
  }
  const endedMs = monotonicMs();
  const neverSent = total - sum(sentOf);
  if (neverSent > 0) errors['never sent'] = neverSent;
  // Requests still under way fail now, and are counted.
  connections.close();
  return {
    startedMs,
    endedMs,
    accepted: { firstNumber, atMs, unanswered },
    events: atMs.filter((time) => time !== null).length,
    lateness: latencyOf(lateness),
    errors,
  };
}

/** How long a flow takes. One without a rate gets a second for each of its requests: far more than it takes. */
function lengthMs({ requests, requestsPerSecond = 1 }: EventFlow): number {
  return (requests * 1000) / requestsPerSecond;
}

/** A batch may be accepted in part: then it is unknown which events were. */
function isWhole({ count }: Sent, body: string): boolean {
  return count === 1 || body.includes(`"accepted":${count},`);
}

/** Makes whole requests, ready to be written. */
function requests({ callers, baseUrl, ...spec }: EventLoadSpec): (sent: Sent) => Buffer {
  const numbering: Numbering = { ...spec, callers: callers.length };
  const url = new URL(baseUrl);
  const of = callers.map(({ key, playerIds }) => ({
    event: (number: number) => numberedEvent(playerIds[number % playerIds.length] ?? '', number, numbering),
    single: postRequests(url, key, EVENT_PATHS.single),
    batch: postRequests(url, key, EVENT_PATHS.batch),
  }));
  return ({ first, count }) => {
    const caller = of[callerOf(first, numbering)];
    if (caller === undefined) throw new Error('a load without callers');
    const { event, single, batch } = caller;
    if (count === 1) return single(JSON.stringify(event(first)));
    return batch(JSON.stringify({ events: times(count, (turn) => event(first + turn)) }));
  };
}
