import type { Cancel, Clock } from '../../../core/kernel/clock.ts';
import { LOCAL_LIMITS } from '../limits.ts';
import { SUPERVISOR_LIMITS } from './limits.ts';
import { createChild, type Child } from './child.ts';
import type { ChildSpec } from './launch-child.ts';
import { startGuard } from './guard.ts';
import { OWNER_VARIABLE } from './orphans.ts';
import { isServiceName } from '../own-ports.ts';
import { writePids, type Pids } from './run-files.ts';

/** All children of one supervisor: marked with `OWNER_VARIABLE`, guarded, listed in `pids.json`, stopped in order. */
export interface Processes {
  /** Adds a child; the caller starts it. */
  add(spec: ChildSpec): Child;
  /** Stops the processes of the service, then its dependencies. Resolves when all are gone. Idempotent. */
  stop(): Promise<void>;
}

export interface ProcessesOptions {
  /** The folder's real path. */
  dataDir: string;
  clock: Clock;
  report: (line: string) => void;
  /** How long a process of the service may take to stop before it is killed. */
  serviceStopMs: number;
  /** Called when a child has another process, or none. */
  onChange?: () => void;
}

export function createProcesses(options: ProcessesOptions): Processes {
  const { dataDir, clock, report, serviceStopMs, onChange = () => {} } = options;
  const guard = startGuard();
  const children: Child[] = [];
  let cancelRetry: Cancel = () => {};
  let stopping: Promise<void> | undefined;

  function pidOf(name: Child['name']): number | null {
    return children.find((child) => child.name === name)?.pid ?? null;
  }

  function onPid(): void {
    guard.watch(children.flatMap((child) => child.pid ?? []));
    listPids();
    onChange();
  }

  function services(): Pick<Pids, 'services'> {
    const several = children.filter(isService);
    if (several.length < 2) return {};
    return { services: Object.fromEntries(several.map(({ name, pid }) => [name, pid ?? null])) };
  }

  /** A full disk must not end the supervisor: the list is written once space is free. */
  function listPids(): void {
    cancelRetry();
    try {
      writePids(dataDir, {
        supervisor: process.pid,
        service: pidOf('service'),
        nats: pidOf('nats'),
        clickhouse: pidOf('clickhouse'),
        ...services(),
      });
    } catch (error) {
      report(`pids.json is not written: ${error instanceof Error ? error.message : String(error)}`);
      cancelRetry = clock.timer(SUPERVISOR_LIMITS.pidsRetryMs, listPids);
    }
  }

  async function stopInOrder(): Promise<void> {
    const dependencies = children.filter((child) => !isService(child));
    await Promise.all(children.filter(isService).map((child) => child.stop(serviceStopMs)));
    await Promise.all(dependencies.map((child) => child.stop(LOCAL_LIMITS.dependencyStopMs)));
    guard.dismiss();
    cancelRetry();
  }

  return {
    add(spec) {
      const env = { ...spec.env, [OWNER_VARIABLE]: dataDir };
      const child = createChild({ ...spec, env }, { clock, onPid, report });
      children.push(child);
      return child;
    },
    stop() {
      stopping ??= stopInOrder();
      return stopping;
    },
  };
}

const isService = ({ name }: Child): boolean => isServiceName(name);
