import { runOpenLoop } from '../load/open-loop.ts';
import type { Workload } from '../load/workload.ts';
import { median } from '../measure/statistics.ts';
import type { IngestOptions } from './ingest-options.ts';
import { measureClosedLoop } from './closed-loop.ts';
import { measureRun } from './measure-run.ts';
import { prepare, type Bench } from './prepare.ts';
import type { Run } from './run.ts';

/** One shape of load on both targets, round by round. */
export interface Comparison {
  name: string;
  rounds: { bare: Run | undefined; service: Run }[];
}

/** Everything that was measured. */
export interface IngestFigures {
  comparisons: Comparison[];
  sustained: Run | undefined;
  /** At half of the highest rate of single events. */
  open: { requestsPerSecond: number; bare: Run | undefined; service: Run } | undefined;
  soak: Run | undefined;
  /** What the reader of the event stream saw of it all. */
  stream: { messages: number; interruptions: number };
}

const WARM_UP_SECONDS = 3;
/** The open loop on the bare server only shows what the generator itself adds: a short run tells. */
const FLOOR_SECONDS = 5;
/** Points of the picture of memory over a soak. */
const SOAK_SAMPLES = 120;

/** Measures ingest as `options` say. What it starts is ended by `bench.cleanup`. Throws when the signal comes. */
export async function measureIngest(bench: Bench, options: IngestOptions): Promise<IngestFigures> {
  const { report, signal } = bench;
  const setup = await prepare(bench, options);
  const { single, batch } = setup.workloads;

  const closed = (target: Run['target'], workload: Workload, connections: number, seconds: number): Promise<Run> =>
    measureClosedLoop(setup, signal, { target, workload, connections, seconds, wrkThreads: options.wrkThreads });

  const open = (
    target: Run['target'],
    requestsPerSecond: number,
    seconds: number,
    memorySamples?: number,
  ): Promise<Run> =>
    measureRun(setup, {
      target,
      workload: single,
      connections: options.openConnections,
      seconds,
      ...(memorySamples === undefined ? {} : { memorySamples }),
      start: (onPid) =>
        runOpenLoop(
          {
            url: setup.baseUrlOf(target) + single.path,
            key: setup.service.key,
            bodiesFile: single.bodiesFile,
            requestsPerSecond,
            seconds,
            connections: options.openConnections,
          },
          signal,
          onPid,
        ),
    });

  async function compare(name: string, workload: Workload, connections: number): Promise<Comparison> {
    const rounds: Comparison['rounds'] = [];
    for (let round = 1; round <= options.rounds; round++) {
      // One right after the other: what slows the machine for a while slows both.
      const bare = setup.bare && (await closed('bare', workload, connections, options.seconds));
      const service = await closed('service', workload, connections, options.seconds);
      rounds.push({ bare, service });
      report(`${name}, round ${round} of ${options.rounds}: ${roundLine(bare, service)}`);
    }
    return { name, rounds };
  }

  report('warming up');
  for (const workload of [single, batch]) {
    if (setup.bare !== undefined) await closed('bare', workload, options.batchConnections, 1);
    await closed('service', workload, options.batchConnections, WARM_UP_SECONDS);
  }

  const few = await compare('single events, 64 connections', single, 64);
  const many = await compare('single events, 512 connections', single, 512);
  const batches = await compare(
    `batches of ${options.batchSize}, ${options.batchConnections} connections`,
    batch,
    options.batchConnections,
  );

  let sustained: Run | undefined;
  if (options.sustainedSeconds > 0) {
    report(`batches for ${options.sustainedSeconds} s`);
    sustained = await closed('service', batch, options.batchConnections, options.sustainedSeconds);
  }

  const half = Math.round(median(many.rounds.map(({ service }) => service.requestsPerSecond)) / 2);
  const requestsPerSecond = options.openRequestsPerSecond ?? half;
  let openLoop: IngestFigures['open'];
  if (options.openSeconds > 0) {
    report(`open loop: ${requestsPerSecond} requests/s for ${options.openSeconds} s`);
    const floorSeconds = Math.min(FLOOR_SECONDS, options.openSeconds);
    const bare = setup.bare && (await open('bare', requestsPerSecond, floorSeconds));
    openLoop = { requestsPerSecond, bare, service: await open('service', requestsPerSecond, options.openSeconds) };
  }

  let soak: Run | undefined;
  if (options.soakSeconds !== undefined) {
    report(`soak: ${requestsPerSecond} requests/s for ${options.soakSeconds} s`);
    soak = await open('service', requestsPerSecond, options.soakSeconds, SOAK_SAMPLES);
  }
  const stream = await setup.bystanders.seen();
  return { comparisons: [few, many, batches], sustained, open: openLoop, soak, stream };
}

function roundLine(bare: Run | undefined, service: Run): string {
  const ours = `${Math.round(service.requestsPerSecond)} requests/s`;
  if (bare === undefined) return ours;
  const ratio = (service.requestsPerSecond / bare.requestsPerSecond).toFixed(2);
  return `${ours}, bare ${Math.round(bare.requestsPerSecond)}, ratio ${ratio}`;
}
