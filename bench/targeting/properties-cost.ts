import type { Bench } from '../lib/bench.ts';
import { count, defineCase, duration, text } from '../lib/case.ts';
import { latencyAt, median, sum } from '../lib/figures/statistics.ts';
import { watchUsage } from '../lib/figures/usage.ts';
import { liveTraffic } from '../lib/load/traffic/live-traffic.ts';
import { figure, section, tableOf } from '../lib/report/table.ts';
import { createProperty, deleteProperty, pastCounted } from '../lib/service/samples/properties.ts';
import { startLocalService, type LocalService } from '../lib/service/service.ts';

const PLAYERS = 500;
const WARM_UP_RUNS = 3;

/** One run of events at the rate. */
interface Run {
  /** Of all processes of the service. */
  cpuMicros: number;
  serviceMicros: number;
  p99Ms: number;
  othersCpus: number;
}

interface Round {
  without: Run;
  with: Run;
}

export const propertiesCost = defineCase({
  name: 'properties-cost',
  description:
    'Measure what computed properties cost an event: CPU time at a fixed rate without and with them, by turns in one ' +
    'running service, so that differences between two starts do not count.',
  options: {
    properties: count('--properties <n>', 'computed properties', 10),
    counted: text('--counted <event>', 'the name of the events that they count', 'other_event'),
    rate: count('--rate <n>', 'events/s', 1_000),
    seconds: duration('--seconds <time>', 'length of one run', 5),
    rounds: count('--rounds <n>', 'runs without and with them, by turns', 12),
  },
  async run(bench, { properties, counted, rate, seconds, rounds, folder }, save) {
    const service = await startLocalService(bench, { folder });
    const measure = await prepareRuns(bench, service, rate, seconds);
    for (let run = 0; run < WARM_UP_RUNS; run++) await measure();
    const measured: Round[] = [];
    for (let round = 0; round < rounds; round++) {
      // Every second round begins with them: a load of the machine that grows or falls meets both alike.
      const isFirst = round % 2 === 1;
      const before = isFirst ? undefined : await measure();
      await define(service, properties, counted, bench.signal);
      const during = await measure();
      await remove(service, properties);
      const one = { without: before ?? (await measure()), with: during };
      measured.push(one);
      bench.report(
        `round ${round + 1}: ${figure(one.without.cpuMicros)} and ${figure(one.with.cpuMicros)} µs an event`,
      );
    }
    save({ results: { rounds: measured }, tables: tablesOf(measured, properties, rate) });
  },
});

async function prepareRuns(
  bench: Bench,
  service: LocalService,
  rate: number,
  seconds: number,
): Promise<() => Promise<Run>> {
  const run = await liveTraffic(bench, service, rate, { players: PLAYERS, seconds });
  return async () => {
    const watch = watchUsage(service.pids());
    const result = await run();
    const { cpuSeconds, othersCpus } = watch.seen();
    watch.stop();
    return {
      cpuMicros: (sum(Object.values(cpuSeconds)) * 1e6) / result.sent,
      serviceMicros: ((cpuSeconds['service'] ?? Number.NaN) * 1e6) / result.sent,
      p99Ms: latencyAt(result.latency, 0.99),
      othersCpus,
    };
  };
}

const keyOf = (index: number): string => `cost_${index}`;

async function define(service: LocalService, properties: number, event: string, signal: AbortSignal): Promise<void> {
  for (let index = 0; index < properties; index++) {
    const where = { 'properties.level': { $gte: index } };
    await createProperty(service, { key: keyOf(index), event, where, aggregate: 'count', within_days: 7 });
  }
  for (let index = 0; index < properties; index++) await pastCounted(service, keyOf(index), signal);
}

async function remove(service: LocalService, properties: number): Promise<void> {
  for (let index = 0; index < properties; index++) await deleteProperty(service, keyOf(index));
}

function tablesOf(rounds: readonly Round[], properties: number, rate: number): string {
  const figures: [name: string, of: (run: Run) => number][] = [
    ['CPU of all processes, µs an event', ({ cpuMicros }) => cpuMicros],
    ['CPU of the service, µs an event', ({ serviceMicros }) => serviceMicros],
    ['p99, ms', ({ p99Ms }) => p99Ms],
    ['CPUs of other processes', ({ othersCpus }) => othersCpus],
  ];
  return section(
    `${figure(properties)} computed properties at ${figure(rate)} events/s, medians of ${rounds.length} rounds`,
    tableOf(figures, {
      figure: ([name]) => name,
      without: ([, of]) => median(rounds.map(({ without }) => of(without))),
      with: ([, of]) => median(rounds.map((round) => of(round.with))),
      'ratio of a round': ([, of]) => median(rounds.map((round) => of(round.with) / of(round.without))),
    }),
  );
}
