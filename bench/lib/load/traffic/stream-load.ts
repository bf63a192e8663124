import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from './arrivals.ts';
import { inPhase, type Bench } from '../../bench.ts';
import { delaysOf, type Delays } from '../../figures/event-delays.ts';
import { loadOn, runEventLoad } from './event-load.ts';
import type { OutputsTarget } from '../../outputs-stage.ts';
import { sum, times } from '../../figures/statistics.ts';
import { startStreamReaders, type StreamReaders } from '../../service/readers/stream-readers.ts';
import { watchUsage, type UsageSeen } from '../../figures/usage.ts';

/** Many readers of one stream, and events at a fixed rate. */
export interface StreamLoad {
  target: OutputsTarget;
  playerIds: readonly string[];
  readers: number;
  eventsPerSecond: number;
  seconds: number;
  /** Characters added to the properties of each event. */
  padding?: number;
  /** Called when every reader has every event, or the time for that is over; all readers are still connected. */
  onArrived?: () => Promise<void>;
}

export interface StreamRun {
  readers: number;
  events: number;
  /** Events over all readers, per second from the begin of the load until all had every one. */
  messagesPerSecond: number;
  /** From the end of the load until all had every one; undefined if that did not happen in time. */
  behindSeconds: number | undefined;
  /** At one reader of many: from the answer that accepted an event. */
  delays: Delays;
  /** Messages that readers did not get, ids out of order or repeated, and streams that were ended. */
  missing: number;
  disordered: number;
  ended: number;
  errors: Record<string, number>;
  /** CPU seconds of the target's processes, per million messages. */
  cpuSecondsPerMillion: number;
  usage: UsageSeen;
}

/** One process alone would fall behind before the service does. */
const PROCESSES = 2;
export const STREAM_BATCH_SIZE = 10;
/** Few: the server closes a connection that sends less than every ten seconds. */
const CONNECTIONS = 8;

/** Connects the readers, tracks the events and waits until every reader has every one of them. */
export function measureStream(bench: Bench, load: StreamLoad): Promise<StreamRun> {
  const { target, playerIds, readers, eventsPerSecond, seconds, padding = 0 } = load;
  return inPhase(bench, async (own) => {
    const shares = sharesOf(readers).map((share) => startStreamReaders(own, target, share));
    const groups = await Promise.all(shares);
    const pids = target.pids();
    const readerPids = groups.map(({ pid }, index) => [`readers ${index + 1}`, pid] as const);
    const watch = watchUsage({ ...pids, ...Object.fromEntries(readerPids) });
    own.cleanup.add(async () => watch.stop());
    const requestsPerSecond = eventsPerSecond / STREAM_BATCH_SIZE;
    const requests = Math.round(requestsPerSecond * seconds);
    const flow = { eventsPerRequest: STREAM_BATCH_SIZE, requestsPerSecond, requests };
    const spec = loadOn(target, playerIds, [flow], 1, { padding, connections: CONNECTIONS });
    const result = await runEventLoad(spec, own.signal);
    const all = await awaitReaders(groups, readers * result.events, own.signal);
    await load.onArrived?.();
    const usage = watch.seen();
    const arrivals = (await groups[0]?.ask('take')) ?? { numbers: [], places: [], atMs: [] };
    const cpuSeconds = sum(Object.keys(pids).map((name) => usage.cpuSeconds[name] ?? 0));
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
  return times(processes, (index) => Math.floor((readers + index) / processes));
}

const CHECK_MS = 100;
const TIMEOUT_MS = 20_000;

/** Resolves when the readers have so many messages, or the time is over. Repeated ones count as disordered. */
async function awaitReaders(groups: readonly StreamReaders[], wanted: number, signal: AbortSignal) {
  const untilMs = performance.now() + TIMEOUT_MS;
  for (;;) {
    const reports = await Promise.all(groups.map((group) => group.report()));
    const messages = sum(reports.map((report) => report.messages));
    const missing = Math.max(0, wanted - messages);
    if (missing === 0 || performance.now() > untilMs) {
      const disordered = sum(reports.map((report) => report.disordered));
      const ended = sum(reports.map((report) => report.ended));
      return { atMs: monotonicMs(), messages, missing, disordered, ended };
    }
    await sleep(CHECK_MS, undefined, { signal });
  }
}
