import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { changeDeployment } from '../../src/cli/commands/deployment.ts';
import type { DemoKeys } from '../../src/process/demo.ts';
import { systemClock } from '../../core/kernel/clock.ts';
import { readEndpoints } from '../../src/local/processes/run-files.ts';
import { openConfigStore } from '../../streams/config/config-store.ts';
import {
  environmentWithTables,
  isAlive,
  launch,
  stopAndRemove,
  untilReady,
  type Supervised,
} from '../support/servers/supervised.ts';
import type { Pids } from '../../src/local/processes/run-files.ts';
import { silentLogger } from '../support/in-memory/silent-logger.ts';
import { until } from '../support/until.ts';
import { withLog } from './verify-facts.ts';
import { startPeer, type Peer } from './clients/peer.ts';

/**
 * The processes to kill or stop. Of several processes of the service, each in turn. `peer` is a second node: owners and
 * sinks, no gateway.
 */
export const TARGETS = ['service', 'nats', 'clickhouse', 'supervisor', 'peer'] as const;
export type Target = (typeof TARGETS)[number];

/** The real service with a second node, on its own ports and folders, and the faults that it can inject. */
export interface Rig {
  readonly baseUrl: string;
  readonly natsUrl: string;
  readonly clickhouseUrl: string;
  /** The folder of the service, with the addresses of its parts. */
  readonly dataDir: string;
  readonly keys: DemoKeys;
  /**
   * Resolves when the process is dead. The supervisor and the peer are restarted here; the supervisor restarts the
   * others.
   */
  kill(target: Target): Promise<void>;
  /** Kills the peer and deletes its local store: it must rebuild its partitions. */
  wipePeer(): Promise<void>;
  /** SIGSTOP. Returns a function that resumes this process; it does nothing if the process died meanwhile. */
  pause(target: Target): Promise<() => void>;
  /** Changes the deployment's size of FACTS, as an operator does. */
  resizeFacts(factsMaxBytes: number): Promise<void>;
  /** The processes of a supervisor, as `pids.json` lists them. */
  pids(): Pids | undefined;
  /** Everything the processes printed. */
  output(): string;
  /** Ends all processes and removes their folders. */
  stop(): Promise<void>;
}

export interface RigOptions {
  withPeer: boolean;
  /** Further settings of the service. */
  settings?: Readonly<Record<string, string>>;
}

export const PARTITIONS = 4;
/** Node names with which rendezvous hashing gives each node two of the four partitions; `verify` checks that. */
export const NODES = { service: 'n-aaaaaaaaaaaa', peer: 'n-cccccccccccc' } as const;

/** The maximum time for a process to return before the run fails. */
const AWAY_MS = 60_000;

/**
 * Starts all processes and resolves when they are ready. Without a peer it runs exactly what `npm start` runs. The
 * settings of the environment apply, such as PROCESSES.
 */
export async function startRig({ withPeer, settings = {} }: RigOptions): Promise<Rig> {
  const env: Record<string, string | undefined> = {
    ...(await environmentWithTables()),
    LOG_LEVEL: 'info',
    PARTITIONS: String(PARTITIONS),
    ...settings,
  };
  const peerDir = `${env['DATA_DIR']}-peer`;
  nameNode(String(env['DATA_DIR']), NODES.service);
  nameNode(peerDir, NODES.peer);
  let supervised = launch({ env });
  let earlier = '';
  let peer: Peer | undefined;
  let peerOutput = '';
  let stopping = false;
  /** Faults of the service so far. */
  let served = 0;
  let starting: Promise<void> = Promise.resolve();
  try {
    await untilReady(supervised);
  } catch (error) {
    await stopAndRemove(supervised);
    throw error;
  }
  const keys: DemoKeys = JSON.parse(readFileSync(join(supervised.dataDir, 'demo-keys.json'), 'utf8'));
  await startPeerNow();

  /** The peer needs the address and password that this supervisor generated for ClickHouse. */
  async function startPeerNow(): Promise<void> {
    const endpoints = await until('the endpoints are written', () => readEndpoints(supervised.dataDir), AWAY_MS);
    if (stopping || !withPeer) return;
    peer = await startPeer({ dataDir: peerDir, endpoints, env, onOutput: (text) => (peerOutput += text) });
  }

  async function restartSupervisor(): Promise<void> {
    const before: Supervised = supervised;
    before.signal('SIGKILL');
    await before.ended;
    earlier += before.output();
    if (stopping) return;
    supervised = launch({ env });
    starting = startedAgain();
    // The next user of the peer gets the failure; this prevents an unhandled rejection until then.
    starting.catch(() => {});
  }

  async function startedAgain(): Promise<void> {
    const launched = supervised;
    const ended = launched.ended.then((code) => {
      throw new Error(`the supervisor, started again, ended with ${code}:\n${launched.output().slice(-4_000)}`);
    });
    const runs = until('the supervisor runs', () => launched.pids()?.supervisor === launched.pid, AWAY_MS);
    await Promise.race([runs, ended]);
    ended.catch(() => {});
    await peer?.kill();
    await startPeerNow();
  }

  /** The current process of a target; waits while it is being started. */
  function pidOf(target: Target): Promise<number> {
    if (target === 'service') served += 1;
    return until(
      `${target} has a process`,
      () => {
        const pid =
          target === 'peer' ? peer?.pid : target === 'supervisor' ? supervised.pid : pidIn(supervised.pids(), target);
        return pid !== undefined && pid !== null && isAlive(pid) ? pid : undefined;
      },
      AWAY_MS,
    );
  }

  function pidIn(pids: Pids | undefined, target: 'service' | 'nats' | 'clickhouse'): number | null | undefined {
    const services = target === 'service' ? Object.values(pids?.services ?? {}) : [];
    return services.length === 0 ? pids?.[target] : services[served % services.length];
  }

  async function kill(target: Target): Promise<void> {
    await starting;
    if (target === 'supervisor') return restartSupervisor();
    const pid = await pidOf(target);
    process.kill(pid, 'SIGKILL');
    await until(`${target} is dead`, () => !isAlive(pid));
    if (target === 'peer') await startPeerNow();
  }

  return {
    baseUrl: supervised.baseUrl,
    get natsUrl() {
      return supervised.natsUrl;
    },
    clickhouseUrl: supervised.clickhouseUrl,
    dataDir: supervised.dataDir,
    keys,
    pids: () => supervised.pids(),
    kill,
    async wipePeer() {
      await starting;
      await peer?.kill();
      rmSync(join(peerDir, 'players'), { recursive: true, force: true });
      await startPeerNow();
    },
    async pause(target) {
      await starting;
      const pid = await pidOf(target);
      process.kill(pid, 'SIGSTOP');
      return () => {
        if (isAlive(pid)) process.kill(pid, 'SIGCONT');
      };
    },
    async resizeFacts(factsMaxBytes) {
      await starting;
      await withLog(supervised.natsUrl, async (log) => {
        const configStore = await openConfigStore(log, systemClock, silentLogger);
        const changes = { factsMaxBytes, lower: true };
        await changeDeployment(configStore, log, changes, systemClock).finally(() => configStore.stop());
      });
    },
    output: () => `${earlier}${supervised.output()}${peerOutput}`,
    async stop() {
      stopping = true;
      await starting.catch(() => {});
      await peer?.kill();
      rmSync(peerDir, { recursive: true, force: true });
      await stopAndRemove(supervised);
    },
  };
}

/** A node keeps the name that is stored in its folder. */
function nameNode(dataDir: string, name: string): void {
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(join(dataDir, 'node-name'), `${name}\n`);
}
