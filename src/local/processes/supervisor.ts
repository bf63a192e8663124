import { SchemaError } from '../../../clickhouse-schema/schema-record.ts';
import { sleep, type Clock } from '../../../core/kernel/clock.ts';
import { PROCESS_LIMITS } from '../../process/limits.ts';
import { SUPERVISOR_LIMITS } from './limits.ts';
import type { Child } from './child.ts';
import type { ChildSpec } from './launch-child.ts';
import { createProcesses } from './processes.ts';
import { createBrokerRestarts } from '../nats/broker-restarts.ts';
import { lockDataDir } from '../data-dir-lock.ts';
import { openDataDir } from '../data-dir.ts';
import { endOrphans } from './orphans.ts';
import { isServiceName, type OwnPorts } from '../own-ports.ts';
import { checkPorts, claimSharedPorts, type PortClaim } from '../ports.ts';
import { readPids, removeRunFiles, writeEndpoints, type Endpoints } from './run-files.ts';

/** The message of the service to its supervisor with which it asks for a restart of the broker. */
export const BROKER_STORES_NOTHING = 'broker_stores_nothing';

/** The children of a supervisor and their addresses. */
export interface Plan {
  /** Ports that the children will listen on. */
  ports: readonly PortClaim[];
  /** Children that the service needs; they start in parallel. */
  dependencies: readonly ChildSpec[];
  /** Runs when the dependencies are ready, before the service starts (migrations); repeated if it throws. */
  prepare: () => Promise<void>;
  /** The processes of the service; they start in parallel. */
  services: readonly [ChildSpec, ...ChildSpec[]];
  /** The ports of several processes of the service. */
  ownPorts?: OwnPorts | undefined;
  endpoints: Endpoints;
}

export interface SuperviseOptions {
  /** Created if missing; may be relative. */
  dataDir: string;
  clock: Clock;
  report: (line: string) => void;
  /**
   * Called when the folder is locked. Returns what to run, or an error message.
   * @param dataDir the folder's real path
   */
  plan: (dataDir: string) => Promise<Plan | string>;
  /** Aborts a start. */
  signal: AbortSignal;
  /** How long a process of the service may take to stop before it is killed; default: `shutdownMs`. */
  serviceStopMs?: number;
}

/** `refused`: nothing runs, for the reason in `message`. `aborted`: the signal came first, and nothing runs. */
export type Supervision =
  | { kind: 'running'; supervisor: Supervisor; plan: Plan }
  | { kind: 'refused'; message: string }
  | { kind: 'aborted' };

export interface Supervisor {
  /** Restarts the service, e.g. after a change of its sources. */
  restartService(): void;
  /** Stops all processes of the service, then its dependencies. Resolves when all are gone. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Runs a service and its dependencies on one machine and one folder. Resolves when the service is ready for the first
 * time. From then on every child that dies is restarted, for any reason, without affecting the others.
 *
 * Invariants
 * 1. One supervisor per DATA_DIR: a lock that ends with its holder.
 * 2. No child outlives the supervisor: the guard kills them, and the next supervisor kills any orphans.
 * 3. `pids.json` lists the running processes; an orderly stop deletes it.
 * 4. Only processes with this folder's mark (`OWNER_VARIABLE`) are killed.
 */
export async function supervise(options: SuperviseOptions): Promise<Supervision> {
  const { clock, report, signal, serviceStopMs = PROCESS_LIMITS.shutdownMs } = options;
  const opened = openDataDir(options.dataDir);
  if (opened.kind === 'shared') return { kind: 'refused', message: opened.message };
  for (const warning of opened.warnings) report(warning);
  const dataDir = opened.path;

  const lock = await lockDataDir(dataDir);
  if (lock.kind === 'held') return { kind: 'refused', message: alreadyRunning(dataDir) };
  const orphans = await endOrphans(dataDir, clock);
  if (orphans.length > 0) report(`killed orphan processes of an earlier run (pids ${orphans.join(', ')})`);
  // Run files are deleted by an orderly stop, so their presence means that the earlier run was killed.
  const wasKilled = orphans.length > 0 || readPids(dataDir) !== undefined;
  removeRunFiles(dataDir);

  const plan = await Promise.race([options.plan(dataDir), aborted(signal)]);
  if (plan === 'aborted') {
    lock.release();
    return { kind: 'aborted' };
  }
  const refuse = (message: string): Supervision => {
    lock.release();
    return { kind: 'refused', message };
  };
  if (typeof plan === 'string') return refuse(plan);
  const claims = await claimSharedPorts(plan.ports);
  if (claims.kind === 'refused') return refuse(claims.message);
  const faults = await checkPorts(plan.ports, { clock, patienceMs: wasKilled ? SUPERVISOR_LIMITS.portPatienceMs : 0 });
  if (faults.length > 0) {
    claims.release();
    return refuse(faults.join('\n'));
  }

  const services: Child[] = [];
  const processes = createProcesses({ dataDir, clock, report, serviceStopMs, onChange: forgetPorts });
  const stop = async () => {
    await processes.stop();
    removeRunFiles(dataDir);
    claims.release();
    lock.release();
  };
  const { endpoints, ownPorts } = plan;
  const dependencies = plan.dependencies.map((spec) => processes.add(spec));
  const restartBroker = createBrokerRestarts({
    broker: dependencies.find(({ name }) => name === 'nats'),
    clock,
    report,
  });
  for (const spec of plan.services)
    services.push(processes.add({ ...spec, onMessage: (said) => onMessage(spec, said) }));
  const fault = await Promise.race([startInOrder(dependencies, services, plan, dataDir, options), aborted(signal)]);
  if (fault !== undefined) {
    await stop();
    return signal.aborted ? { kind: 'aborted' } : { kind: 'refused', message: fault };
  }
  return {
    kind: 'running',
    plan,
    supervisor: { restartService: () => services.forEach((service) => service.restart(serviceStopMs)), stop },
  };

  function onMessage({ name }: ChildSpec, message: unknown): void {
    if (message === BROKER_STORES_NOTHING) restartBroker();
    else if (isServiceName(name) && ownPorts?.reported(name, message) === true) listPorts();
  }

  /** The port of a process that has ended may soon be another program's. */
  function forgetPorts(): void {
    const ended = services.filter(({ name, pid }) => pid === undefined && isServiceName(name) && ownPorts?.ended(name));
    if (ended.length > 0) listPorts();
  }

  function listPorts(): void {
    try {
      writeEndpoints(dataDir, { ...endpoints, processes: ownPorts?.all() ?? {} });
    } catch (error) {
      report(`endpoints.json is not written: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** Starts the dependencies, prepares, starts the service. Resolves to an error message, or to nothing when ready. */
async function startInOrder(
  dependencies: readonly Child[],
  services: readonly Child[],
  plan: Plan,
  dataDir: string,
  options: SuperviseOptions,
): Promise<string | undefined> {
  const failed = await startAll(dependencies);
  if (failed !== undefined) return failed;
  const fault = await prepare(plan, options);
  if (fault !== undefined) return fault;
  writeEndpoints(dataDir, plan.endpoints);
  return startAll(services);
}

/** Resolves to an error message, or to nothing when all are ready. */
async function startAll(children: readonly Child[]): Promise<string | undefined> {
  const outcomes = await Promise.all(children.map((child) => child.start()));
  return outcomes.find((outcome) => outcome.kind === 'failed')?.message;
}

/** Tries several times, because a dependency may die and restart meanwhile. */
async function prepare(plan: Plan, { clock, signal }: SuperviseOptions): Promise<string | undefined> {
  let fault = '';
  for (let attempt = 0; attempt < SUPERVISOR_LIMITS.prepareAttempts && !signal.aborted; attempt++) {
    try {
      await plan.prepare();
      return undefined;
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error);
      if (error instanceof SchemaError) break;
      await sleep(clock, SUPERVISOR_LIMITS.prepareDelayMs);
    }
  }
  return `ClickHouse migrations failed: ${fault}`;
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
