import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { monotonicMs } from '../measure/monotonic-ms.ts';
import { watchUsage, type UsageSeen } from '../measure/watch-usage.ts';
import { delaysOf, type Delays } from './event-delays.ts';
import { runEventLoad } from './event-load.ts';
import { inPhase } from './in-phase.ts';
import { loadOn, type Target } from './prepare-outputs.ts';
import { startStreamReaders, type StreamReaders } from './stream-readers.ts';

/** Many readers of one stream, and events at a fixed rate. */
export interface StreamLoad {
  target: Target;
  /** Whose CPU time is told. */
  pids: Readonly<Record<string, number>>;
  playerIds: readonly string[];
  readers: number;
  eventsPerSecond: number;
  seconds: number;
  /** Characters added to the properties of each event. */
  padding?: number;
  /** Called when every reader has every event, or the time for that is over; nobody has left yet. */
  onArrived?: () => Promise<void>;
}

/** What became of it. */
export interface StreamRun {
  readers: number;
  events: number;
  /** Events over all readers, per second from the begin of the load until all had every one. */
  messagesPerSecond: number;
  /** From the end of the load until all had every one; undefined if that did not happen in time. */
  behindSeconds: number | undefined;
  /** At one reader of many: from the answer that accepted an event. */
  delays: Delays;
  /** Messages that readers did not get, ids out of order or again, and streams that were ended. */
  missing: number;
  disordered: number;
  ended: number;
  errors: Record<string, number>;
  /** CPU seconds of the processes named, per million messages. */
  cpuSecondsPerMillion: number;
  usage: UsageSeen;
}

/** Readers are spread over so many processes: one alone would be the first that no longer keeps up. */
const PROCESSES = 2;
/** Events come in batches of this many. */
export const STREAM_BATCH_SIZE = 10;
const LOOK_MS = 100;
const TIMEOUT_MS = 20_000;
const FIRST_NUMBER = 1;
/** Few: a connection that sends less than every ten seconds is closed by the server. */
const CONNECTIONS = 8;

/** Connects the readers, tracks the events and waits until every reader has every one of them. */
export function measureStream(bench: Bench, load: StreamLoad): Promise<StreamRun> {
  const { target, pids, playerIds, readers, eventsPerSecond, seconds, padding = 0 } = load;
  return inPhase(bench, async (own) => {
    const groups = await Promise.all(sharesOf(readers).map((share) => startStreamReaders(own, target, share)));
    const readerPids = groups.map(({ pid }, index) => [`readers ${index + 1}`, pid] as const);
    const stop = watchUsage({ ...pids, ...Object.fromEntries(readerPids) });
    const requestsPerSecond = eventsPerSecond / STREAM_BATCH_SIZE;
    const flow = {
      eventsPerRequest: STREAM_BATCH_SIZE,
      requestsPerSecond,
      requests: Math.round(requestsPerSecond * seconds),
    };
    const result = await runEventLoad(
      loadOn(target, playerIds, [flow], FIRST_NUMBER, {
        padding,
        connections: CONNECTIONS,
      }),
      own.signal,
    );
    const all = await awaitReaders(groups, readers * result.events, own.signal);
    await load.onArrived?.();
    const usage = stop();
    const arrivals = (await groups[0]?.take()) ?? { numbers: [], places: [], atMs: [] };
    const cpuSeconds = Object.keys(pids).reduce((sum, name) => sum + (usage.cpuSeconds[name] ?? 0), 0);
    return {
      readers,
      events: result.events,
      messagesPerSecond: (all.messages * 1000) / (all.atMs - result.startedMs),
      behindSeconds: all.missing > 0 ? undefined : Math.max(0, all.atMs - result.endedMs) / 1000,
      delays: delaysOf(result.accepted, arrivals, () => [0]),
      missing: all.missing,
      disordered: all.disordered,
      ended: all.ended,
      errors: result.errors,
      cpuSecondsPerMillion: (cpuSeconds * 1e6) / all.messages,
      usage,
    };
  });
}

function sharesOf(readers: number): number[] {
  const processes = Math.min(PROCESSES, readers);
  return Array.from({ length: processes }, (_, index) => Math.floor((readers + index) / processes));
}

/** What the readers have, all processes together, and when that was seen. */
interface ReadersState {
  atMs: number;
  messages: number;
  missing: number;
  disordered: number;
  ended: number;
}

/** Resolves when the readers have so many messages, or the time is over. One that has some again has ids that do not grow. */
async function awaitReaders(
  groups: readonly StreamReaders[],
  wanted: number,
  signal: AbortSignal,
): Promise<ReadersState> {
  const untilMs = performance.now() + TIMEOUT_MS;
  for (;;) {
    const state = { atMs: 0, messages: 0, missing: 0, disordered: 0, ended: 0 };
    for (const report of await Promise.all(groups.map((group) => group.report()))) {
      state.messages += report.messages;
      state.disordered += report.disordered;
      state.ended += report.ended;
    }
    state.atMs = monotonicMs();
    state.missing = Math.max(0, wanted - state.messages);
    if (state.missing === 0 || performance.now() > untilMs) return state;
    await sleep(LOOK_MS, undefined, { signal });
  }
}
