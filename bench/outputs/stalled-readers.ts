import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { BenchError } from '../bench-error.ts';
import { readUsage } from '../measure/process-usage.ts';
import { readMetrics } from '../service/read-metrics.ts';
import type { LocalService } from '../service/local-service.ts';
import { runEventLoad } from './event-load.ts';
import { measureStream, type StreamRun } from './measure-stream.ts';
import type { OutputsOptions } from './outputs-options.ts';
import { loadOn, type OutputsSetup } from './prepare-outputs.ts';
import { startStreamReaders } from './stream-readers.ts';

/** Readers that read, beside others that asked for the stream and take nothing. */
export interface StalledRun extends StreamRun {
  stalled: number;
  seconds: number;
  eventsPerSecond: number;
  /** Bytes of events that were sent to the stalled ones before the others came. */
  floodBytes: number;
  /**
   * Resident memory of the service, in MiB: before anybody was connected; with the stalled ones and all they hold up; at most while
   * the others read; and a while after they left.
   */
  rssMiB: { before: number; stalled: number; peak: number; after: number };
  /** Streams that the service still holds when every reader that reads has every event. */
  openAtEnd: number;
}

const EVENTS_PER_SECOND = 40;
const PADDING = 2_000;
/** More than the system holds for a connection that nobody reads, about 4 MB here: the rest is the service's to deal with. */
const FLOOD = { eventsPerRequest: 10, requests: 150, requestsPerSecond: 50 };
const FLOOD_PADDING = 8_000;
/** The first number of a flood: the readers that read know nothing of these. */
const FLOOD_NUMBER = 1_000_000;
/** Long enough for the flood to have passed, and for memory to be given back. */
const PASSED_MS = 1_000;
const AFTER_MS = 5_000;

/**
 * Readers stall, and so much is sent that the service has to hold some of it for them, or not. Then others come, who must get
 * everything while the stalled ones are there, and until the service gives these up.
 */
export async function measureStalled(
  bench: Bench,
  { service, playerIds }: OutputsSetup,
  { healthyReaders, stalledReaders, stalledSeconds: seconds }: OutputsOptions,
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
    pids: service.pids(),
    playerIds,
    readers: healthyReaders,
    eventsPerSecond: EVENTS_PER_SECOND,
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
    eventsPerSecond: EVENTS_PER_SECOND,
    floodBytes: FLOOD.requests * FLOOD.eventsPerRequest * FLOOD_PADDING,
    rssMiB: { before, stalled, peak, after: rssMiBOf(service) },
    openAtEnd,
  };
}

function rssMiBOf(service: LocalService): number {
  return readUsage(service.pids()['service'] ?? 0)?.rssMiB ?? Number.NaN;
}
