import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { readUsage } from '../measure/process-usage.ts';
import { readMetrics } from '../service/read-metrics.ts';
import type { LocalService } from '../service/local-service.ts';
import { measureStream, type StreamRun } from './measure-stream.ts';
import type { OutputsOptions } from './outputs-options.ts';
import type { OutputsSetup } from './prepare-outputs.ts';

/** Readers that read, beside others that asked for the stream and take nothing. */
export interface StalledRun extends StreamRun {
  stalled: number;
  seconds: number;
  eventsPerSecond: number;
  padding: number;
  /** Resident memory of the service, in MiB: before anybody was connected, with all connected, at most, and a while after. */
  rssMiB: { before: number; connected: number; peak: number; after: number };
  /** Streams that the service still holds when every reader that reads has every event. */
  openAtEnd: number;
}

/** Few events, but large: what a stalled reader could make the service hold grows by 90 kB a second. */
const EVENTS_PER_SECOND = 40;
const PADDING = 2_000;
const AFTER_MS = 5_000;

/** The readers that read must get everything while the others stall, and the others must cost little. */
export async function measureStalled(
  bench: Bench,
  { service, playerIds }: OutputsSetup,
  { healthyReaders, stalledReaders, stalledSeconds: seconds }: OutputsOptions,
): Promise<StalledRun> {
  bench.report(`${healthyReaders} readers that read and ${stalledReaders} that do not, for ${seconds} s`);
  const before = rssMiBOf(service);
  let connected = Number.NaN;
  let openAtEnd = Number.NaN;
  const run = await measureStream(bench, {
    target: service,
    pids: service.pids(),
    playerIds,
    readers: healthyReaders,
    stalled: stalledReaders,
    eventsPerSecond: EVENTS_PER_SECOND,
    seconds,
    padding: PADDING,
    onConnected() {
      connected = rssMiBOf(service);
    },
    async onArrived() {
      openAtEnd = (await readMetrics(service))('sse_readers');
    },
  });
  await sleep(AFTER_MS, undefined, { signal: bench.signal });
  const peak = run.usage.peakRssMiB['service'] ?? Number.NaN;
  const rssMiB = { before, connected, peak, after: rssMiBOf(service) };
  return {
    ...run,
    stalled: stalledReaders,
    seconds,
    eventsPerSecond: EVENTS_PER_SECOND,
    padding: PADDING,
    rssMiB,
    openAtEnd,
  };
}

function rssMiBOf(service: LocalService): number {
  return readUsage(service.pids()['service'] ?? 0)?.rssMiB ?? Number.NaN;
}
