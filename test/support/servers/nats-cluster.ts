import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reservedPort } from './reserved-port.ts';
import { startNats } from '../../../src/local/nats/nats-process.ts';
import type { NatsProcess } from '../../../src/local/nats/nats-process.ts';
import { findNatsServer } from '../../../src/local/nats/nats-server.ts';

/** Three real nats-servers in one cluster, on free ports and in a temporary folder. */
export interface TestCluster {
  /** All three addresses, joined by commas. */
  readonly url: string;
  /** The port of a node (`node-0` to `node-2`). */
  portOf(name: string): number;
  /** Kills a node, and restarts it on its files. */
  restart(name: string): Promise<void>;
  stop(): Promise<void>;
}

interface Node {
  name: string;
  port: number;
  config: string;
  storeDir: string;
}

export async function startTestCluster(): Promise<TestCluster> {
  const found = await findNatsServer();
  if (found.kind === 'missing') throw new Error(found.message);
  const folder = await mkdtemp(join(tmpdir(), 'player-analytics-cluster-'));
  const routePorts = [await reservedPort(), await reservedPort(), await reservedPort()];
  const nodes: Node[] = [];
  for (const [i, routePort] of routePorts.entries()) {
    const node = {
      name: `node-${i}`,
      port: await reservedPort(),
      config: join(folder, `${i}.conf`),
      storeDir: join(folder, String(i)),
    };
    await writeFile(node.config, configOf(node.name, routePort, routePorts));
    nodes.push(node);
  }
  const launch = ({ port, storeDir, config }: Node): Promise<NatsProcess> =>
    startNats({ binary: found.path, port, storeDir, config });
  const running = new Map<string, NatsProcess>();
  function nodeOf(name: string): Node {
    const node = nodes.find((candidate) => candidate.name === name);
    if (node === undefined) throw new Error(`there is no node ${name}`);
    return node;
  }

  async function stop(): Promise<void> {
    for (const process of running.values()) process.signal('SIGKILL');
    await Promise.all([...running.values()].map((process) => process.ended));
    await rm(folder, { recursive: true, force: true });
  }

  const launched = await Promise.allSettled(nodes.map(async (node) => running.set(node.name, await launch(node))));
  for (const outcome of launched) {
    if (outcome.status === 'fulfilled') continue;
    await stop();
    throw outcome.reason;
  }
  return {
    url: nodes.map(({ port }) => `nats://127.0.0.1:${port}`).join(','),
    portOf: (name) => nodeOf(name).port,
    async restart(name) {
      running.get(name)?.signal('SIGKILL');
      await running.get(name)?.ended;
      running.set(name, await launch(nodeOf(name)));
    },
    stop,
  };
}

function configOf(name: string, routePort: number, routePorts: readonly number[]): string {
  return `
    server_name: ${name}
    host: 127.0.0.1
    max_payload: 8388608
    jetstream { sync_interval: always, max_memory_store: 1GB, max_file_store: 128GB }
    cluster {
      name: test
      # Clients stay with the nodes that they were given.
      no_advertise: true
      listen: "127.0.0.1:${routePort}"
      routes: [ ${routePorts.map((port) => `"nats-route://127.0.0.1:${port}"`).join(', ')} ]
    }
  `;
}
