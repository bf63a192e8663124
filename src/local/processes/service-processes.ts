import { mkdirSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config, Role } from '../../settings/config.ts';
import type { Ids } from '../../../core/kernel/ids.ts';
import { nodeName } from '../../process/node-identity.ts';
import { answersOk } from '../answers-ok.ts';
import type { ChildSpec } from './launch-child.ts';
import { createOwnPorts, type OwnPorts, serviceName } from '../own-ports.ts';
import { heapBytes, type Machine } from './process-count.ts';

const SERVICE = fileURLToPath(new URL('../../main.ts', import.meta.url));
/**
 * Most objects live for one request. A larger young generation avoids copying those in flight. Without pretenuring, no
 * object starts in the old generation, where it would keep its references alive (docs/decisions/0028).
 */
const SERVICE_FLAGS = ['--max-semi-space-size=32', '--no-allocation-site-pretenuring'];
/** Of a single process. V8 also collects the old generation the sooner, the smaller its bound (docs/decisions/0028). */
const HEAP_BOUND = '--max-old-space-size=2000';
const MIB = 1024 ** 2;

/** This machine, or what a container may use of it. */
export function thisMachine(): Machine {
  // 0: the constraint is unknown.
  const mayUse = process.constrainedMemory() || Infinity;
  return { cores: availableParallelism(), memoryBytes: Math.min(totalmem(), mayUse) };
}

export interface ServiceProcessesOptions {
  config: Pick<Config, 'roles'>;
  count: number;
  /** The folder's real path. */
  dataDir: string;
  /** The environment of the service. */
  env: ChildSpec['env'];
  /** The address of PORT. */
  baseUrl: string;
  ids: Ids;
}

/** The processes of the service, and the ports that they have for themselves when there are several. */
export interface ServiceProcesses {
  services: readonly [ChildSpec, ...ChildSpec[]];
  ownPorts: OwnPorts | undefined;
}

/**
 * Plans the processes of the service. The first one uses DATA_DIR itself, so that the data of a single process stays
 * usable, and alone has the role `sinks`: the bounds of deliveries under way then hold for the machine. Each further
 * one has a folder below `DATA_DIR/processes`.
 */
export function serviceProcesses(options: ServiceProcessesOptions): ServiceProcesses {
  const { config, count, dataDir, env, baseUrl, ids } = options;
  // Not the first `node` on PATH: an older one cannot run TypeScript.
  const command = process.execPath;
  if (count === 1) {
    const args = [HEAP_BOUND, ...SERVICE_FLAGS, SERVICE];
    const isReady = (): Promise<boolean> => answersOk(`${baseUrl}/readyz`);
    return { services: [{ name: 'service', command, args, env, isReady }], ownPorts: undefined };
  }
  // The other names follow from this one, so it must exist before the processes start.
  nodeName(dataDir, ids);
  const ownPorts = createOwnPorts();
  const heap = `--max-old-space-size=${Math.floor(heapBytes(count, thisMachine()) / MIB)}`;

  function spec(number: number): ChildSpec {
    const name = serviceName(number);
    const folder = number === 1 ? dataDir : join(dataDir, 'processes', String(number));
    mkdirSync(folder, { recursive: true });
    const roles: readonly Role[] = number === 1 ? config.roles : config.roles.filter((role) => role !== 'sinks');
    return {
      name,
      command,
      args: [heap, ...SERVICE_FLAGS, SERVICE],
      env: {
        ...env,
        DATA_DIR: folder,
        ROLES: roles.join(','),
        PROCESS_OF_GROUP: `${number}/${count}`,
        GROUP_DATA_DIR: dataDir,
      },
      async isReady() {
        const url = ownPorts.urlOf(name);
        return url !== undefined && answersOk(`${url}/readyz`);
      },
    };
  }

  const further = Array.from({ length: count - 1 }, (_, place) => spec(place + 2));
  return { services: [spec(1), ...further], ownPorts };
}
