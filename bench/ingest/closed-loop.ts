import type { Workload } from '../load/workload.ts';
import { runWrk } from '../load/wrk.ts';
import { measureRun, type Load } from './measure-run.ts';
import type { IngestSetup } from './prepare.ts';
import type { Run } from './run.ts';

export interface ClosedLoop {
  target: Run['target'];
  workload: Workload;
  connections: number;
  seconds: number;
  wrkThreads: number;
}

/** Measures a target under a closed loop: as fast as it answers. Throws when the signal comes. */
export function measureClosedLoop(setup: IngestSetup, signal: AbortSignal, loop: ClosedLoop): Promise<Run> {
  const { target, workload, connections, seconds, wrkThreads } = loop;
  const load: Load = {
    target,
    workload,
    connections,
    seconds,
    memorySamples: 0,
    start: (onPid) =>
      runWrk({
        url: setup.baseUrlOf(target) + workload.path,
        // The bare server gets it, too: it is part of the request that is parsed.
        key: setup.service.key,
        bodiesFile: workload.bodiesFile,
        connections,
        seconds,
        threads: wrkThreads,
        signal,
        onPid,
      }),
  };
  return measureRun(setup, load, signal);
}
