import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { reservedPort } from '../../support/servers/reserved-port.ts';
import type { Endpoints } from '../../../src/local/processes/run-files.ts';
import { localKeyFile } from '../../../src/settings/secrets-key.ts';

/** A second node of the same deployment: it owns a share of the partitions, and its sinks wait for the leases. */
export interface Peer {
  readonly pid: number | undefined;
  kill(): Promise<void>;
}

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

export interface PeerOptions {
  dataDir: string;
  endpoints: Endpoints;
  env: Readonly<Record<string, string | undefined>>;
  onOutput: (text: string) => void;
}

/** Starts a peer without waiting until it is ready. It has no supervisor: the code that kills it starts another. */
export async function startPeer({ dataDir, endpoints, env, onOutput }: PeerOptions): Promise<Peer> {
  const { clickhouse, nats_url: natsUrl } = endpoints;
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...env,
      DATA_DIR: dataDir,
      ROLES: 'actors,sinks',
      PORT: String(await reservedPort()),
      NATS_URL: natsUrl,
      SECRETS_KEY_FILE: localKeyFile(String(env['DATA_DIR'])),
      CLICKHOUSE_URL: clickhouse.url,
      CLICKHOUSE_USER: clickhouse.user,
      CLICKHOUSE_PASSWORD: clickhouse.password,
      CLICKHOUSE_DATABASE: clickhouse.database,
      // It ends when its standard input closes, so it cannot outlive the test.
      SUPERVISED: '1',
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {});
  const ended = once(child, 'exit');
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => onOutput(text.toString()));
  return {
    pid: child.pid,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
