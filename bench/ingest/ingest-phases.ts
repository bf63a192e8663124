import type { Bench } from '../bench.ts';
import type { Workload } from '../load/workload.ts';
import { measureClosedLoop } from './closed-loop.ts';
import type { IngestOptions } from './ingest-options.ts';
import { measureOpenLoop } from './open-loop.ts';
import type { IngestSetup } from './prepare.ts';
import type { Run } from './run.ts';

/** One shape of load on both targets, round by round. */
export interface Comparison {
  name: string;
  rounds: { bare: Run | undefined; service: Run }[];
}

/** An open loop on both targets: what the bare server shows is what the generator itself adds. */
export interface OpenLoopComparison {
  requestsPerSecond: number;
  bare: Run | undefined;
  service: Run;
}

/** What an ingest bench consists of; each can be done by itself. */
export interface IngestPhases {
  warmUp(): Promise<void>;
  compare(name: string, workload: Workload, connections: number): Promise<Comparison>;
  sustainedBatches(): Promise<Run>;
  openLoop(requestsPerSecond: number): Promise<OpenLoopComparison>;
  soak(requestsPerSecond: number, seconds: number): Promise<Run>;
}

const WARM_UP_SECONDS = 10;
const BARE_WARM_UP_SECONDS = 1;
/** A short run of the open loop on the bare server tells the generator's share. */
const FLOOR_SECONDS = 5;
/** Points of the picture of memory over a soak. */
const SOAK_SAMPLES = 120;

export function ingestPhases({ report, signal }: Bench, setup: IngestSetup, options: IngestOptions): IngestPhases {
  const { single, batch } = setup.workloads;
  const { batchConnections, openConnections, wrkThreads } = options;

  const closed = (target: Run['target'], workload: Workload, connections: number, seconds: number): Promise<Run> =>
    measureClosedLoop(setup, signal, { target, workload, connections, seconds, wrkThreads });

  return {
    async warmUp() {
      report('warming up');
      for (const workload of [single, batch]) {
        if (setup.bare !== undefined) await closed('bare', workload, batchConnections, BARE_WARM_UP_SECONDS);
        await closed('service', workload, batchConnections, WARM_UP_SECONDS);
      }
    },

    async compare(name, workload, connections) {
      const rounds: Comparison['rounds'] = [];
      for (let round = 1; round <= options.rounds; round++) {
        // One right after the other: what slows the machine for a while slows both.
        const bare = setup.bare && (await closed('bare', workload, connections, options.seconds));
        const service = await closed('service', workload, connections, options.seconds);
        rounds.push({ bare, service });
        report(`${name}, round ${round} of ${options.rounds}: ${roundLine(bare, service)}`);
      }
      return { name, rounds };
    },

    sustainedBatches() {
      report(`batches for ${options.sustainedSeconds} s`);
      return closed('service', batch, batchConnections, options.sustainedSeconds);
    },

    async openLoop(requestsPerSecond) {
      report(`open loop: ${requestsPerSecond} requests/s for ${options.openSeconds} s`);
      const loop = { workload: single, requestsPerSecond, connections: openConnections };
      const seconds = Math.min(FLOOR_SECONDS, options.openSeconds);
      const bare = setup.bare && (await measureOpenLoop(setup, signal, { ...loop, target: 'bare', seconds }));
      const ours = { ...loop, target: 'service', seconds: options.openSeconds } as const;
      return { requestsPerSecond, bare, service: await measureOpenLoop(setup, signal, ours) };
    },

    soak(requestsPerSecond, seconds) {
      report(`soak: ${requestsPerSecond} requests/s for ${seconds} s`);
      return measureOpenLoop(setup, signal, {
        target: 'service',
        workload: single,
        requestsPerSecond,
        connections: openConnections,
        seconds,
        memorySamples: SOAK_SAMPLES,
      });
    },
  };
}

function roundLine(bare: Run | undefined, service: Run): string {
  const ours = `${Math.round(service.requestsPerSecond)} requests/s`;
  if (bare === undefined) return ours;
  const ratio = (service.requestsPerSecond / bare.requestsPerSecond).toFixed(2);
  return `${ours}, bare ${Math.round(bare.requestsPerSecond)}, ratio ${ratio}`;
}
