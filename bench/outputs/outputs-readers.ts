import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError, type Bench } from '../lib/bench.ts';
import { loadOn, runEventLoad } from '../lib/load/traffic/event-load.ts';
import { readMetrics } from '../lib/figures/metrics.ts';
import { prepareOutputs, type OutputsStage, type OutputsTarget } from '../lib/outputs-stage.ts';
import { errorTable, type NamedRuns } from '../lib/report/run-tables.ts';
import type { LocalService } from '../lib/service/service.ts';
import { latencyAt } from '../lib/figures/statistics.ts';
import { measureStream, STREAM_BATCH_SIZE, type StreamRun } from '../lib/load/traffic/stream-load.ts';
import { startStreamReaders } from '../lib/service/readers/stream-readers.ts';
import { figure, section, table, tableOf } from '../lib/report/table.ts';
import { readUsage } from '../lib/figures/usage.ts';

/** As many readers on both, one right after the other. */
interface ReadersStep {
  readers: number;
  bare: StreamRun;
  service: StreamRun;
}

/** Readers that read, beside others that opened the stream and read nothing. */
interface StalledRun extends StreamRun {
  stalled: number;
  seconds: number;
  eventsPerSecond: number;
  /** Bytes of events that were sent to the stalled readers before the others connected. */
  floodBytes: number;
  /**
   * Resident memory of the service, in MiB: before any reader; with the stalled ones and their backlog; at most while
   * the others read; and a while after those left.
   */
  rssMiB: { before: number; stalled: number; peak: number; after: number };
  /** Streams that the service still holds when every other reader has every event. */
  openAtEnd: number;
}

interface ReadersSettings {
  /** Numbers of readers to try, ascending, and events/s that each of them reads. */
  readers: readonly number[];
  readerEventsPerSecond: number;
  readerSeconds: number;
  healthyReaders: number;
  stalledReaders: number;
  stalledSeconds: number;
  folder: string | undefined;
}

export interface ReadersFigures {
  eventsPerSecond: number;
  /** The last step is the first at which the service no longer kept up, or the last that was to be tried. */
  steps: ReadersStep[];
  stalled: StalledRun;
}

const WARM_UP_SECONDS = 3;
/** The share of the due messages that readers must have had by the time all had every one. */
const KEPT_UP_SHARE = 0.9;

/** More and more readers until the service no longer keeps up; then readers beside stalled ones. */
export async function measureReaders(bench: Bench, settings: ReadersSettings): Promise<ReadersFigures> {
  const { readerEventsPerSecond: eventsPerSecond, readerSeconds } = settings;
  const stage = await prepareOutputs(bench, settings.folder, STREAM_BATCH_SIZE);
  const { service, playerIds } = stage;
  const relay = await stage.startRelay(bench, []);
  const stream = (target: OutputsTarget, readers: number, seconds: number): Promise<StreamRun> =>
    measureStream(bench, { target, playerIds, readers, eventsPerSecond, seconds });

  await stream(service, settings.readers[0] ?? 1, WARM_UP_SECONDS);
  const steps: ReadersStep[] = [];
  for (const readers of settings.readers) {
    const bare = await stream(relay, readers, readerSeconds / 2);
    const ours = await stream(service, readers, readerSeconds);
    steps.push({ readers, bare, service: ours });
    const { messagesPerSecond, missing } = ours;
    const perSecond = [messagesPerSecond, bare.messagesPerSecond].map(Math.round);
    bench.report(`${readers} readers: ${perSecond[0]} messages/s, bare ${perSecond[1]}/s, ${missing} missing`);
    if (missing > 0 || messagesPerSecond < KEPT_UP_SHARE * readers * eventsPerSecond) break;
  }
  return { eventsPerSecond, steps, stalled: await measureStalled(bench, stage, settings) };
}

const STALLED_EVENTS_PER_SECOND = 40;
const PADDING = 2_000;
/** More than the system buffers for a connection without a reader, about 4 MB: the service must handle the rest. */
const FLOOD = { eventsPerRequest: 10, requests: 150, requestsPerSecond: 50 };
const FLOOD_PADDING = 8_000;
/** The first number of a flood: the other readers ignore these. */
const FLOOD_NUMBER = 1_000_000;
/** Long enough for the flood to pass, and for memory to be given back. */
const PASSED_MS = 1_000;
const AFTER_MS = 5_000;

/** Readers stall until the service has a backlog for them, or none. Other readers must then get every event. */
async function measureStalled(
  bench: Bench,
  { service, playerIds }: OutputsStage,
  { healthyReaders, stalledReaders, stalledSeconds: seconds }: ReadersSettings,
): Promise<StalledRun> {
  const { signal, report } = bench;
  const before = rssMiBOf(service);
  await startStreamReaders(bench, service, 0, stalledReaders);
  const flood = loadOn(service, playerIds, [FLOOD], FLOOD_NUMBER, { padding: FLOOD_PADDING });
  const { errors } = await runEventLoad(flood, signal);
  if (Object.keys(errors).length > 0) throw new BenchError(`the flood was refused: ${JSON.stringify(errors)}`);
  await sleep(PASSED_MS, undefined, { signal });
  const stalled = rssMiBOf(service);

  report(`${healthyReaders} readers that read beside ${stalledReaders} that do not, for ${seconds} s`);
  let openAtEnd = Number.NaN;
  const run = await measureStream(bench, {
    target: service,
    playerIds,
    readers: healthyReaders,
    eventsPerSecond: STALLED_EVENTS_PER_SECOND,
    seconds,
    padding: PADDING,
    async onArrived() {
      openAtEnd = (await readMetrics(service))('sse_readers');
    },
  });
  await sleep(AFTER_MS, undefined, { signal });
  const peak = run.usage.peakRssMiB['service'] ?? Number.NaN;
  return {
    ...run,
    stalled: stalledReaders,
    seconds,
    eventsPerSecond: STALLED_EVENTS_PER_SECOND,
    floodBytes: FLOOD.requests * FLOOD.eventsPerRequest * FLOOD_PADDING,
    rssMiB: { before, stalled, peak, after: rssMiBOf(service) },
    openAtEnd,
  };
}

function rssMiBOf(service: LocalService): number {
  return readUsage(service.pids()['service'] ?? 0)?.rssMiB ?? Number.NaN;
}

export function readersTables({ eventsPerSecond, steps, stalled }: ReadersFigures): string {
  const { before, stalled: withStalled, peak, after } = stalled.rssMiB;
  const named = [
    ...steps.flatMap(({ readers, bare, service }) => [
      { name: `${readers} readers: bare relay`, run: bare },
      { name: `${readers} readers: service`, run: service },
    ]),
    { name: `${stalled.readers} readers, ${stalled.stalled} stalled`, run: stalled },
  ];
  const errors: NamedRuns<StreamRun> = named.map(({ name, run }) => [name, [run]]);
  return [
    section(
      `Readers of the stream at ${figure(eventsPerSecond)} events/s; then ${stalled.readers} beside ${stalled.stalled} ` +
        'that read nothing',
      tableOf(named, {
        '': ({ name }) => name,
        'messages/s': ({ run }) => run.messagesPerSecond,
        'behind at the end, s': ({ run }) => run.behindSeconds?.toFixed(2) ?? 'never whole',
        'p50 ms': ({ run }) => latencyAt(run.delays.latency, 0.5),
        'p99 ms': ({ run }) => latencyAt(run.delays.latency, 0.99),
        'CPU s per million': ({ run }) => run.cpuSecondsPerMillion,
        missing: ({ run }) => run.missing,
        'out of order, repeated': ({ run }) => run.disordered,
        ended: ({ run }) => run.ended,
        'CPUs of others': ({ run }) => run.usage.othersCpus,
      }),
    ),
    section(
      `Resident memory of the service, MiB: ${stalled.stalled} readers that read nothing, ` +
        `${figure(stalled.floodBytes / 1e6)} MB sent to each; then the others, ${stalled.eventsPerSecond} events/s ` +
        `for ${stalled.seconds} s`,
      table(
        ['before', 'with the stalled', 'at most', 'after', 'streams open at the end'],
        [[before, withStalled, peak, after, stalled.openAtEnd]],
      ),
    ),
    section('Errors', errorTable(errors)),
  ].join('\n');
}
