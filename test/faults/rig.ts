import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoKeys } from '../../src/demo.ts';
import { readEndpoints } from '../../src/local/run-files.ts';
import {
  freshEnvironment,
  isAlive,
  launch,
  stopAndRemove,
  untilReady,
  type Supervised,
} from '../support/supervised.ts';
import { until } from '../support/until.ts';
import { startPeer, type Peer } from './peer.ts';

/** What can be killed or stopped. `peer` is a second node: owners and sinks, no gateway. */
export const TARGETS = ['service', 'nats', 'clickhouse', 'supervisor', 'peer'] as const;
export type Target = (typeof TARGETS)[number];

/** The real service with a second node beside it, on ports and folders of its own, and the ways to hurt it. */
export interface Rig {
  readonly baseUrl: string;
  readonly natsUrl: string;
  readonly clickhouseUrl: string;
  readonly keys: DemoKeys;
  /** Settles when the process is dead. The supervisor and the peer are started again at once; the rest is not our work. */
  kill(target: Target): Promise<void>;
  /** Kills the peer and takes its local store away: it must rebuild its partitions. */
  wipePeer(): Promise<void>;
  /** SIGSTOP. Answers how to let that very process go on; nothing happens if it died meanwhile. */
  pause(target: Target): Promise<() => void>;
  /** Kills the supervisor and starts it again with other settings (`undefined`: the default). */
  restartWith(env: Readonly<Record<string, string | undefined>>): Promise<void>;
  /** Everything the processes printed. */
  output(): string;
  /** Ends all of it and removes its folders. */
  stop(): Promise<void>;
}

export const PARTITIONS = 4;
/** Names of the two nodes with which rendezvous hashing gives each two of the four partitions; `verify` sees that it does. */
export const NODES = { service: 'n-aaaaaaaaaaaa', peer: 'n-cccccccccccc' } as const;

/** How long a process may be away before the run is called off. */
const AWAY_MS = 60_000;

/** Starts everything; resolves when it is ready. Without a peer there is nothing but what `npm start` runs. */
export async function startRig({ withPeer }: { withPeer: boolean }): Promise<Rig> {
  let env: Record<string, string | undefined> = {
    ...(await freshEnvironment()),
    LOG_LEVEL: 'info',
    PARTITIONS: String(PARTITIONS),
  };
  const peerDir = `${env['DATA_DIR']}-peer`;
  nameNode(String(env['DATA_DIR']), NODES.service);
  nameNode(peerDir, NODES.peer);
  let supervised = launch({ env });
  let earlier = '';
  let peer: Peer | undefined;
  let peerOutput = '';
  let stopping = false;
  let starting: Promise<void> = Promise.resolve();
  try {
    await untilReady(supervised);
  } catch (error) {
    await stopAndRemove(supervised);
    throw error;
  }
  const keys: DemoKeys = JSON.parse(readFileSync(join(supervised.dataDir, 'demo-keys.json'), 'utf8'));
  await startPeerNow();

  /** The peer needs the address and password that this supervisor's life made for ClickHouse. */
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
    // Whoever needs it next sees the failure; until then it is nobody's unhandled one.
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

  /** The process that plays a part now; waits for one that is being started. */
  function pidOf(target: Target): Promise<number> {
    return until(
      `${target} has a process`,
      () => {
        const pid =
          target === 'peer' ? peer?.pid : target === 'supervisor' ? supervised.pid : supervised.pids()?.[target];
        return pid !== undefined && pid !== null && isAlive(pid) ? pid : undefined;
      },
      AWAY_MS,
    );
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
    keys,
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
    async restartWith(settings) {
      await starting;
      env = { ...env, ...settings };
      await restartSupervisor();
      await starting;
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

/** A node keeps the name it finds in its folder. */
function nameNode(dataDir: string, name: string): void {
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(join(dataDir, 'node-name'), `${name}\n`);
}
