import type { Bench } from '../bench.ts';
import type { Latency } from '../measure/latency.ts';
import { watchUsage, type UsageSeen } from '../measure/watch-usage.ts';
import { awaitArrivals } from './await-arrivals.ts';
import { startBareRelay } from './bare-relay.ts';
import { delaysOf, type Delays } from './event-delays.ts';
import type { EventFlow } from './event-load-main.ts';
import { runEventLoad } from './event-load.ts';
import { isSampled } from './numbered-event.ts';
import type { OutputsOptions } from './outputs-options.ts';
import type { Observer } from './own-helper.ts';
import { createWebhook, loadOn, prepareOutputs, probeAnswers, type Target } from './prepare-outputs.ts';
import { startReceiver } from './receiver.ts';
import { startRowReader } from './row-reader.ts';
import { startStreamReaders } from './stream-readers.ts';

/** From the answer that accepted an event until it arrived at each output. */
export interface LatencyRun {
  events: number;
  stream: Delays;
  webhook: Delays;
  /** The bare relay has none. */
  rows: Delays | undefined;
  lateness: Latency;
  errors: Record<string, number>;
  usage: UsageSeen;
}

/** The same load on both, one right after the other. */
export interface LatencyRound {
  bare: LatencyRun;
  service: LatencyRun;
}

export interface LatencyFigures {
  eventsPerSecond: number;
  batchSize: number;
  sampledEvery: number;
  rounds: LatencyRound[];
}

/** One event in five comes by itself, as from a game's client; the others as a game server sends them, in batches. */
const SINGLES_SHARE = 0.2;
const WARM_UP_SECONDS = 6;
const BARE_WARM_UP_SECONDS = 2;

/** Latencies from accepted to delivered, at a fixed rate of events, beside a relay that only passes events on. */
export async function measureLatency(bench: Bench, options: OutputsOptions): Promise<LatencyFigures> {
  const { signal, report } = bench;
  const { eventsPerSecond, batchSize, sampledEvery, seconds } = options;
  const { service, playerIds } = await prepareOutputs(bench, options.folder);
  const answers = await probeAnswers(service, playerIds[0] ?? '', batchSize);
  const receiver = await startReceiver(bench);
  const hook = receiver.urlOf('well', 0);
  await createWebhook(service, hook, { 'properties.sampled': { eq: true } });
  const relay = await startBareRelay(bench, { answers, hooks: [hook] });
  const bareTarget = { baseUrl: relay.baseUrl, key: service.key };
  const bareReader = await startStreamReaders(bench, bareTarget, 1);
  const reader = await startStreamReaders(bench, service, 1);
  const rowReader = await startRowReader(bench, service);
  let nextNumber = 1;

  async function run(
    target: Target,
    pids: Readonly<Record<string, number>>,
    observers: { stream: Observer; rows?: Observer },
    lengthSeconds: number,
  ): Promise<LatencyRun> {
    const flows = flowsOf(eventsPerSecond, batchSize, lengthSeconds);
    const stop = watchUsage({ ...pids, receiver: receiver.pid });
    const load = loadOn(target, playerIds, flows, nextNumber, { sampledEvery });
    const { accepted, events, lateness, errors } = await runEventLoad(load, signal);
    nextNumber += accepted.atMs.length;
    const sampled = (number: number): number[] => (isSampled(number, { sampledEvery }) ? [0] : []);
    const wanted = accepted.atMs.filter(
      (atMs, index) => atMs !== null && isSampled(accepted.firstNumber + index, { sampledEvery }),
    );
    const stream = await awaitArrivals(observers.stream, events, signal);
    const webhook = await awaitArrivals(receiver, wanted.length, signal);
    const rows = observers.rows && (await awaitArrivals(observers.rows, events, signal));
    return {
      events,
      stream: delaysOf(accepted, stream, () => [0]),
      webhook: delaysOf(accepted, webhook, sampled),
      rows: rows && delaysOf(accepted, rows, () => [0]),
      lateness,
      errors,
      usage: stop(),
    };
  }

  const bare = (length: number) => run(bareTarget, { relay: relay.pid }, { stream: bareReader }, length);
  const ours = (length: number) => run(service, service.pids(), { stream: reader, rows: rowReader }, length);
  report('latency: warming up');
  await bare(BARE_WARM_UP_SECONDS);
  await ours(WARM_UP_SECONDS);
  const rounds: LatencyRound[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    rounds.push({ bare: await bare(seconds / 2), service: await ours(seconds) });
    report(`latency, round ${round} of ${options.rounds}: ${eventsPerSecond} events/s for ${seconds} s`);
  }
  return { eventsPerSecond, batchSize, sampledEvery, rounds };
}

function flowsOf(eventsPerSecond: number, batchSize: number, seconds: number): EventFlow[] {
  const singlesPerSecond = eventsPerSecond * SINGLES_SHARE;
  const batchesPerSecond = (eventsPerSecond - singlesPerSecond) / batchSize;
  return [
    { eventsPerRequest: 1, requestsPerSecond: singlesPerSecond, requests: Math.round(singlesPerSecond * seconds) },
    {
      eventsPerRequest: batchSize,
      requestsPerSecond: batchesPerSecond,
      requests: Math.round(batchesPerSecond * seconds),
    },
  ];
}
