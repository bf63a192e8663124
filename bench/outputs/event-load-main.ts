import { setTimeout as sleep } from 'node:timers/promises';
import { helperSpec, tellParent } from '../helpers/helper-process.ts';
import { openLanes } from '../load/lanes.ts';
import { createHistogram, latencyOf } from '../measure/histogram.ts';
import type { Latency } from '../measure/latency.ts';
import { monotonicMs } from '../measure/monotonic-ms.ts';
import { roundToUs } from './arrivals.ts';
import type { AcceptedEvents } from './event-delays.ts';
import { callerOf, numberedEvent, type Numbering } from './numbered-event.ts';

/** What the generator of numbered events is told at its start. */
export interface EventLoadSpec {
  /** Without a path. */
  baseUrl: string;
  /** Who tracks events. More than one: requests of single events only. */
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

/** What it says at the end. Times are those of the machine's monotonic clock. */
export interface EventLoadResult {
  startedMs: number;
  endedMs: number;
  accepted: AcceptedEvents;
  /** Events that were accepted. */
  events: number;
  /** How late requests went out. */
  lateness: Latency;
  /** What went wrong, by kind; empty when nothing did. */
  errors: Record<string, number>;
}

const SINGLE = '/v1/events/events';
const BATCH = '/v1/events/events/batch';
/** How long the last answers are waited for; past the service's deadline and grace. */
const LAST_ANSWERS_MS = 8_000;
const LOOK_MS = 1;

/** A request under way: the events from `first` on. */
interface Sent {
  first: number;
  count: number;
}

/** Sends numbered events at the rates of the flows, an open loop, and notes when each was accepted. */
async function runEventLoad(spec: EventLoadSpec): Promise<EventLoadResult> {
  const { flows, firstNumber } = spec;
  const requestOf = requests(spec);
  const total = flows.reduce((sum, { requests }) => sum + requests, 0);
  const events = flows.reduce((sum, { requests, eventsPerRequest }) => sum + requests * eventsPerRequest, 0);
  const atMs: (number | null)[] = Array.from({ length: events }, () => null);
  const unanswered: number[] = [];
  const sentOf = flows.map(() => 0);
  const lateness = createHistogram();
  const errors: Record<string, number> = {};
  let nextNumber = firstNumber;
  let settled = 0;
  let startedMs = Number.POSITIVE_INFINITY;

  const lanes = await openLanes<Sent>(new URL(spec.baseUrl), spec.connections, {
    onAnswer(sent, status, body) {
      const nowMs = monotonicMs();
      settled += 1;
      if (status === 200 && isWhole(sent, body)) {
        for (let turn = 0; turn < sent.count; turn++) atMs[sent.first - firstNumber + turn] = roundToUs(nowMs);
      } else increment(errors, status === 200 ? 'batches not accepted whole' : `answers ${status}`);
      sendDue(nowMs);
    },
    onFailed({ first, count }, reason) {
      settled += 1;
      for (let turn = 0; turn < count; turn++) unanswered.push(first + turn);
      increment(errors, reason);
    },
  });

  function sendDue(nowMs: number): void {
    for (const [index, flow] of flows.entries()) {
      for (let sent = sentOf[index] ?? 0; sent < flow.requests && lanes.hasIdle; sent++) {
        const dueMs = flow.requestsPerSecond === undefined ? nowMs : startedMs + (sent * 1000) / flow.requestsPerSecond;
        if (dueMs > nowMs) break;
        const request = { first: nextNumber, count: flow.eventsPerRequest };
        lanes.send(requestOf(request), request, request.count > 1);
        nextNumber += request.count;
        lateness.record((nowMs - dueMs) * 1000);
        sentOf[index] = sent + 1;
      }
    }
  }

  startedMs = monotonicMs();
  const lastMs = startedMs + Math.max(...flows.map(lengthMs)) + LAST_ANSWERS_MS;
  const isOver = () => settled >= total || monotonicMs() > lastMs;
  while (!isOver()) {
    sendDue(monotonicMs());
    await sleep(LOOK_MS);
  }
  const endedMs = monotonicMs();
  const neverSent = total - sentOf.reduce((sum, sent) => sum + sent, 0);
  if (neverSent > 0) errors['never sent'] = neverSent;
  // What is still under way fails now, and is counted.
  lanes.close();
  return {
    startedMs,
    endedMs,
    accepted: { firstNumber, atMs, unanswered },
    events: atMs.reduce<number>((sum, time) => sum + (time === null ? 0 : 1), 0),
    lateness: latencyOf(lateness),
    errors,
  };
}

/** How long a flow takes to be sent. One without a rate is given a second for each of its requests: far more than it takes. */
function lengthMs({ requests, requestsPerSecond = 1 }: EventFlow): number {
  return (requests * 1000) / requestsPerSecond;
}

/** A batch may be accepted in part: then it is not known here which events were. */
function isWhole({ count }: Sent, body: string): boolean {
  return count === 1 || body.includes(`"accepted":${count},`);
}

/** Makes whole requests, ready to be written as they are. */
function requests(spec: EventLoadSpec): (sent: Sent) => Buffer {
  const { callers } = spec;
  const numbering: Numbering = { ...spec, callers: callers.length };
  const { host } = new URL(spec.baseUrl);
  const heads = callers.map(
    ({ key }) => `HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nX-API-Key: ${key}\r\nContent-Length: `,
  );
  return ({ first, count }) => {
    const caller = callerOf(first, numbering);
    const playerIds = callers[caller]?.playerIds ?? [];
    const event = (number: number) => numberedEvent(playerIds[number % playerIds.length] ?? '', number, numbering);
    const body =
      count === 1
        ? JSON.stringify(event(first))
        : JSON.stringify({ events: Array.from({ length: count }, (_, turn) => event(first + turn)) });
    return Buffer.from(
      `POST ${count === 1 ? SINGLE : BATCH} ${heads[caller]}${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  };
}

function increment(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

// The parent ends this process once it has the figures.
const spec: EventLoadSpec = JSON.parse(helperSpec());
tellParent(await runEventLoad(spec));
