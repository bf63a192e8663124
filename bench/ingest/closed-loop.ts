import type { Workload } from '../load/workload.ts';
import { runWrk } from '../load/wrk.ts';
import { eventsIn, measureRun, type Load } from './measure-run.ts';
import type { Stage, Target } from '../service/stage.ts';
import type { Run } from './run.ts';

export interface ClosedLoop {
  target: Target;
  workload: Workload;
  connections: number;
  seconds: number;
  wrkThreads: number;
}

/** Measures a target under a closed loop: as fast as it answers. Throws when the signal comes. */
export function measureClosedLoop(stage: Stage, signal: AbortSignal, loop: ClosedLoop): Promise<Run> {
  return measureRun(stage, closedLoad(stage, signal, loop), signal);
}

export function closedLoad(stage: Stage, signal: AbortSignal, loop: ClosedLoop): Load {
  const { target, workload, connections, seconds, wrkThreads } = loop;
  return {
    target,
    workload,
    connections,
    seconds,
    memorySamples: 0,
    eventsIn: eventsIn(workload),
    start: (onPid) =>
      runWrk({
        url: stage.baseUrlOf(target) + workload.path,
        // The bare server gets it, too: it is part of the request that is parsed.
        key: stage.service.key,
        bodiesFile: workload.bodiesFile,
        connections,
        seconds,
        threads: wrkThreads,
        signal,
        onPid,
      }),
  };
}
