import { runOpenLoop } from '../load/open-loop.ts';
import type { Workload } from '../load/workload.ts';
import { measureRun, type Load } from './measure-run.ts';
import type { IngestSetup } from './prepare.ts';
import type { Run } from './run.ts';

export interface OpenLoop {
  target: Run['target'];
  workload: Workload;
  requestsPerSecond: number;
  connections: number;
  seconds: number;
  memorySamples?: number;
}

/** Measures a target under an open loop: at a fixed rate, whatever it answers. Throws when the signal comes. */
export function measureOpenLoop(setup: IngestSetup, signal: AbortSignal, loop: OpenLoop): Promise<Run> {
  const { target, workload, requestsPerSecond, connections, seconds, memorySamples = 0 } = loop;
  const load: Load = {
    target,
    workload,
    connections,
    seconds,
    memorySamples,
    start: (onPid) =>
      runOpenLoop(
        {
          url: setup.baseUrlOf(target) + workload.path,
          key: setup.service.key,
          bodiesFile: workload.bodiesFile,
          requestsPerSecond,
          seconds,
          connections,
        },
        signal,
        onPid,
      ),
  };
  return measureRun(setup, load, signal);
}
