import { readdirSync, readFileSync } from 'node:fs';
import { metricSum } from '../figures/metrics.ts';
import { sum } from '../figures/statistics.ts';
import { BenchError } from '../bench.ts';
import type { Service } from './service.ts';

/**
 * Totals since the processes started, by name. The differences of two readings are the costs of the load between them.
 */
export type Counters = Readonly<Record<string, number>>;

/** Reads all counters of a service, its broker and its ClickHouse. Throws when they run elsewhere. */
export async function readCounters(service: Service): Promise<Counters> {
  if (service.brokerMonitor === undefined) throw new BenchError('counters are read of a local service only');
  const broker = await readBrokerCounters(service.brokerMonitor);
  const threads = threadCounters(await read(`${service.baseUrl}/metrics`));
  const processes = Object.entries(service.pids()).map(([name, pid]) => processCounters(name, pid));
  return Object.assign({}, broker, threads, ...processes);
}

/** Reads the counters of a nats-server. @param monitor the URL of its monitoring, without a path */
export async function readBrokerCounters(monitor: string): Promise<Counters> {
  const [varz, jsz] = await Promise.all([read(`${monitor}/varz`), read(`${monitor}/jsz?streams=true&config=true`)]);
  return { ...brokerTraffic(varz), ...streamAppends(jsz) };
}

/** What was added between two readings. */
export function countedBetween(before: Counters, after: Counters): Counters {
  return Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]));
}

/** Messages and bytes between nats-server and its clients, from its monitoring (`/varz`). */
export function brokerTraffic(varz: string): Counters {
  const seen: { in_msgs: number; out_msgs: number; in_bytes: number; out_bytes: number } = JSON.parse(varz);
  return {
    'messages in': seen.in_msgs,
    'messages out': seen.out_msgs,
    'bytes in': seen.in_bytes,
    'bytes out': seen.out_bytes,
  };
}

interface StreamStates {
  account_details?: {
    stream_detail?: { name: string; config: { storage: string }; state: { last_seq: number } }[];
  }[];
}

/**
 * Messages that were appended to each stream, from nats-server's monitoring (`/jsz?streams=true&config=true`), and to
 * all streams on disk: under `sync_interval: always`, nats-server makes one fsync for each of these (measured with
 * strace).
 */
export function streamAppends(jsz: string): Counters {
  const { account_details: accounts = [] }: StreamStates = JSON.parse(jsz);
  const streams = accounts.flatMap(({ stream_detail: some = [] }) => some);
  const synced = streams.filter(({ config }) => config.storage === 'file');
  return {
    ...Object.fromEntries(streams.map(({ name, state }) => [`appends ${name}`, state.last_seq])),
    fsyncs: sum(synced.map(({ state }) => state.last_seq)),
  };
}

/** CPU time and allocations of the service's threads, and delays of the main thread, from `/metrics`. */
export function threadCounters(metrics: string): Counters {
  const total = (name: string): number => metricSum(metrics, name);
  return {
    'CPU seconds of the main thread': total('main_thread_cpu_seconds'),
    'CPU seconds of the sinks': total('sinks_thread_cpu_seconds'),
    'allocated bytes': total('heap_allocated_bytes_total') + total('sinks_heap_allocated_bytes_total'),
    ...delayCounters(metrics),
  };
}

const DELAYS = 'delays of the main thread up to s: ';

/** Samples of the event loop's delay in each bucket and the smaller ones. */
function delayCounters(metrics: string): Counters {
  // With several processes each bucket has a line for each of them.
  const buckets = metrics.matchAll(/^event_loop_delay_seconds_bucket\{le="([^"]+)"[^}]*\} (\d+)$/gm);
  const counts: Record<string, number> = {};
  for (const [, bound = '', count] of buckets) counts[DELAYS + bound] = (counts[DELAYS + bound] ?? 0) + Number(count);
  return counts;
}

/**
 * The upper bound of the bucket that holds a share (0 to 1) of the delays, in milliseconds: infinite past the largest
 * bucket, NaN without delays.
 */
export function delayMs(counted: Counters, share: number): number {
  const buckets = Object.entries(counted)
    .filter(([name]) => name.startsWith(DELAYS))
    .map(([name, count]) => ({ boundMs: milliseconds(name.slice(DELAYS.length)), count }))
    .toSorted((a, b) => a.boundMs - b.boundMs);
  const total = buckets.at(-1)?.count ?? 0;
  return total > 0 ? (buckets.find(({ count }) => count >= share * total)?.boundMs ?? Number.NaN) : Number.NaN;
}

function milliseconds(bound: string): number {
  return bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound) * 1_000;
}

/** System calls that write, and voluntary context switches of all threads, from /proc: Linux only. */
export function processCounters(name: string, pid: number): Counters {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => textOf(`/proc/${pid}/task/${thread}/status`));
  return {
    [`writes ${name}`]: fieldOf(textOf(`/proc/${pid}/io`), 'syscw'),
    [`switches ${name}`]: threads.reduce((sum, status) => sum + fieldOf(status, 'voluntary_ctxt_switches'), 0),
  };
}

/** The number after `name:` at the start of a line; 0 when there is no such line. */
function fieldOf(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}

/** A thread may end while its process is read. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const TIMEOUT_MS = 10_000;

async function read(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${url} was answered ${response.status}`);
  return response.text();
}
