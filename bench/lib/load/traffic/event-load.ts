import { monotonicMs, roundToUs } from './arrivals.ts';
import { postRequests } from '../connections.ts';
import type { AcceptedEvents } from '../../figures/event-delays.ts';
import { createHistogram, latencyOf } from '../../figures/histogram.ts';
import { callerOf, numberedEvent, type Numbering } from './numbered-event.ts';
import { asConnectionsAllow, atRate } from '../pace.ts';
import { NEVER_SENT, openScheduler, type Job } from '../scheduler.ts';
import { increment, sum, times, type Latency } from '../../figures/statistics.ts';
import { defineWorker } from '../../service/worker.ts';

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

/** A request with the events from `first` on. */
interface EventJob extends Job {
  first: number;
  count: number;
}

/** Sends numbered events as the flows say, and records when each was accepted. */
async function run(spec: EventLoadSpec): Promise<EventLoadResult> {
  const { flows, firstNumber } = spec;
  const requestOf = requests(spec);
  const events = sum(flows.map((flow) => flow.requests * flow.eventsPerRequest));
  const atMs = times<number | null>(events, () => null);
  const unanswered: number[] = [];
  const lateness = createHistogram();
  const errors: Record<string, number> = {};
  let nextNumber = firstNumber;

  const scheduler = await openScheduler<EventJob>(new URL(spec.baseUrl), spec.connections, {
    requestOf,
    wantsBody: ({ count }) => count > 1,
    onSent: ({ dueMs }) => lateness.record((performance.now() - dueMs) * 1000),
    onAnswered({ first, count }, status, body) {
      if (status === 200 && isWhole(count, body)) {
        atMs.fill(roundToUs(monotonicMs()), first - firstNumber, first - firstNumber + count);
      } else increment(errors, status === 200 ? 'batches not accepted whole' : `answers ${status}`);
    },
    onFailed({ first, count }, reason) {
      if (reason !== NEVER_SENT) unanswered.push(...times(count, (turn) => first + turn));
      increment(errors, reason);
    },
  });

  const startMs = performance.now();
  const paces = flows.map(({ eventsPerRequest: count, requests: total, requestsPerSecond }) => {
    function begin(_: number, dueMs: number): void {
      scheduler.due({ dueMs: startMs + dueMs, first: nextNumber, count });
      nextNumber += count;
    }
    return requestsPerSecond === undefined
      ? asConnectionsAllow(total, total * MOST_SECONDS_EACH, () => scheduler.hasIdle, begin)
      : atRate(total, requestsPerSecond, begin);
  });
  const startedMs = monotonicMs();
  await scheduler.run(startMs, paces);
  const endedMs = monotonicMs();
  scheduler.close();
  const notDue = events - (nextNumber - firstNumber);
  if (notDue > 0) errors['events not sent'] = notDue;
  return {
    startedMs,
    endedMs,
    accepted: { firstNumber, atMs, unanswered },
    events: atMs.filter((time) => time !== null).length,
    lateness: latencyOf(lateness),
    errors,
  };
}

/** A flow without a rate ends after so many seconds for each of its requests: far more than they take. */
const MOST_SECONDS_EACH = 1;

/** A batch may be accepted in part: then it is unknown which events were. */
function isWhole(count: number, body: string): boolean {
  return count === 1 || body.includes(`"accepted":${count},`);
}

/** Makes whole requests, ready to be written. */
function requests({ callers, baseUrl, ...spec }: EventLoadSpec): (job: EventJob) => Buffer {
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
