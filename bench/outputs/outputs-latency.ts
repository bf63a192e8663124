import { awaitArrivals, type Observer } from '../lib/load/traffic/arrivals.ts';
import type { Bench } from '../lib/bench.ts';
import { delaysCells, DELAYS_HEAD, delaysOf, type Delays } from '../lib/figures/event-delays.ts';
import { loadOn, runEventLoad, type EventFlow } from '../lib/load/traffic/event-load.ts';
import { isSampled } from '../lib/load/traffic/numbered-event.ts';
import { createWebhook } from '../lib/load/calls.ts';
import { prepareOutputs, type OutputsTarget } from '../lib/outputs-stage.ts';
import { startReceiver } from '../lib/service/readers/receiver.ts';
import { ROW_CHECK_MS, startRowReader } from '../lib/service/readers/row-reader.ts';
import { pairedRounds, type Pair } from '../lib/run.ts';
import { latencyRows, usageSections } from '../lib/report/run-tables.ts';
import { medianLatency, type Latency } from '../lib/figures/statistics.ts';
import { startStreamReaders } from '../lib/service/readers/stream-readers.ts';
import { figure, LATENCY_HEAD, latencyRow, section, table, type Row } from '../lib/report/table.ts';
import { watchUsage, type UsageSeen } from '../lib/figures/usage.ts';

/** From the answer that accepted an event until it arrived at each output. */
interface LatencyRun {
  events: number;
  stream: Delays;
  webhook: Delays;
  /** Undefined for the bare relay, which writes none. */
  rows: Delays | undefined;
  lateness: Latency;
  errors: Record<string, number>;
  usage: UsageSeen;
}

interface LatencySettings {
  /** Events/s, the length of one run, and events in one batch. */
  eventsPerSecond: number;
  seconds: number;
  batchSize: number;
  /** Every so many-th event goes to the webhook: one webhook takes fewer than are tracked. */
  sampledEvery: number;
  rounds: number;
  folder: string | undefined;
}

export interface LatencyFigures {
  eventsPerSecond: number;
  batchSize: number;
  sampledEvery: number;
  rounds: Pair<LatencyRun>[];
}

/** One event in five comes by itself, as from a game's client; the others come in batches, as from a game server. */
const SINGLES_SHARE = 0.2;
const WARM_UP_SECONDS = 6;
const BARE_WARM_UP_SECONDS = 2;

/** Latencies from accepted to delivered, at a fixed rate of events, beside a relay that only passes events on. */
export async function measureLatency(bench: Bench, settings: LatencySettings): Promise<LatencyFigures> {
  const { signal, report } = bench;
  const { eventsPerSecond, batchSize, sampledEvery, seconds } = settings;
  const stage = await prepareOutputs(bench, settings.folder, batchSize);
  const { service, playerIds } = stage;
  const receiver = await startReceiver(bench);
  const hook = receiver.urlOf('well', 0);
  await createWebhook(service, hook, { 'properties.sampled': { eq: true } });
  const relay = await stage.startRelay(bench, [hook]);
  const bareReader = await startStreamReaders(bench, relay, 1);
  const reader = await startStreamReaders(bench, service, 1);
  const rowReader = await startRowReader(bench, service);
  const sampled = (number: number): number[] => (isSampled(number, { sampledEvery }) ? [0] : []);
  let nextNumber = 1;

  async function run(
    target: OutputsTarget,
    observers: { stream: Observer; rows?: Observer },
    lengthSeconds: number,
  ): Promise<LatencyRun> {
    const flows = flowsOf(eventsPerSecond, batchSize, lengthSeconds);
    const watch = watchUsage({ ...target.pids(), receiver: receiver.pid });
    try {
      const load = loadOn(target, playerIds, flows, nextNumber, { sampledEvery });
      const { accepted, events, lateness, errors } = await runEventLoad(load, signal);
      nextNumber += accepted.atMs.length;
      const { firstNumber } = accepted;
      const wanted = accepted.atMs.filter((at, index) => at !== null && sampled(firstNumber + index).length > 0);
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
        usage: watch.seen(),
      };
    } finally {
      watch.stop();
    }
  }

  const bare = (length: number) => run(relay, { stream: bareReader }, length);
  const ours = (length: number) => run(service, { stream: reader, rows: rowReader }, length);
  report('latency: warming up');
  await bare(BARE_WARM_UP_SECONDS);
  await ours(WARM_UP_SECONDS);
  const measure = { bare: () => bare(seconds / 2), service: () => ours(seconds) };
  const line = () => `${eventsPerSecond} events/s for ${seconds} s`;
  const rounds = await pairedRounds(bench, 'latency', settings.rounds, measure, line);
  return { eventsPerSecond, batchSize, sampledEvery, rounds };
}

function flowsOf(eventsPerSecond: number, batchSize: number, seconds: number): EventFlow[] {
  const flow = (eventsPerRequest: number, requestsPerSecond: number): EventFlow => ({
    eventsPerRequest,
    requestsPerSecond,
    requests: Math.round(requestsPerSecond * seconds),
  });
  const singles = eventsPerSecond * SINGLES_SHARE;
  return [flow(1, singles), flow(batchSize, (eventsPerSecond - singles) / batchSize)];
}

export function latencyTables({ eventsPerSecond, batchSize, sampledEvery, rounds }: LatencyFigures): string {
  const bare = rounds.map((round) => round.bare);
  const service = rounds.map((round) => round.service);
  const rows = service.flatMap((run) => (run.rows === undefined ? [] : [run.rows]));
  const row = (name: string, goal: string, runs: readonly Delays[]): Row => [
    ...latencyRows([[name, runs]]).flat(),
    goal,
    ...delaysCells(runs),
  ];
  const webhook = `webhook, every ${sampledEvery}th event`;
  return [
    section(
      `From accepted to delivered at ${figure(eventsPerSecond)} events/s, ms ` +
        `(one in five alone, the others in batches of ${batchSize}; medians of the rounds)`,
      table(
        [...LATENCY_HEAD, 'goal for p99', ...DELAYS_HEAD],
        [
          row(
            'stream: bare relay',
            '',
            bare.map(({ stream }) => stream),
          ),
          row(
            'stream: service',
            '25',
            service.map(({ stream }) => stream),
          ),
          row(
            `${webhook}: bare relay`,
            '',
            bare.map((run) => run.webhook),
          ),
          row(
            `${webhook}: service`,
            '50',
            service.map((run) => run.webhook),
          ),
          row(`ClickHouse, read every ${ROW_CHECK_MS} ms: service`, '1,000', rows),
          latencyRow('  requests sent late', medianLatency(service.map((run) => run.lateness))),
        ],
      ),
    ),
    ...usageSections([
      ['bare relay', bare],
      ['service', service],
    ]),
  ].join('\n');
}
