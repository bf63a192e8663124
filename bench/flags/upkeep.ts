import type { Bench } from '../bench.ts';
import { measureClosedLoop } from '../ingest/closed-loop.ts';
import { prepare } from '../ingest/prepare.ts';
import type { Run } from '../ingest/run.ts';
import type { Service } from '../service/service.ts';
import type { FlagsOptions } from './flags-options.ts';
import { upkeepSegment } from './sample-definitions.ts';
import { createSegment, evaluated, putSegment } from './segment-calls.ts';

/** Single events taken in while so many segments are kept up to date. */
export interface UpkeepFigures {
  segments: number;
  runs: Run[];
}

const COUNTS = [0, 10, 100];
const CONNECTIONS = 512;
const WARM_UP_SECONDS = 10;
/** The prepared batches are not sent. */
const BATCH_SIZE = 1;

/**
 * Ingest of single events with all sinks on, at 0, 10 and 100 segments by turns: they are switched on and off, and
 * nothing is measured before every player is evaluated under that.
 */
export async function measureUpkeep(bench: Bench, options: FlagsOptions): Promise<UpkeepFigures[]> {
  const { signal, report } = bench;
  const setup = await prepare(bench, { ...options, remote: undefined, batchSize: BATCH_SIZE });
  const segments = await createSegments(setup.service, Math.max(...COUNTS), signal);
  const load = (seconds: number): Promise<Run> =>
    measureClosedLoop(setup, signal, {
      target: 'service',
      workload: setup.workloads.single,
      connections: CONNECTIONS,
      seconds,
      wrkThreads: options.wrkThreads,
    });

  report('warming up');
  await segments.enable(Math.max(...COUNTS));
  await load(WARM_UP_SECONDS);
  const figures = COUNTS.map((count): UpkeepFigures => ({ segments: count, runs: [] }));
  for (let round = 1; round <= options.rounds; round++) {
    for (const { segments: count, runs } of figures) {
      await segments.enable(count);
      const run = await load(options.seconds);
      runs.push(run);
      report(
        `${count} segments, round ${round} of ${options.rounds}: ${Math.round(run.eventsPerSecond)} events/s, ` +
          `${Math.round((run.cpuSecondsPerThousandEvents['service'] ?? Number.NaN) * 1000)} µs of the service's CPU each`,
      );
    }
  }
  return figures;
}

/** Makes segments that are off. `enable` has the first `count` of them on; resolves when every player is evaluated. */
async function createSegments(service: Service, most: number, signal: AbortSignal) {
  const bodies = Array.from({ length: most }, (_, turn) => upkeepSegment(turn));
  const made: { id: string; body: object; enabled: boolean }[] = [];
  for (const body of bodies) {
    made.push({ id: await createSegment(service, { ...body, enabled: false }), body, enabled: false });
  }
  return {
    async enable(count: number): Promise<void> {
      let last = made.at(-1)?.id;
      for (const [turn, segment] of made.entries()) {
        const enabled = turn < count;
        if (segment.enabled === enabled) continue;
        await putSegment(service, segment.id, { ...segment.body, enabled });
        segment.enabled = enabled;
        last = segment.id;
      }
      if (last !== undefined) await evaluated(service, last, signal);
    },
  };
}
