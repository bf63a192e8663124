import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from '@nats-io/transport-node';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reservedPort } from '../../../support/servers/reserved-port.ts';
import { natsAnswers, startNats, type NatsProcess } from '../../../../src/local/nats/nats-process.ts';
import { findNatsServer } from '../../../../src/local/nats/nats-server.ts';
import { LOG_LIMITS } from '../../../../streams/log/limits.ts';
import { OWNER_LIMITS } from '../../../../actors/runtime/limits.ts';
import { until } from '../../../support/until.ts';

/* The configuration files that ship, in a real nats-server. */

const CLUSTER_CONFIG = fileURLToPath(new URL('../../../../streams/nats/nats-cluster.conf', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'player-analytics-'));
let binary: string;

beforeAll(async () => {
  const found = await findNatsServer();
  if (found.kind === 'missing') throw new Error(found.message);
  binary = found.path;
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('nats-server.conf: the largest record is taken, and still there after kill -9', async () => {
  const options = { binary, port: await reservedPort(), storeDir: join(root, 'single') };
  let server: NatsProcess = await startNats(options);
  try {
    const connection = await connect({ servers: server.url });
    expect(connection.info?.max_payload).toBe(LOG_LIMITS.brokerPayloadBytes);
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: 'S', subjects: ['s'], storage: 'file' });
    await jetstream(connection).publish('s', new Uint8Array(OWNER_LIMITS.commitBytes));
    server.signal('SIGKILL');
    await server.ended;
    await connection.close();

    server = await startNats(options);
    const again = await connect({ servers: server.url });
    const message = await (await jetstreamManager(again)).streams.getMessage('S', { seq: 1 });
    expect(message?.data.length).toBe(OWNER_LIMITS.commitBytes);
    await again.close();
  } finally {
    await server.stop();
  }
});

test('nats-cluster.conf: three nodes hold a stream on all three, and survive the loss of one', async () => {
  const clientPorts = await ports(3);
  const routePorts = await ports(3);
  const routes = routePorts.map((port, index) => [
    `NATS_ROUTE_${index + 1}`,
    `"nats-route://route:45@127.0.0.1:${port}"`,
  ]);
  // Everything but the addresses comes from the file; passwords of digits only must stay text.
  const env = { ...Object.fromEntries(routes), NATS_PASSWORD: '"123"', NATS_ROUTE_PASSWORD: '"45"' };
  const launch = async (name: string, port: number, routePort: number) => {
    const config = join(root, `${name}.conf`);
    writeFileSync(config, readFileSync(CLUSTER_CONFIG, 'utf8').replace('port: 6222', `port: ${routePort}`));
    const options = ['-p', String(port), '-m', String(await reservedPort()), '-sd', join(root, name), '--name', name];
    return spawn(binary, ['-c', config, ...options], { stdio: 'ignore', env });
  };
  const nodes = await Promise.all(
    clientPorts.map((port, index) => launch(`nats-${index + 1}`, port, routePorts[index] ?? 0)),
  );
  try {
    // Otherwise a refused connection, instead of a refused login, may be the last answer below.
    for (const port of [...clientPorts, ...routePorts]) await until('every port answers', () => natsAnswers(port));
    const servers = clientPorts.map((port) => `127.0.0.1:${port}`);
    const login = { user: 'service', pass: '123' };
    const connection = await until('the cluster can be reached', () =>
      connect({ servers, ...login }).catch(() => undefined),
    );
    for (const nobody of [{}, { user: 'service', pass: '124' }, { user: 'route', pass: '45' }]) {
      await expect(connect({ servers, ...nobody, reconnect: false })).rejects.toThrow(/authorization violation/i);
    }
    expect(await saysNodeWithoutPassword(routePorts[0] ?? 0)).toMatch(/authorization violation/i);
    const manager = await until('it has a leader', () => jetstreamManager(connection).catch(() => undefined));
    const stream = await until('the stream is made', () =>
      manager.streams.add({ name: 'S', subjects: ['s'], storage: 'file', num_replicas: 3 }).catch(() => undefined),
    );
    expect(stream.cluster?.replicas).toHaveLength(2);
    expect(stream.cluster?.name).toBe('player-analytics');

    await end(nodes[2]);
    const stored = await until('a write is acknowledged', () =>
      jetstream(connection)
        .publish('s', 'x')
        .catch(() => undefined),
    );
    expect(stored.seq).toBeGreaterThan(0);
    await connection.close();
  } finally {
    await Promise.all(nodes.map(end));
  }
});

/** The answer of the route port to a node without the password. */
async function saysNodeWithoutPassword(port: number): Promise<string> {
  const socket = createConnection(port, '127.0.0.1');
  let heard = '';
  socket.on('data', (data) => (heard += data.toString('latin1')));
  socket.on('error', () => {});
  socket.write('CONNECT {"verbose":false,"name":"stranger","cluster":"player-analytics"}\r\nPING\r\n');
  await once(socket, 'close');
  return heard;
}

async function ports(count: number): Promise<number[]> {
  const found: number[] = [];
  while (found.length < count) found.push(await reservedPort());
  return found;
}

async function end(node: ChildProcess | undefined): Promise<void> {
  if (node === undefined || node.exitCode !== null || node.signalCode !== null) return;
  node.kill('SIGKILL');
  await once(node, 'exit');
}
