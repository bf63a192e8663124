import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError } from '../bench-error.ts';
import { readUsage } from '../measure/process-usage.ts';
import type { LocalService } from '../service/local-service.ts';

/** `killed`: by kill -9; `stopped`: by SIGTERM, as for a new version. */
export type RestartKind = 'killed' | 'stopped';

/** How long the service was away. */
export interface Restart {
  kind: RestartKind;
  /** From the signal until `/readyz` answered 200, the supervisor's own delay included. */
  awaySeconds: number;
  /** Of that, from the new process's appearance on. */
  startSeconds: number;
  /** Resident memory at that moment. */
  rssMiB: number;
}

const TIMEOUT_MS = 120_000;
const LOOK_MS = 5;

/** Ends the service's process, lets the supervisor start it again, and waits until it is ready. */
export async function measureRestart(service: LocalService, kind: RestartKind, signal: AbortSignal): Promise<Restart> {
  const before = service.pids()['service'];
  if (before === undefined) throw new BenchError('the service is not running');
  const beganMs = performance.now();
  if (kind === 'killed') process.kill(before, 'SIGKILL');
  else service.restart();

  let appearedMs: number | undefined;
  while (performance.now() - beganMs < TIMEOUT_MS) {
    const pid = service.pids()['service'];
    const isNew = pid !== undefined && pid !== before;
    if (isNew) appearedMs ??= performance.now();
    if (isNew && appearedMs !== undefined && (await isReady(service))) {
      const readyMs = performance.now();
      return {
        kind,
        awaySeconds: (readyMs - beganMs) / 1000,
        startSeconds: (readyMs - appearedMs) / 1000,
        rssMiB: readUsage(pid)?.rssMiB ?? Number.NaN,
      };
    }
    await sleep(LOOK_MS, undefined, { signal });
  }
  throw new BenchError(`the service was not ready ${TIMEOUT_MS / 1000} s after it was ${kind}`);
}

async function isReady({ baseUrl }: LocalService): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
