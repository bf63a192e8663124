import { sleep, type Clock } from '../kernel/clock.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Child, ChildSpec } from './child.ts';
import { createProcesses, type Processes } from './processes.ts';
import { lockDataDir } from './data-dir-lock.ts';
import { openDataDir } from './data-dir.ts';
import { endOrphans } from './orphans.ts';
import { checkPorts, type PortClaim } from './ports.ts';
import { readPids, removeRunFiles, writeEndpoints, type Endpoints } from './run-files.ts';

/** What a supervisor is to run. */
export interface Plan {
  /** Ports the children will listen on. */
  ports: readonly PortClaim[];
  /** What the service stands on; started side by side. */
  dependencies: readonly ChildSpec[];
  /** Done after the dependencies are ready and before the service starts (migrations); repeated when it throws. */
  prepare: () => Promise<void>;
  service: ChildSpec;
  endpoints: Endpoints;
}

export interface SuperviseOptions {
  /** Made when missing; may be relative. */
  dataDir: string;
  clock: Clock;
  report: (line: string) => void;
  /**
   * Decides what to run, once the folder is ours; a string says why nothing can be run.
   * @param dataDir the folder's real path
   */
  plan: (dataDir: string) => Promise<Plan | string>;
  /** Ends a start that is under way. */
  signal: AbortSignal;
  /** How long the service may take to stop before it is killed; what it allows itself when left out. */
  serviceStopMs?: number;
}

/** `refused`: nothing runs; `message` says why. `aborted`: the signal came first, and nothing runs. */
export type Supervision =
  | { kind: 'running'; supervisor: Supervisor; plan: Plan }
  | { kind: 'refused'; message: string }
  | { kind: 'aborted' };

export interface Supervisor {
  /** Starts the service anew, as a developer wants it after a change. */
  restartService(): void;
  /** Ends everything in order: the service, then what it stands on. Resolves when all are gone. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Runs a service and what it stands on, on one machine, on one folder. Resolves when the service is ready for the first
 * time; from then on every child that dies is started again, whatever ended it, without touching the others.
 *
 * Invariants
 * 1. One supervisor per DATA_DIR: a lock that ends with its holder.
 * 2. No child outlives the supervisor: the guard ends them, and the next supervisor ends what the guard could not.
 * 3. `pids.json` names the processes that run now; it is gone after an orderly stop.
 * 4. Nothing is ended that does not carry this folder's mark.
 */
export async function supervise(options: SuperviseOptions): Promise<Supervision> {
  const { clock, report, signal, serviceStopMs = LIMITS.shutdownMs } = options;
  const opened = openDataDir(options.dataDir);
  if (opened.kind === 'shared') return { kind: 'refused', message: opened.message };
  for (const warning of opened.warnings) report(warning);
  const dataDir = opened.path;

  const lock = await lockDataDir(dataDir);
  if (lock.kind === 'held') return { kind: 'refused', message: alreadyRunning(dataDir) };
  const orphans = await endOrphans(dataDir, clock);
  if (orphans.length > 0) report(`ended what an earlier run left behind (pids ${orphans.join(', ')})`);
  // Run files that are still there tell of a run that did not end by itself.
  const wasKilled = orphans.length > 0 || readPids(dataDir) !== undefined;
  removeRunFiles(dataDir);

  const plan = await Promise.race([options.plan(dataDir), aborted(signal)]);
  if (plan === 'aborted') {
    lock.release();
    return { kind: 'aborted' };
  }
  const faults =
    typeof plan === 'string'
      ? [plan]
      : await checkPorts(plan.ports, { clock, patienceMs: wasKilled ? LIMITS.portPatienceMs : 0 });
  if (typeof plan === 'string' || faults.length > 0) {
    lock.release();
    return { kind: 'refused', message: faults.join('\n') };
  }

  const processes = createProcesses({ dataDir, clock, report, serviceStopMs });
  const stop = async () => {
    await processes.stop();
    removeRunFiles(dataDir);
    lock.release();
  };
  const service = processes.add(plan.service);
  const fault = await Promise.race([startInOrder(processes, service, plan, dataDir, options), aborted(signal)]);
  if (fault !== undefined) {
    await stop();
    return signal.aborted ? { kind: 'aborted' } : { kind: 'refused', message: fault };
  }
  return {
    kind: 'running',
    plan,
    supervisor: { restartService: () => service.restart(serviceStopMs), stop },
  };
}

/** Dependencies, preparation, service. Resolves to why it failed, or to nothing once the service is ready. */
async function startInOrder(
  processes: Processes,
  service: Child,
  plan: Plan,
  dataDir: string,
  options: SuperviseOptions,
): Promise<string | undefined> {
  const outcomes = await Promise.all(plan.dependencies.map((spec) => processes.add(spec).start()));
  const failed = outcomes.find((outcome) => outcome.kind === 'failed');
  if (failed !== undefined) return failed.message;
  const fault = await prepare(plan, options);
  if (fault !== undefined) return fault;
  writeEndpoints(dataDir, plan.endpoints);
  const outcome = await service.start();
  return outcome.kind === 'failed' ? outcome.message : undefined;
}

/** A dependency may be killed, and be back, while it is being prepared: hence several attempts. */
async function prepare(plan: Plan, { clock, signal }: SuperviseOptions): Promise<string | undefined> {
  let fault = '';
  for (let attempt = 0; attempt < LIMITS.prepareAttempts && !signal.aborted; attempt++) {
    try {
      await plan.prepare();
      return undefined;
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error);
      await sleep(clock, LIMITS.prepareDelayMs);
    }
  }
  return `preparing ClickHouse failed: ${fault}`;
}

function aborted(signal: AbortSignal): Promise<'aborted'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('aborted');
    signal.addEventListener('abort', () => resolve('aborted'), { once: true });
  });
}

function alreadyRunning(dataDir: string): string {
  const pid = readPids(dataDir)?.supervisor;
  const who = pid === undefined ? 'Another supervisor' : `Another supervisor (pid ${pid})`;
  return `${who} is running on ${dataDir}. Stop it first, or set DATA_DIR to another folder.`;
}
