import type { Bench } from '../bench.ts';
import { startBareRelay } from './bare-relay.ts';
import { measureStalled, type StalledRun } from './stalled-readers.ts';
import { measureStream, STREAM_BATCH_SIZE, type StreamRun } from './measure-stream.ts';
import type { OutputsOptions } from './outputs-options.ts';
import { prepareOutputs, probeAnswers } from './prepare-outputs.ts';

/** As many readers on both, one right after the other. */
export interface ReadersStep {
  readers: number;
  bare: StreamRun;
  service: StreamRun;
}

export interface ReadersFigures {
  eventsPerSecond: number;
  /** The last one is the first at which the service no longer kept up, or the last that was to be tried. */
  steps: ReadersStep[];
  stalled: StalledRun;
}

const WARM_UP_SECONDS = 3;
/** The share of the messages that were due which readers must have had by the time all had every one. */
const KEPT_UP_SHARE = 0.9;

/** More and more readers until the service no longer keeps up; then readers beside others that are stalled. */
export async function measureReaders(bench: Bench, options: OutputsOptions): Promise<ReadersFigures> {
  const { readerEventsPerSecond: eventsPerSecond, readerSeconds: seconds } = options;
  const { service, playerIds } = await prepareOutputs(bench, options.folder);
  const answers = await probeAnswers(service, playerIds[0] ?? '', STREAM_BATCH_SIZE);
  const relay = await startBareRelay(bench, { answers, hooks: [] });
  const { pid } = relay;
  const bareTarget = { baseUrl: relay.baseUrl, key: service.key };
  const bare = (readers: number) =>
    measureStream(bench, {
      target: bareTarget,
      pids: { relay: pid },
      playerIds,
      readers,
      eventsPerSecond,
      seconds: seconds / 2,
    });
  const ours = (readers: number, lengthSeconds = seconds) =>
    measureStream(bench, {
      target: service,
      pids: service.pids(),
      playerIds,
      readers,
      eventsPerSecond,
      seconds: lengthSeconds,
    });

  await ours(options.readers[0] ?? 1, WARM_UP_SECONDS);
  const steps: ReadersStep[] = [];
  for (const readers of options.readers) {
    const step = { readers, bare: await bare(readers), service: await ours(readers) };
    steps.push(step);
    const { messagesPerSecond, missing } = step.service;
    const perSecond = [messagesPerSecond, step.bare.messagesPerSecond].map(Math.round);
    bench.report(`${readers} readers: ${perSecond[0]} messages/s, bare ${perSecond[1]}/s, ${missing} missing`);
    if (missing > 0 || messagesPerSecond < KEPT_UP_SHARE * readers * eventsPerSecond) break;
  }
  return { eventsPerSecond, steps, stalled: await measureStalled(bench, { service, playerIds }, options) };
}
