import { runOpenLoop } from '../load/open-loop.ts';
import type { Workload } from '../load/workload.ts';
import { eventsIn, measureRun, type Load } from './measure-run.ts';
import type { Stage, Target } from '../service/stage.ts';
import type { Run } from './run.ts';

export interface OpenLoop {
  target: Target;
  workload: Workload;
  requestsPerSecond: number;
  connections: number;
  seconds: number;
  memorySamples?: number;
}

const SETTLING_SECONDS = 3;

/** Measures a target under an open loop: at a fixed rate, whatever it answers. Throws when the signal comes. */
export function measureOpenLoop(stage: Stage, signal: AbortSignal, loop: OpenLoop): Promise<Run> {
  const { target, workload, requestsPerSecond, connections, seconds, memorySamples = 0 } = loop;
  const load: Load = {
    target,
    workload,
    connections,
    seconds,
    memorySamples,
    eventsIn: eventsIn(workload),
    start: (onPid) =>
      runOpenLoop(
        {
          url: stage.baseUrlOf(target) + workload.path,
          key: stage.service.key,
          bodiesFile: workload.bodiesFile,
          requestsPerSecond,
          seconds,
          settlingSeconds: Math.min(SETTLING_SECONDS, seconds / 4),
          connections,
        },
        signal,
        onPid,
      ),
  };
  return measureRun(stage, load, signal);
}
