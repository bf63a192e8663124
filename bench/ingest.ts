import { setTimeout as sleep } from 'node:timers/promises';
import { count, defineCase, duration, optional, some, text } from './lib/case.ts';
import type { IngestComparison, IngestFigures } from './lib/report/ingest-figures.ts';
import { ingestPictures } from './lib/report/ingest-pictures.ts';
import { prepareIngest } from './lib/ingest-stage.ts';
import type { MemorySample } from './lib/load/observe-load.ts';
import { halfRate, measureClosedLoop, measureOpenLoop, pairedRounds, rateLine, type Run } from './lib/run.ts';
import {
  comparisonTable,
  cpuSection,
  endSections,
  lateRuns,
  latencyTable,
  medianOf,
  perProcess,
  type NamedRuns,
} from './lib/report/run-tables.ts';
import { figure, section } from './lib/report/table.ts';
import type { Workload } from './lib/load/traffic/workload.ts';

/** What can be measured, in this order. */
const PARTS = ['single-64', 'single-512', 'batch', 'sustained', 'open'] as const;

const WARM_UP_SECONDS = 10;
const BARE_WARM_UP_SECONDS = 1;
const BARE_OPEN_SECONDS = 5;
/** Points of the picture of memory over a soak. */
const SOAK_SAMPLES = 120;
/** Long enough for a row that was written twice to show. */
const LAST_ROWS_MS = 1_000;

export const ingest = defineCase({
  name: 'ingest',
  description:
    'Measure ingest with all sinks on, interleaved with a bare uWebSockets.js server that parses the same bodies: ' +
    'single events at 64 and 512 connections, batches, and an open loop at half of the maximum.',
  needsWrk: () => true,
  options: {
    only: some('--only <parts...>', 'measure only these', PARTS),
    seconds: duration('--seconds <time>', 'length of one run', 10),
    rounds: count('--rounds <n>', 'runs on each target; the report shows medians', 3),
    players: count('--players <n>', 'players registered beforehand', 10_000),
    batchSize: count('--batch-size <n>', 'events in one batch', 100),
    batchConnections: count('--batch-connections <n>', 'connections that send batches', 32),
    sustained: duration('--sustained <time>', 'length of the long run of batches', 30),
    open: duration('--open <time>', 'length of the open loop', 30),
    rate: optional(count('--rate <n>', 'requests/s of the open loop and the soak (default: half of the maximum)', 1)),
    openConnections: count('--open-connections <n>', 'connections of the open loop', 512),
    soak: optional(duration('--soak <time>', 'afterwards, watch memory under that rate for this long, e.g. 10m', 1)),
    threads: count('--threads <n>', 'threads of wrk', 1),
    url: optional(
      text('--url <url>', 'measure a deployment elsewhere: no bare server, process figures, webhook or ClickHouse', ''),
    ),
    key: optional(
      text('--key <key>', "its server key of the enterprise tier; the bench's players and events stay", ''),
    ),
  },
  check({ url, key, rate, only, soak }) {
    if ((url === undefined) !== (key === undefined)) return '--url and --key go together';
    const needsRate = only.includes('open') || soak !== undefined;
    return needsRate && rate === undefined && !only.includes('single-512')
      ? 'the open loop and the soak need --rate, or single-512 measured before them'
      : undefined;
  },
  async run(bench, settings, save) {
    const { signal, report } = bench;
    const { only, url, key, batchSize, batchConnections, openConnections, threads: wrkThreads } = settings;
    const remote = url === undefined || key === undefined ? undefined : { url, key };
    const stage = await prepareIngest(bench, { ...settings, remote });
    const { single, batch } = stage.workloads;
    const closed = (target: Run['target'], workload: Workload, connections: number, seconds: number): Promise<Run> =>
      measureClosedLoop(stage, signal, { target, workload, connections, seconds, wrkThreads });

    report('warming up');
    for (const workload of [single, batch]) {
      if (stage.hasBare) await closed('bare', workload, batchConnections, BARE_WARM_UP_SECONDS);
      await closed('service', workload, batchConnections, WARM_UP_SECONDS);
    }

    const compare = async (
      part: (typeof PARTS)[number],
      name: string,
      workload: Workload,
      connections: number,
    ): Promise<IngestComparison | undefined> => {
      if (!only.includes(part)) return undefined;
      const on = (target: Run['target']) => closed(target, workload, connections, settings.seconds);
      const measure = { bare: async () => (stage.hasBare ? on('bare') : undefined), service: () => on('service') };
      return { name, rounds: await pairedRounds(bench, name, settings.rounds, measure, rateLine) };
    };
    const few = await compare('single-64', 'single events, 64 connections', single, 64);
    const many = await compare('single-512', 'single events, 512 connections', single, 512);
    const batchName = `batches of ${batchSize}, ${batchConnections} connections`;
    const batches = await compare('batch', batchName, batch, batchConnections);

    let sustained: Run | undefined;
    if (only.includes('sustained')) {
      report(`batches for ${settings.sustained} s`);
      sustained = await closed('service', batch, batchConnections, settings.sustained);
    }

    const requestsPerSecond = settings.rate ?? (many === undefined ? 1 : halfRate(many.rounds));
    const openLoop = (target: Run['target'], seconds: number, memorySamples = 0): Promise<Run> => {
      report(`open loop on the ${target}: ${requestsPerSecond} requests/s for ${seconds} s`);
      const load = { target, workload: single, requestsPerSecond, connections: openConnections, seconds };
      return measureOpenLoop(stage, signal, { ...load, memorySamples });
    };
    let open: IngestFigures['open'];
    if (only.includes('open')) {
      const bareSeconds = Math.min(BARE_OPEN_SECONDS, settings.open);
      const bare = stage.hasBare ? await openLoop('bare', bareSeconds) : undefined;
      open = { requestsPerSecond, bare, service: await openLoop('service', settings.open) };
    }
    const soak = settings.soak === undefined ? undefined : await openLoop('service', settings.soak, SOAK_SAMPLES);

    await sleep(LAST_ROWS_MS);
    const rows = await stage.service.countRows?.();
    const total = rows === undefined ? undefined : { acknowledged: stage.ledger.acknowledged, rows };
    const stream = await stage.streamSeen();
    const figures: IngestFigures = { few, many, batches, sustained, open, soak, total, stream };
    save({
      settings: { ...settings, key: undefined, environment: inherited() },
      results: figures,
      tables: ingestTables(figures),
      pictures: ingestPictures(figures),
    });
  },
});

/** Settings of the service that the environment may change. */
const SETTINGS = ['PARTITIONS', 'LOG_LEVEL', 'NODE_OPTIONS', 'UV_THREADPOOL_SIZE', 'FACTS_MAX_BYTES'];

function inherited(): Record<string, string> {
  return Object.fromEntries(
    SETTINGS.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

function ingestTables({ few, many, batches, sustained, open, soak, total, stream }: IngestFigures): string {
  const comparisons = [few, many, batches].flatMap((one) => one ?? []);
  const long: NamedRuns = [
    ...(sustained === undefined ? [] : [[`batches, ${sustained.seconds} s`, [sustained]] as const]),
    ...(open === undefined
      ? []
      : [[`open loop, ${figure(open.requestsPerSecond)} requests/s`, [open.service]] as const]),
    ...(soak === undefined ? [] : [[`soak, ${soak.seconds} s`, [soak]] as const]),
  ];
  const named: NamedRuns = [
    ...comparisons.map(({ name, rounds }) => [name, rounds.map(({ service }) => service)] as const),
    ...long,
  ];
  const rates: IngestComparison[] = [
    ...comparisons,
    ...(sustained === undefined
      ? []
      : [{ name: `batches, ${sustained.seconds} s`, rounds: [{ bare: undefined, service: sustained }] }]),
  ];
  return [
    section(
      'Throughput (medians of the rounds; ratio: of the pairs)',
      comparisonTable(rates, {
        'events/s': ({ rounds }) => medianOf(rounds, ({ service }) => service.eventsPerSecond),
      }),
    ),
    section(
      'Latency, ms (closed loop as wrk corrects it; open loop from the moment a request was due, after 3 s to settle)',
      latencyTable([
        ...comparisons.flatMap(({ name, rounds }) => [
          [`${name}: bare`, rounds.map(({ bare }) => bare)] as const,
          [`${name}: service`, rounds.map(({ service }) => service)] as const,
        ]),
        ['open loop: bare', [open?.bare]],
        ...long.map(([name, runs]) => [`${name}: service`, runs] as const),
        ['  sent late in the open loop', lateRuns([open?.service])],
      ]),
    ),
    cpuSection(named),
    section(
      'Resident memory at the end, MiB',
      perProcess(named, (run) => run.rssMiB),
    ),
    soak?.memory === undefined ? '' : section('Memory over the soak, MiB', soakTable(soak.memory)),
    ...endSections(named),
    total === undefined
      ? ''
      : `In the end: ${total.acknowledged} events acknowledged, ${total.rows} rows in ClickHouse`,
    `Stream reader: ${figure(stream.messages)} messages, ${stream.interruptions} interruptions`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** Memory at the begin, in the middle and at the end. */
function soakTable(samples: readonly MemorySample[]): string {
  const shown = [samples[0], samples[Math.floor(samples.length / 2)], samples.at(-1)].flatMap((one) => one ?? []);
  return perProcess(
    shown.map((sample) => [`after ${figure(sample.atSeconds)} s`, [sample]] as const),
    ({ rssMiB }) => rssMiB,
  );
}
